package workload

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"weir"
	"weir/internal/endhost"
	"weir/internal/service"
)

// copying is how a program moves files: a server at one end, and its client at the
// other one.
type copying struct {
	tools []Tool
	port  int // the first one that servers of this kind have; each job has its own
	// start starts the server, and waits until it is ready.
	start func(context.Context, *copier) (process, error)
	// copy runs the client from its start to its end.
	copy     func(context.Context, *copier) error
	check    func(context.Context, *files) error // what arrived; nil: it is the files as they were
	versions []version                           // that are told
}

// process is that of a server: a service, or a role of weir's own.
type process interface {
	Alive() error
	Stop(ctx context.Context) error
	PID() int
}

// copier is a server of files that is ready, and what its client has to know.
type copier struct {
	copying
	process  // nil: it has not started
	job      *job
	files    *files
	at       netip.AddrPort // of the server
	password string         // of its only user
	keys     string         // the client's folder for keys; "": it has none
}

// begin is that of a program. The tools are looked for first, as files take time to
// make.
func (h copying) begin(ctx context.Context, j *job) (*session, error) {
	for _, t := range h.tools {
		at := j.clientEnd()
		if t.Server {
			at = j.serverEnd()
		}
		if _, err := at.find(ctx, t); err != nil {
			return nil, err
		}
	}
	f, err := j.createFiles(ctx)
	if err != nil {
		return nil, err
	}
	c, err := h.ready(ctx, f)
	if err != nil {
		return nil, errors.Join(err, f.remove(context.WithoutCancel(ctx)))
	}
	check := f.check
	if h.check != nil {
		check = func(ctx context.Context) error { return h.check(ctx, f) }
	}
	return &session{
		move: c.move, check: check,
		end: func(ctx context.Context) error { return errors.Join(c.end(ctx), f.remove(ctx)) },
	}, nil
}

// ready starts a server for files.
func (h copying) ready(ctx context.Context, f *files) (*copier, error) {
	j := f.job
	c := &copier{copying: h, job: j, files: f, password: rand.Text(),
		at: netip.AddrPortFrom(j.address(j.serverEnd()), uint16(h.port+j.number))}
	started, err := h.start(ctx, c)
	if err != nil {
		return nil, errors.Join(err, c.end(context.WithoutCancel(ctx)))
	}
	c.process = started
	return c, nil
}

// end stops the server and removes what was made for the client.
func (c *copier) end(ctx context.Context) error {
	var err error
	if c.process != nil {
		err = c.Stop(ctx)
	}
	if c.keys != "" {
		_, removed := c.job.clientEnd().Host.Run(ctx, "", "rm", "-rf", c.keys)
		err = errors.Join(err, removed)
	}
	return err
}

// client runs a program at the client's end.
func (c *copier) client(ctx context.Context, stdin string, argv ...string) (string, error) {
	return c.job.clientEnd().Host.Run(ctx, stdin, argv...)
}

// served is the folder that the server has to give or take.
func (c *copier) served() string {
	if c.job.server == weir.Source {
		return c.files.from
	}
	return c.files.to
}

// yesNo is how configuration files say whether something is so.
func yesNo(so bool) string {
	if so {
		return "yes"
	}
	return "no"
}

// move has the files moved, and takes the time.
func (c *copier) move(ctx context.Context) (out weir.Transferred, err error) {
	f := c.files
	if out.Version, err = c.versionText(ctx); err != nil {
		return out, fmt.Errorf("ask for a version: %w", err)
	}
	if err := f.dropCaches(ctx); err != nil {
		return out, err
	}
	out.Disks, out.OneDisk = f.disks, f.oneDisk
	began := c.job.onset(ctx)
	if err := c.copy(ctx, c); err != nil {
		began()
		if full := f.diskFull(context.WithoutCancel(ctx)); full != nil {
			return out, fmt.Errorf("%w: %w", full, err)
		}
		if ended := endedSoon(ctx, c, c.job.serverEnd(), int(c.at.Port())); ended != nil {
			err = fmt.Errorf("%w (%w)", ended, err)
		}
		return out, err
	}
	start, asking := began()
	if f.octets < mostGreetings*greeting { // what came before is more than nothing
		start, asking = start.Add(-asking), 0
	}
	if err := f.syncArrived(ctx); err != nil {
		return out, err
	}
	out.Took, out.Octets = time.Since(start), f.octets
	out.Figures = append(out.Figures, weir.Figure{Name: weir.SetUpTime, Value: asking.Seconds(), Unit: "s"})
	return out, nil
}

// full is what a file system has left, in octets, that has room for nothing.
const full = 256 << 10

// diskFull is an error when the destination is full, so that a transfer failed for
// that: not every program says so.
func (f *files) diskFull(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, listenLimit)
	defer cancel()
	var left endhost.Room
	if asked := f.job.play(ctx, f.job.destination, "files-room", endhost.AtRoot{Root: f.to}, &left); asked == nil && left.Free < full {
		return fmt.Errorf("the folder %s of %s is full", f.to, f.job.destination.Host.Name())
	}
	return nil
}

// find is the path of a tool at an end.
func (e End) find(ctx context.Context, t Tool) (string, error) {
	return service.Find(ctx, e.Host, t.Name, t.Of, t.Package)
}
