package ssh

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"weir/internal/shell"
)

// endLimit is how long ssh(1) has for ending.
const endLimit = 3 * time.Second

// advice is what to do about what OpenSSH says. What is final does not change by waiting.
var advice = []struct {
	said, meaning string
	final         bool
}{
	{"REMOTE HOST IDENTIFICATION HAS CHANGED", "its host key is another one than before: find out why; where that is meant, ssh-keygen -R removes the old one", true},
	{"Host key verification failed", "its host key is not known: log in once with ssh, and compare it", true},
	{"Permission denied", "it lets nobody in with the keys that there are, and weir asks for no password: ssh-add, ssh-copy-id, or sudo --preserve-env=SSH_AUTH_SOCK where weir runs through sudo", true},
	{"Could not resolve hostname", "there is no such name: write it as ssh knows it, ssh://user@name:port", true},
	{"Connection refused", "no SSH server listens there", false},
	{"timed out", "it does not answer", false},
	{"No route to host", "no way leads there", false},
}

// explain is why a connection has ended.
func (d *dialer) explain(text string) error {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, found := strings.CutPrefix(line, noRoot+" "); found {
			return &shell.FinalError{Err: fmt.Errorf("%s: the user %s is not root there, and neither sudo nor doas makes it root without a password: allow that (sudoers: %s ALL=(root) NOPASSWD: ALL), or log in as root", d.host, name, name)}
		}
		if line != "" && !shell.Own(line) {
			lines = append(lines, line)
		}
	}
	last := strings.Join(lines[max(0, len(lines)-2):], "; ")
	for _, a := range advice {
		if strings.Contains(text, a.said) {
			err := fmt.Errorf("%s: %s (ssh: %s)", d.host, a.meaning, last)
			if a.final {
				return &shell.FinalError{Err: err}
			}
			return err
		}
	}
	if last == "" {
		return fmt.Errorf("%s: %w", d.host, errEnded)
	}
	return fmt.Errorf("%s: %w (ssh: %s)", d.host, errEnded, last)
}

var errEnded = errors.New("the connection has ended")
