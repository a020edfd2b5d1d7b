package shell

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"weir"
	"weir/internal/tail"
)

// Stream is a shell that waits for commands.
type Stream struct {
	In       io.WriteCloser
	Out, Err io.Reader
	// Ended says why the stream has ended, once it has, with what was said about that.
	Ended func() error
	// Close ends it, and waits for that.
	Close func() error
}

// mostOutput bounds what a command may say, octets: more is its mistake.
const mostOutput = 64 << 20

var errMuch = fmt.Errorf("a command said more than %d MiB", mostOutput>>20)

// greetingLimit is how long a shell may take to answer first: a login that asks for
// something never does.
const greetingLimit = time.Minute

// session is a shell in which one command runs at a time.
type session struct {
	stream   Stream
	out, err *bufio.Reader
	token    string // begins the lines that are this package's, and no other's
	turns    int
	over     bool // it can be used no more
}

// ownLine begins the lines on a stream that are this package's.
const ownLine = "weir-turn-"

// Own reports whether a line on the standard error of a stream is this package's, and says
// nothing to people.
func Own(line string) bool { return strings.HasPrefix(line, ownLine) }

// newSession begins to talk with a shell. What it said before, a banner or what a
// login prints, is passed over.
func newSession(ctx context.Context, s Stream) (*session, error) {
	n := &session{stream: s, out: bufio.NewReader(s.Out), err: bufio.NewReader(s.Err), token: ownLine + rand.Text()}
	limited, cancel := context.WithTimeoutCause(ctx, greetingLimit, errors.New("no shell answered: a login that asks for something cannot be used"))
	defer cancel()
	greeting, err := n.turn(limited, request{line: "set +e +u +x; LC_ALL=C; export LC_ALL; PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; export PATH"})
	if err == nil {
		return n, nil
	}
	var lost *weir.LostError
	if errors.As(err, &lost) {
		err = lost.Err // no command was under way
	}
	if came := lastLines(greeting.out, 3); came != "" && ctx.Err() == nil {
		err = fmt.Errorf("%w (what came: %s)", err, came)
	}
	return nil, errors.Join(err, n.close())
}

func (n *session) close() error {
	if n == nil || n.over {
		return nil
	}
	n.over = true
	return n.stream.Close()
}

// request is a line of shell.
type request struct {
	line string
	// kill ends the process with which the line begins, which says so in a line of
	// its own (processMark); nil: the line is not interrupted.
	kill func(process string) error
}

// said is what a command said, and how it ended.
type said struct {
	out, err string
	status   int
}

// processMark stands in a line for the beginning of the line that has the process ID.
const processMark = "weir-process"

// killedLimit is how long a command that was killed may take to end.
const killedLimit = 10 * time.Second

// turn runs a line of shell, and waits for its end. When ctx ends first, the command is
// killed; where that cannot be done the session is over, as nobody knows then what is
// still to come.
func (n *session) turn(ctx context.Context, r request) (s said, err error) {
	n.turns++
	mark := n.token + "-" + strconv.Itoa(n.turns)
	text := strings.Replace(r.line, processMark, mark+"-process", 1) +
		fmt.Sprintf("\nprintf '\\n%%s %%d\\n' %s $?; printf '\\n%%s\\n' %s >&2\n", mark, mark)
	began, ended := make(chan string, 1), make(chan struct{})
	var interrupted sync.WaitGroup
	defer interrupted.Wait()
	defer close(ended)
	interrupted.Go(func() { n.interrupt(ctx, r, began, ended) })
	var group sync.WaitGroup
	var outErr, errErr, inErr error
	var status string
	read := func(from *bufio.Reader, begin string) (before, rest string, err error) {
		if before, rest, err = until(from, begin); errors.Is(err, errMuch) {
			n.stream.Close() // the other stream has no end yet
		}
		return before, rest, err
	}
	group.Go(func() { _, inErr = io.WriteString(n.stream.In, text) })
	group.Go(func() {
		if r.kill != nil {
			var process string
			if _, process, outErr = read(n.out, mark+"-process "); outErr != nil {
				return
			}
			began <- process
		}
		s.out, status, outErr = read(n.out, mark+" ")
	})
	group.Go(func() { s.err, _, errErr = read(n.err, mark) })
	group.Wait()
	if err = errors.Join(outErr, errErr, inErr); err == nil {
		s.status, err = strconv.Atoi(status)
	}
	if err != nil {
		err = errors.Join(err, n.close())
		if why := n.stream.Ended(); why != nil && !errors.Is(err, errMuch) { // that is why it was closed
			err = why
		}
		err = &weir.LostError{Err: err}
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return s, err
}

// interrupt kills what runs in a turn when ctx ends before the turn does.
func (n *session) interrupt(ctx context.Context, r request, began <-chan string, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	if r.kill != nil {
		select {
		case process := <-began:
			if r.kill(process) != nil {
				break
			}
			select {
			case <-ended:
				return
			case <-time.After(killedLimit):
			}
		case <-ended:
			return
		case <-time.After(killedLimit):
		}
	}
	n.stream.Close()
}

// until reads up to a line that begins so, and returns what is before that and the
// rest of the line. A line break before it is this package's.
func until(r *bufio.Reader, begin string) (before, rest string, err error) {
	var all bytes.Buffer
	for {
		line, err := r.ReadSlice('\n')
		if own, found := bytes.CutPrefix(line, []byte(begin)); found && err == nil {
			return strings.TrimSuffix(all.String(), "\n"), strings.TrimSpace(string(own)), nil
		}
		all.Write(line)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if all.Len() > mostOutput {
			err = errMuch
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return all.String(), "", err
		}
	}
}

// lastLines are the last n lines of a text that say something, as one.
func lastLines(text string, n int) string { return strings.Join(tail.Last(text, n), "; ") }
