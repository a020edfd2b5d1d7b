package workload

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"weir"
	"weir/internal/endhost"
	"weir/internal/service"
)

// copier is a server of files that is ready, and the client that moves them.
type copier interface {
	// version is that of the programs.
	version(ctx context.Context) (string, error)
	// copyFiles runs the client from its start to its end.
	copyFiles(ctx context.Context) error
	// Alive is nil while the server runs. Otherwise it says how it ended.
	Alive() error
	// end stops and removes all of it.
	end(ctx context.Context) error
}

// fileServer is a server of files, and what its clients have to know.
type fileServer struct {
	process
	job      *job
	files    *files
	at       netip.AddrPort
	password string
}

// process is that of a server: a service, or a role of weir's own.
type process interface {
	Alive() error
	Stop(ctx context.Context) error
	PID() int
}

// fileServer is a server that is to be started, on the first port that servers of
// its kind have or one that follows.
func (j *job) fileServer(f *files, first int) fileServer {
	return fileServer{job: j, files: f, at: netip.AddrPortFrom(j.address(j.serving()), uint16(first+j.number)), password: rand.Text()}
}

func (s fileServer) end(ctx context.Context) error { return s.Stop(ctx) }

// served is the folder that the server of a job has to give or take.
func (f *files) served() string {
	if f.job.server == weir.Source {
		return f.from
	}
	return f.to
}

// yes is how configuration files say whether something is so.
func yes(so bool) string {
	if so {
		return "yes"
	}
	return "no"
}

// copied is the session of a job whose files a copier moves. The tools are
// looked for first, as files take time to make. What arrived is checked by check;
// nil: it is the files as they were.
func (j *job) copied(ctx context.Context, tools []Tool, start func(context.Context, *files) (copier, error), check func(context.Context, *files) error) (*session, error) {
	for _, t := range tools {
		at := j.asking()
		if t.Server {
			at = j.serving()
		}
		if _, err := at.find(ctx, t); err != nil {
			return nil, err
		}
	}
	f, err := j.createFiles(ctx)
	if err != nil {
		return nil, err
	}
	c, err := start(ctx, f)
	if err != nil {
		return nil, errors.Join(err, f.remove(context.WithoutCancel(ctx)))
	}
	if check == nil {
		check = func(ctx context.Context, f *files) error { return f.check(ctx) }
	}
	return &session{
		move:  func(ctx context.Context) (weir.Transferred, error) { return f.moved(ctx, c) },
		check: func(ctx context.Context) error { return check(ctx, f) },
		end:   func(ctx context.Context) error { return errors.Join(c.end(ctx), f.remove(ctx)) },
	}, nil
}

// moved times a copier.
func (f *files) moved(ctx context.Context, c copier) (out weir.Transferred, err error) {
	if out.Version, err = c.version(ctx); err != nil {
		return out, fmt.Errorf("ask for a version: %w", err)
	}
	if err := f.fresh(ctx); err != nil {
		return out, err
	}
	out.Disks, out.OneDisk = f.disks, f.oneDisk
	began := f.job.onset(ctx)
	if err := c.copyFiles(ctx); err != nil {
		began()
		if full := f.crowded(context.WithoutCancel(ctx)); full != nil {
			return out, fmt.Errorf("%w: %w", full, err)
		}
		if ended := endedSoon(ctx, c); ended != nil {
			err = fmt.Errorf("%w (%w)", ended, err)
		}
		return out, err
	}
	start, asking := began()
	if f.octets < mostGreetings*greeting { // what came before is more than nothing
		start, asking = start.Add(-asking), 0
	}
	if err := f.settle(ctx); err != nil {
		return out, err
	}
	out.Took, out.Octets = time.Since(start), f.octets
	out.Figures = append(out.Figures, weir.Figure{Name: weir.SetUpTime, Value: asking.Seconds(), Unit: "s"})
	return out, nil
}

// full is what a file system has left, in octets, that has room for nothing.
const full = 256 << 10

// crowded says that the destination is full when it is, which is why a transfer
// ended then: not every program finds the words.
func (f *files) crowded(ctx context.Context) error {
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

// asked is a program that is asked for its version, by a command of the shell.
type asked struct {
	at            End
	name, command string
}

// versionsOf are the versions of some programs, for people.
func versionsOf(ctx context.Context, programs ...asked) (string, error) {
	var out []string
	for _, p := range programs {
		said, err := p.at.Host.Run(ctx, "", "sh", "-c", service.Everywhere+p.command)
		if err != nil {
			return "", err
		}
		out = append(out, numbered(p.name, said))
	}
	return strings.Join(out, ", "), nil
}

// numbered is the name of a program with the first thing in what it says that
// begins with a digit, or with v and a digit: its version.
func numbered(name, said string) string {
	for _, word := range strings.Fields(said) {
		word = strings.TrimRight(strings.TrimPrefix(word, "v"), ",")
		if word != "" && word[0] >= '0' && word[0] <= '9' {
			return name + " " + word
		}
	}
	return name
}
