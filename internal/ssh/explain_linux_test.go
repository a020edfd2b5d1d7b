package ssh

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir/internal/shell"
)

// What ssh says is explained, while there is no shell: what a login says, or what runs at the
// host, is none of its words.
func TestExplain(t *testing.T) {
	const mark = "\nweir-turn-ABC-1\n"
	for _, c := range []struct {
		said, want string
		final      bool
	}{
		{"root@r1: Permission denied (publickey,password).\n", "lets nobody in", true},
		{"Authorised use only.\r\nroot@r1: Permission denied (publickey).\r\n", "lets nobody in", true},
		{"@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@\nHost key verification failed.\n", "another one than before", true},
		{"No ED25519 host key is known for r1 and you have requested strict checking.\nHost key verification failed.\n", "is not known", true},
		{"ssh: Could not resolve hostname r1: Name or service not known\n", "no such name", true},
		{"ssh: connect to host r1 port 22: Connection refused\n", "no SSH server", false},
		{"ssh: connect to host r1 port 22: Connection timed out\n", "does not answer", false},
		{"Connection timed out during banner exchange\nConnection to 192.0.2.1 port 22 timed out\n", "does not answer", false},
		{"channel 0: open failed: connect failed: No route to host\nstdio forwarding failed\n", "no way leads", false},
		{"weir-no-root nobody\n", "the user nobody is not root there", true},
		{"bash: /etc/profile.d/x.sh: Permission denied\n", "has ended (what came last: bash", false},
		{"ping: 192.0.2.1: No route to host\ncurl: (28) Operation timed out\n", "has ended (what came last: ping", false},
		{mark + "git@example: Permission denied (publickey).\n", "has ended (what came last: git@", false},
		{mark + "ssh: connect to host r9 port 22: Connection refused\n" + mark, "has ended", false},
		{mark + "weir-no-root nobody\n", "has ended", false},
		{strings.Repeat("x\n", 9000) + mark + strings.Repeat("x\n", 9000) + "root@r1: Permission denied (publickey).\n", "has ended", false},
		{"", "the connection has ended", false},
	} {
		h := &heard{}
		for piece := c.said; piece != ""; { // as it may come
			n := min(7, len(piece))
			_, _ = h.Write([]byte(piece[:n]))
			piece = piece[n:]
		}
		err := (&dialer{host: "ssh://r1"}).explain(h)
		var final *shell.FinalError
		if got := errors.As(err, &final); !strings.Contains(err.Error(), c.want) || got != c.final {
			t.Errorf("%.60q: final %v: %v, want %v: %q", c.said, got, err, c.final, c.want)
		}
	}
}

// A connection that is cut when what runs at the host has said that something is denied is
// opened again, also where the login says so each time, and is cut in the middle of that.
func TestCutAfterDenied(t *testing.T) {
	folder := t.TempDir()
	client := filepath.Join(folder, "client")
	script := `#!/bin/sh
echo 'bash: /root/.motd: Permission denied' >&2
n=$(cat ` + folder + `/times 2>/dev/null || echo 0)
echo $((n + 1)) >` + folder + `/times
[ $n != 1 ] || exit 255
exec sh
`
	if err := os.WriteFile(client, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Program, client)
	h, err := Dial(t.Context(), "ssh://r1", folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	_, err = h.Run(t.Context(), "", "sh", "-c", "echo 'git@example: Permission denied (publickey).' >&2; kill -9 $PPID")
	if err == nil || strings.Contains(err.Error(), "lets nobody in") || !strings.Contains(err.Error(), "the connection has ended") {
		t.Error(err)
	}
	if said, err := h.Run(t.Context(), "", "echo", "back"); err != nil || said != "back\n" {
		t.Errorf("%q, %v", said, err)
	}
}
