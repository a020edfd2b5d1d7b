package shell

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"weir"
	"weir/internal/settings"
)

// Start starts a program in a stream of its own. It outlives ctx, and ends with the host
// or weir, whichever is first, if it reads its standard input: that ends then, also where
// the connection is lost. One that starts others (weir.Program.Family) ends in any case, and
// they do, too; it has no standard input, and is not process 1.
func (h *Host) Start(ctx context.Context, p weir.Program) (*weir.Process, error) {
	if err := startable(p); err != nil {
		return nil, fmt.Errorf("%s: %w", h.name, err)
	}
	s, err := h.session(ctx)
	if err != nil {
		return nil, err
	}
	r := &running{host: h, session: s, what: p.Argv[0], family: p.Family, mark: s.token + "-program", ended: make(chan struct{})}
	if err := r.begin(ctx, p); err != nil {
		return nil, errors.Join(err, s.close())
	}
	go r.listen()
	if !h.programs.add(s) {
		return nil, errors.Join(fmt.Errorf("%s: it is closed", h.name), s.stream.Close())
	}
	own := &weir.Process{PID: r.pid, Stdin: s.stream.In, Stdout: r, Wait: func() error { <-r.ended; return r.failed }, Stop: r.stop}
	if p.Family {
		own.Stdin = lifeline{} // the stream's is what the family hangs on
	}
	return own, nil
}

// startable says what of a program a shell cannot do.
func startable(p weir.Program) error {
	words := slices.Concat(p.Argv, p.Env, []string{p.Dir})
	switch {
	case len(p.Argv) == 0:
		return errors.New("there is no program to start")
	case slices.ContainsFunc(words, func(w string) bool { return strings.ContainsRune(w, 0) }):
		return fmt.Errorf("start %s: no shell takes an octet of zeros", p.Argv[0])
	}
	return nil
}

// running is a program that was started.
type running struct {
	host    *Host
	session *session
	what    string
	family  bool
	mark    string // begins the lines that are this package's
	pid     int
	last    []string // lines of its standard error
	failed  error    // read when it has ended
	ended   chan struct{}
	over    sync.Once // its standard output
}

// begin has the shell become the program, and waits until it says its process ID. Nothing
// is written to the program before that: the shell may have read it.
func (r *running) begin(ctx context.Context, p weir.Program) error {
	ctx, cancel := context.WithTimeoutCause(ctx, quickLimit, fmt.Errorf("%s did not answer within %v", r.host.name, quickLimit))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { r.session.stream.Close() })
	defer stop()
	_, err := io.WriteString(r.session.stream.In, programLine(p, r.mark))
	said := ""
	if err == nil {
		_, said, err = until(r.session.out, r.mark+" ")
	}
	if err == nil {
		r.pid, err = strconv.Atoi(said)
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: start %s: %w", r.host.name, r.what, context.Cause(ctx))
	case err != nil:
		return fmt.Errorf("start %s: %w", r.what, cmp.Or(r.session.stream.Ended(), err))
	}
	return nil
}

// lifeline is the standard input of a program that has none.
type lifeline struct{}

func (lifeline) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (lifeline) Close() error              { return nil }

// begins has a shell say its process ID and become a program.
const begins = `echo "$0 $$"; exec "$@"`

// tells says how a program ended.
const tells = `{ echo; echo "$0 $weir_status"; } >&2; exit $weir_status`

// alone runs a program that starts no others.
var alone = `sh -c ` + settings.Quoted(begins) + ` "$0" "$@"; weir_status=$?; ` + tells

// family runs a program that starts others. It is the first of a process group, where there
// is setsid(1), so that what it leaves is known when it has ended. A guard, which hangs on
// the stream, ends all of them when that ends.
var family = `exec 3<&0
$(command -v setsid) sh -c ` + settings.Quoted(begins) + ` "$0" "$@" </dev/null 3<&- &
weir_first=$!
{ while read -r weir_line; do :; done; ` + killTree + `"$weir_first"; kill -KILL -"$weir_first"; } <&3 3<&- >/dev/null 2>&1 &
weir_guard=$!
wait "$weir_first"
weir_status=$?
kill "$weir_guard" 2>/dev/null
kill -KILL -"$weir_first" 2>/dev/null
` + tells

