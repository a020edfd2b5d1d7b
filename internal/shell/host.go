package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"weir/internal/settings"
)

// Host is the place where a shell is, as a weir.Host. It may be used by several
// goroutines at once: their commands take turns.
type Host struct {
	name string
	dial func(context.Context) (Stream, error)

	mu       sync.Mutex
	commands *session // nil: it is opened when it is needed
	control  *session // for what has to be done while a command runs; nil: likewise
	programs programs // that run beside the commands
	closed   bool
	opened   int             // times
	gone     bool            // it was waited for in vain
	patience context.Context // for a host that is gone; it ends some time after what the host is for
	lock     []string        // the file that says that the host is in use, and what is in it; none: there is none
}

// New is the host of a name, whose shells dial opens. The first is opened at once. When ctx
// ends, so does what the host is for: it may still be used, but is not waited for long.
func New(ctx context.Context, name string, dial func(context.Context) (Stream, error)) (*Host, error) {
	h := &Host{name: name, dial: dial}
	patience, lose := context.WithCancelCause(context.Background())
	h.patience = patience
	context.AfterFunc(ctx, func() {
		time.AfterFunc(endingWait, func() { lose(fmt.Errorf("%s is gone, and weir is ending", name)) })
	})
	var err error
	h.commands, err = h.session(ctx)
	h.opened = 1
	return h, err
}

// Name is that which it was given.
func (h *Host) Name() string { return h.name }

// Close ends its programs and shells.
func (h *Host) Close() error {
	programs := h.programs.close()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	return errors.Join(programs, h.commands.close(), h.control.close())
}

// session opens a shell.
func (h *Host) session(ctx context.Context) (*session, error) {
	s, err := h.dial(ctx)
	if err != nil {
		return nil, err
	}
	n, err := newSession(ctx, s)
	return n, err
}

// How long a host that is gone is waited for: one that starts anew takes minutes.
const (
	backLimit = 2 * time.Minute
	backEach  = time.Second
	// endingWait is how long it is waited for all in all when weir is ending.
	endingWait = 15 * time.Second
)

// FinalError is why there is no shell, where trying again would not help.
type FinalError struct{ Err error }

func (e *FinalError) Error() string { return e.Err.Error() }
func (e *FinalError) Unwrap() error { return e.Err }

// again opens a shell where the last one has ended, as soon as the host is back. Once it
// was waited for in vain, it is tried once each time.
func (h *Host) again(ctx context.Context) (err error) {
	if h.patience.Err() != nil {
		return context.Cause(h.patience)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(h.patience, func() { cancel(context.Cause(h.patience)) })()
	for end := time.Now().Add(backLimit); ; {
		if h.commands, err = h.session(ctx); err == nil {
			if err = h.take(ctx); err == nil {
				h.opened, h.gone = h.opened+1, false
				return nil
			}
			err = errors.Join(err, h.commands.close())
			h.commands = nil
		}
		var final *FinalError
		if h.gone || ctx.Err() != nil || errors.As(err, &final) || time.Now().After(end) {
			h.gone = true
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(backEach):
		}
	}
}

// Opened is how often its shell was opened: what belongs to the time before the last one
// may be gone, as when the host has started anew.
func (h *Host) Opened() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opened
}

// quickLimit is how long reading and writing files may take: a host that takes longer
// is gone.
const quickLimit = 30 * time.Second

// turn has the shell run a line, and opens one anew where the last has ended.
func (h *Host) turn(ctx context.Context, r request) (said, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return said{}, fmt.Errorf("%s: it is closed", h.name)
	}
	if ctx.Err() != nil {
		return said{}, context.Cause(ctx)
	}
	if h.commands == nil {
		if err := h.again(ctx); err != nil {
			return said{}, err
		}
	}
	s, err := h.commands.turn(ctx, r)
	if h.commands.over {
		h.commands = nil
	}
	return s, err
}

// quick runs a line that takes no time, and may be run twice. It is not interrupted.
func (h *Host) quick(ctx context.Context, line string) (said, error) {
	if ctx.Err() != nil {
		return said{}, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), backLimit+quickLimit, fmt.Errorf("%s did not answer within %v", h.name, backLimit+quickLimit))
	defer cancel()
	s, err := h.turn(ctx, request{line: line})
	if err != nil && ctx.Err() == nil {
		s, err = h.turn(ctx, request{line: line}) // the connection was lost: it may come back
	}
	return s, err
}

// Run runs a command. When ctx ends, it is killed with all that it has started, and where
// ctx has no limit by that of weir's own commands, which is longer for one that reads more.
func (h *Host) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	if slices.ContainsFunc(append([]string{stdin}, argv...), func(w string) bool { return strings.ContainsRune(w, 0) }) {
		return "", fmt.Errorf("%s: %s: no shell takes an octet of zeros", h.name, argv[0])
	}
	ctx, cancel := settings.Limited(ctx, stdin)
	defer cancel()
	s, err := h.turn(ctx, request{line: line(stdin, argv), kill: h.kill})
	if err == nil && s.status != 0 {
		err = fmt.Errorf("exit status %d", s.status)
		if text := strings.TrimSpace(s.err); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: %s: %w", h.name, strings.Join(argv, " "), err)
	}
	return s.out, err
}

