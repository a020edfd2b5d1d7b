package ssh

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"weir/internal/shell"
	"weir/internal/tail"
)

// endLimit is how long ssh(1) has for ending.
const endLimit = 3 * time.Second

// advice is what to do about what OpenSSH says, by lines as it writes them: what runs at the
// host has words like these. What is final does not change by waiting.
var advice = []struct {
	said    *regexp.Regexp
	meaning string
	final   bool
}{
	{regexp.MustCompile(`^@ .*REMOTE HOST IDENTIFICATION HAS CHANGED`), "its host key is another one than before: find out why; where that is meant, ssh-keygen -R removes the old one", true},
	{regexp.MustCompile(`^Host key verification failed`), "its host key is not known: log in once with ssh, and compare it", true},
	{regexp.MustCompile(`Permission denied \(`), "it lets nobody in with the keys that there are, and weir asks for no password: ssh-add, ssh-copy-id, or sudo --preserve-env=SSH_AUTH_SOCK where weir runs through sudo", true},
	{regexp.MustCompile(`^ssh: Could not resolve hostname`), "there is no such name: write it as ssh knows it, ssh://user@name:port", true},
	{regexp.MustCompile(connecting + `.*Connection refused`), "no SSH server listens there", false},
	{regexp.MustCompile(connecting + `.*timed out`), "it does not answer", false},
	{regexp.MustCompile(connecting + `.*No route to host`), "no way leads there", false},
}

// connecting is how OpenSSH begins to say that it cannot connect, directly, by a jump host,
// and where nobody says hello.
const connecting = `^(?:ssh: connect to host|channel \d+: open failed: connect failed:|Connection )`

// heard is what came on the standard error of ssh(1).
type heard struct {
	tail.Tail
	begun atomic.Bool // the host's shell has answered: what comes is of what runs there
}

// Write keeps the end of what came.
func (h *heard) Write(p []byte) (int, error) {
	n, err := h.Tail.Write(p)
	if !h.begun.Load() {
		for line := range strings.Lines(h.String()) {
			if shell.Own(line) {
				h.begun.Store(true)
			}
		}
	}
	return n, err
}

// explain is why a connection has ended.
func (d *dialer) explain(h *heard) error {
	var lines []string
	for line := range strings.Lines(h.String()) {
		if line = strings.TrimSpace(line); line != "" && !shell.Own(line) {
			lines = append(lines, line)
		}
	}
	last := strings.Join(lines[max(0, len(lines)-2):], "; ")
	if !h.begun.Load() {
		if err := d.refused(lines, last); err != nil {
			return err
		}
	}
	if last == "" {
		return fmt.Errorf("%s: %w", d.host, errEnded)
	}
	return fmt.Errorf("%s: %w (what came last: %s)", d.host, errEnded, last)
}

// refused is why there is no shell, where what came says that; last are its last lines.
func (d *dialer) refused(lines []string, last string) error {
	for _, line := range lines {
		if name, found := strings.CutPrefix(line, noRoot+" "); found {
			return &shell.FinalError{Err: fmt.Errorf("%s: the user %s is not root there, and neither sudo nor doas makes it root without a password: allow that (sudoers: %s ALL=(root) NOPASSWD: ALL), or log in as root", d.host, name, name)}
		}
	}
	for _, a := range advice {
		if slices.ContainsFunc(lines, a.said.MatchString) {
			err := fmt.Errorf("%s: %s (ssh: %s)", d.host, a.meaning, last)
			if a.final {
				return &shell.FinalError{Err: err}
			}
			return err
		}
	}
	return nil
}

var errEnded = errors.New("the connection has ended")
