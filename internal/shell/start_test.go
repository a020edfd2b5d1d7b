package shell

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// A program has its streams as they are, beside commands, and its end is known with what
// it said last.
func TestStart(t *testing.T) {
	h := opened(t, "echo Welcome")
	p, err := h.Start(t.Context(), weir.Program{
		Argv: []string{"sh", "-c", `echo "$A $(pwd)"; cat; echo "it's" bad >&2; printf x; exit 3`},
		Env:  []string{"A=a 'b'"}, Dir: "/usr"})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := h.Run(t.Context(), "", "echo", "beside"); out != "beside\n" || err != nil {
		t.Errorf("a command beside it: %q, %v", out, err)
	}
	if err := syscall.Kill(p.PID, 0); err != nil {
		t.Errorf("process %d: %v", p.PID, err)
	}
	octets := strings.Repeat("\x00\xff\n", 100_000)
	go func() {
		_, _ = io.WriteString(p.Stdin, octets)
		p.Stdin.Close()
	}()
	all, err := io.ReadAll(p.Stdout)
	if want := "a 'b' /usr\n" + octets + "x"; string(all) != want || err != nil {
		t.Errorf("%d octets, %v; want %d", len(all), err, len(want))
	}
	if err := p.Wait(); err == nil || !strings.Contains(err.Error(), "exit status 3: it's bad") {
		t.Error(err)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("stop one that has ended: %v", err)
	}
}

// A program that ends well is no error, one that is not there is, and one that was killed
// says so.
func TestEnds(t *testing.T) {
	h := opened(t, "")
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"true"}, ""},
		{[]string{"no-such-program"}, "no-such-program"},
		{[]string{"sh", "-c", "kill -9 $$"}, "signal 9"},
	} {
		p, err := h.Start(t.Context(), weir.Program{Argv: c.argv})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, p.Stdout)
		if err := p.Wait(); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.argv, err, c.want)
		}
	}
	for _, p := range []weir.Program{{}, {Argv: []string{"a\x00"}}} {
		if _, err := h.Start(t.Context(), p); err == nil {
			t.Errorf("%q was started", p.Argv)
		}
	}
}

// A program ends when it is asked to, one that does not is killed, and one that reads ends
// with the host.
func TestStop(t *testing.T) {
	h := opened(t, "")
	p, err := h.Start(t.Context(), weir.Program{Argv: []string{"sleep", "100"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	p, err = h.Start(t.Context(), weir.Program{Argv: []string{"sh", "-c", "trap '' TERM; echo on; while :; do sleep 0.1; done"}})
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(p.Stdout).ReadString('\n'); line != "on\n" {
		t.Errorf("%q, %v", line, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := p.Stop(ctx); err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Error(err)
	}
	mark := filepath.Join(t.TempDir(), "ended")
	if _, err = h.Start(t.Context(), weir.Program{Argv: []string{"sh", "-c", "cat; echo > " + mark}}); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	testenv.Await(t, "a program that reads ends with its host", func() bool {
		_, err := os.Stat(mark)
		return err == nil
	})
	if _, err := h.Start(t.Context(), weir.Program{Argv: []string{"true"}}); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("started at a host that is closed: %v", err)
	}
}

// A program that starts others takes them with it, however it ends: by itself, asked, killed
// as it does not listen, and with the host.
func TestFamily(t *testing.T) {
	for name, c := range map[string]struct {
		first, then string
		end         func(*Host, *weir.Process) error
		want        string // what the error says; "": there is none
	}{
		"by itself": {"", "true", func(_ *Host, p *weir.Process) error { return p.Wait() }, ""},
		"badly":     {"", "echo bad >&2; exit 3", func(_ *Host, p *weir.Process) error { return p.Wait() }, "exit status 3: bad"},
		"asked":     {"", "wait", func(_ *Host, p *weir.Process) error { return p.Stop(t.Context()) }, ""},
		"killed": {"trap '' TERM", "while :; do sleep 0.1; done", func(_ *Host, p *weir.Process) error {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			return p.Stop(ctx)
		}, "was killed"},
		"with the host": {"trap '' TERM", "while :; do sleep 0.1; done", func(h *Host, _ *weir.Process) error { return h.Close() }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := opened(t, "")
			p, err := h.Start(t.Context(), weir.Program{Family: true, Argv: []string{"sh", "-c", c.first + "\n(trap '' TERM; exec sleep 1d) & echo $!\n" + c.then}})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Stdin.Close(); err != nil { // it has none, and lives on
				t.Error(err)
			}
			line, err := bufio.NewReader(p.Stdout).ReadString('\n')
			child, wrong := strconv.Atoi(strings.TrimSpace(line))
			if err != nil || wrong != nil {
				t.Fatal(err, wrong)
			}
			if err := c.end(h, p); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			testenv.Await(t, "a program and its child end", func() bool { return !alive(child) && !alive(p.PID) })
		})
	}
}

// endless is the output of a stream that does not end with what says something there, as
// that of a port of a virtual machine.
type endless struct {
	io.Reader
	closed chan struct{}
}

func (e endless) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if err != nil {
		<-e.closed
	}
	return n, err
}

// A program that starts others gives its stream back when it has ended, also where that does
// not end by itself.
func TestFamilyHangsUp(t *testing.T) {
	closed := make(chan struct{})
	h, err := New(t.Context(), "here", local(""))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.dial = func(ctx context.Context) (Stream, error) {
		s, err := local("")(ctx)
		end := s.Close
		s.Out = endless{s.Out, closed}
		s.Close = sync.OnceValue(func() error {
			close(closed)
			return end()
		})
		return s, err
	}
	p, err := h.Start(t.Context(), weir.Program{Family: true, Argv: []string{"echo", "said"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	if said, err := io.ReadAll(p.Stdout); string(said) != "said\n" {
		t.Errorf("%q, %v", said, err)
	}
	<-closed // its stream is given back
}

// alive says whether there is a process that is not a dead one that nobody waits for.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