// mostWord is how many octets a command's input has in a word of printf(1), which in some
// shells is a program: that of OpenBSD, for one. A kernel bounds the words of a program.
const mostWord = 64 << 10

// line is a command as a line of shell. What runs it first says its process ID.
func line(stdin string, argv []string) string {
	var b strings.Builder
	if stdin != "" {
		b.WriteString("{")
		for piece := range slices.Chunk([]byte(stdin), mostWord) {
			fmt.Fprintf(&b, " printf %%s %s;", settings.Quoted(string(piece)))
		}
		b.WriteString(" } | ")
	}
	b.WriteString(`sh -c 'echo "$0 $$"; exec "$@"' ` + processMark)
	for _, w := range argv {
		b.WriteString(" " + settings.Quoted(w))
	}
	if stdin == "" {
		b.WriteString(" </dev/null")
	}
	return b.String()
}

// killTree ends a process and those that it has started, also those that they have. Each
// is stopped before its children are looked for: it starts no more of them, and does not
// go on with what comes after a child that was killed. One that is starting a child at
// that moment stops when that is there, so it is looked at again until it has stopped.
const killTree = `weir_stop() {
	kill -STOP "$1" || return
	for weir_try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		case $(ps -A -o pid= -o stat= | awk -v p="$1" '$1 == p { print $2 }') in
		T* | Z* | "") return ;;
		esac
		if [ "$weir_try" -gt 5 ]; then sleep 1; fi
	done
}
weir_kill() {
	weir_stop "$1"
	for weir_child in $(ps -A -o pid= -o ppid= | awk -v p="$1" '$2 == p { print $1 }'); do weir_kill "$weir_child"; done
	kill -KILL "$1"
}
weir_kill `

// kill ends a command that runs, from another shell.
func (h *Host) kill(process string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), quickLimit)
	defer cancel()
	if h.control == nil {
		if h.control, err = h.session(ctx); err != nil {
			return err
		}
	}
	_, err = h.control.turn(ctx, request{line: "(" + killTree + settings.Quoted(process) + ")"})
	if h.control.over {
		h.control = nil
	}
	return err
}

// absent is how a line says that a file is not there.
const absent = 66

// ReadFile reads a file. One that is not there is fs.ErrNotExist.
func (h *Host) ReadFile(ctx context.Context, path string) (string, error) {
	file := settings.Quoted(path)
	return h.file(ctx, "read", path, fmt.Sprintf("if [ -e %s ]; then cat %s; else (exit %d); fi", file, file, absent))
}

// WriteFile writes a file that is there, as those of the kernel are.
func (h *Host) WriteFile(ctx context.Context, path, data string) error {
	file := settings.Quoted(path)
	_, err := h.file(ctx, "write", path, fmt.Sprintf("if [ -e %s ]; then printf %%s %s >%s; else (exit %d); fi", file, settings.Quoted(data), file, absent))
	return err
}

func (h *Host) file(ctx context.Context, do, path, line string) (string, error) {
	s, err := h.quick(ctx, line)
	switch {
	case err != nil:
	case s.status == absent:
		err = fs.ErrNotExist
	case s.status != 0:
		err = errors.New(lastLines(s.err, 2))
	}
	if err != nil {
		err = fmt.Errorf("%s: %s %s: %w", h.name, do, path, err)
	}
	return s.out, err
}

// ReadFiles reads many small files of text in one turn, by one program. What is not
// there, or empty, is left out.
func (h *Host) ReadFiles(ctx context.Context, paths []string) (map[string]string, error) {
	s, err := h.quick(ctx, readLine(paths))
	if err != nil {
		return nil, fmt.Errorf("%s: read %d files: %w", h.name, len(paths), err)
	}
	return byFile(s.out, paths), nil
}

// byFile takes apart what grep says of files: their names before each line.
func byFile(text string, paths []string) map[string]string {
	longest := slices.SortedFunc(slices.Values(paths), func(a, b string) int { return len(b) - len(a) })
	lines := make(map[string]*strings.Builder)
	for line := range strings.Lines(text) {
		i := slices.IndexFunc(longest, func(p string) bool { return strings.HasPrefix(line, p+":") })
		if i < 0 {
			continue
		}
		p := longest[i]
		if lines[p] == nil {
			lines[p] = &strings.Builder{}
		}
		lines[p].WriteString(strings.TrimPrefix(line, p+":"))
	}
	out := make(map[string]string, len(lines))
	for p, b := range lines {
		out[p] = b.String()
	}
	return out
}
