package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// asking is the environment variable that makes TestPromptAtTerminal the program that
// asks.
const asking = "WEIR_TEST_ASKS"

// Whoever sits at a terminal sees the question there where standard error goes elsewhere,
// also when standard input can only be read. Without a terminal that can be written to
// nobody is asked.
func TestPromptAtTerminal(t *testing.T) {
	if os.Getenv(asking) != "" {
		prompt := (&progress{out: io.Discard, asks: os.Stderr}).prompt(os.Stdin)
		if prompt == nil {
			fmt.Fprintln(os.Stderr, "nobody")
			return
		}
		fmt.Fprintln(os.Stderr, "answered:", prompt(context.Background(), "Do it:"))
		return
	}
	for _, c := range []struct {
		name string
		owns bool // whether the terminal is the program's own, which /dev/tty is
		want string
	}{
		{"its own", true, "Do it: answered: <nil>\n"},
		{"another's", false, "nobody\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			person, terminal := openTerminal(t)
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPromptAtTerminal$")
			cmd.Env = append(os.Environ(), asking+"=1")
			var said strings.Builder
			cmd.Stdin, cmd.Stderr = terminal, &said
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: c.owns}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.owns {
				if seen, err := bufio.NewReader(person).ReadString(':'); seen != "Do it:" {
					t.Errorf("at the terminal stands %q: %v", seen, err)
				}
				fmt.Fprintln(person)
			}
			if err := cmd.Wait(); err != nil || said.String() != c.want {
				t.Errorf("%v, and it says %q, want %q", err, said.String(), c.want)
			}
		})
	}
}

// openTerminal is a terminal that can only be read, and the end of who sits at it.
func openTerminal(t *testing.T) (person, terminal *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	conn, err := person.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	var wrong error
	err = conn.Control(func(fd uintptr) {
		if wrong = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); wrong == nil {
			number, wrong = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err := errors.Join(err, wrong); err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDONLY|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return person, terminal
}