// programLine is a line that has a shell become a program, and tell how that ended.
func programLine(p weir.Program, mark string) string {
	outer := alone
	if p.Family {
		outer = family
	}
	argv := p.Argv
	if len(p.Env) > 0 {
		argv = slices.Concat([]string{"env"}, p.Env, argv)
	}
	if len(p.CPUs) > 0 {
		var list []string
		for _, c := range p.CPUs {
			list = append(list, strconv.Itoa(c))
		}
		argv = slices.Concat([]string{"taskset", "-c", strings.Join(list, ",")}, argv)
	}
	var b strings.Builder
	if p.Dir != "" {
		fmt.Fprintf(&b, "cd %s && ", settings.Quoted(p.Dir))
	}
	fmt.Fprintf(&b, "exec sh -c %s %s", settings.Quoted(outer), mark)
	for _, w := range argv {
		b.WriteString(" " + settings.Quoted(w))
	}
	return b.String() + "\n"
}

// lastSaid is how many lines of its standard error an error of a program has.
const lastSaid = 5

// lastOutput is how long what a program with a family has said may take to be read once all
// of it has ended: not every stream ends then, and others wait for a shell.
const lastOutput = time.Second

// listen keeps the last lines of the program's standard error until it ends.
func (r *running) listen() {
	defer close(r.ended)
	for {
		line, err := r.session.err.ReadSlice('\n')
		if status, own := strings.CutPrefix(strings.TrimSpace(string(line)), r.mark+" "); own && err == nil {
			r.failed = r.how(status)
			if r.family {
				time.AfterFunc(lastOutput, func() { r.Close() })
			}
			return
		}
		if text := strings.TrimSpace(string(line)); text != "" {
			r.last = append(r.last[max(0, len(r.last)-lastSaid+1):], text)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			why := r.session.stream.Ended()
			r.failed = fmt.Errorf("%s: %s: %w", r.host.name, r.what, cmp.Or(why, io.ErrUnexpectedEOF))
			return
		}
	}
}

// how says how the program ended, by the status that a shell has for that.
func (r *running) how(status string) error {
	const bySignal = 128
	n, err := strconv.Atoi(status)
	how := "exit status " + status
	switch {
	case err == nil && n == 0:
		return nil
	case err == nil && n > bySignal:
		how = fmt.Sprintf("it was ended by signal %d", n-bySignal)
	}
	if len(r.last) > 0 {
		how += ": " + strings.Join(r.last, "\n")
	}
	return fmt.Errorf("%s: %s: %s", r.host.name, r.what, how)
}

// Read reads the program's standard output. The stream is not needed any more when that
// has ended, and the program too.
func (r *running) Read(b []byte) (int, error) {
	n, err := r.session.out.Read(b)
	if err != nil {
		r.over.Do(func() {
			go func() {
				<-r.ended
				r.Close()
			}()
		})
	}
	return n, err
}

// Close ends the stream of the program, and so its standard input.
func (r *running) Close() error {
	r.host.programs.remove(r.session)
	return r.session.stream.Close()
}

// killedWait is how long a program that was killed may take to end.
const killedWait = 5 * time.Second

// stop asks the program to end, and kills it when ctx ends before.
func (r *running) stop(ctx context.Context) error {
	select {
	case <-r.ended:
		return nil
	default:
	}
	asked := r.host.signal(ctx, "kill -TERM", r.pid)
	select {
	case <-r.ended:
		return nil
	case <-ctx.Done():
	}
	err := errors.Join(fmt.Errorf("%s: %s did not end when asked, and was killed", r.host.name, r.what), asked, r.host.signal(ctx, killTree, r.pid))
	select {
	case <-r.ended:
	case <-time.After(killedWait):
	}
	return err
}

// signal has a line of shell end a process, also when ctx has ended.
func (h *Host) signal(ctx context.Context, line string, pid int) error {
	_, err := h.quick(context.WithoutCancel(ctx), fmt.Sprintf("(%s %d) 2>/dev/null", line, pid))
	return err
}

// programs are those that run at a host. Commands do not keep them waiting.
type programs struct {
	mu     sync.Mutex
	all    []*session
	closed bool
}

// add adds one, unless the host is closed.
func (p *programs) add(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.all = append(p.all, s)
	}
	return !p.closed
}

func (p *programs) remove(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = slices.DeleteFunc(p.all, func(o *session) bool { return o == s })
}

// close ends the streams of all of them at once.
func (p *programs) close() error {
	p.mu.Lock()
	all := p.all
	p.all, p.closed = nil, true
	p.mu.Unlock()
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i, s := range all {
		group.Go(func() { errs[i] = s.stream.Close() })
	}
	group.Wait()
	return errors.Join(errs...)
}
