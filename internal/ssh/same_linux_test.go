package ssh

import (
	"os"
	"path/filepath"
	"testing"

	"weir/internal/testenv"
)

// Names are those of one server where OpenSSH's configuration leads them to one address and
// port by one way.
func TestSame(t *testing.T) {
	testenv.NeedTool(t, "ssh")
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("Host r1 alias\nHostName 192.0.2.1\nHost behind\nHostName 192.0.2.1\nProxyJump gate\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Program, "ssh -F "+config)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"ssh://root@r1", "ssh://root@r1", true},
		{"ssh://root@r1", "ssh://admin@alias", true},
		{"ssh://root@r1", "ssh://192.0.2.1:22", true},
		{"ssh://root@r1", "ssh://root@192.0.2.2", false},
		{"ssh://root@r1", "ssh://root@r1:2222", false},
		{"ssh://root@r1", "ssh://root@behind", false}, // another machine may have that address there
	} {
		if got := Same(t.Context(), c.a, c.b); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
	t.Setenv(Program, "no-such-ssh")
	if Same(t.Context(), "ssh://r1", "ssh://alias") {
		t.Error("without OpenSSH two names are the same")
	}
}
