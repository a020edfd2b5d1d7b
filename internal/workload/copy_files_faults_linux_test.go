package workload

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"weir"
	"weir/internal/testenv"
)

// copyings are how programs move files whose server has no children.
var copyings = map[string]copying{"http": byHTTP, "sftp": bySFTP, "rsync": byRsync, "pipe": byPipe}

// created is a job with its files; they go with the test.
func created(t *testing.T, p Path, trial weir.Trial) (*job, *files) {
	t.Helper()
	jobs := p.jobs(trial)
	f, err := jobs[0].createFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return jobs[0], f
}

// ready is a job with its files and a server that is up; all of it goes with
// the test.
func ready(t *testing.T, p Path, trial weir.Trial) *copier {
	t.Helper()
	_, f := created(t, p, trial)
	how, ok := copyings[trial.Transfer.Program]
	if !ok {
		how = servers[trial.Transfer.Program]
	}
	c, err := how.ready(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.end(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestCopierWrongPassword(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "curl", "ssh", "sshd", "sftp", "rsync", "tar", "zstd")
	p := joined(t)
	wrong := func(c *copier) { c.password = "wrong" }
	another := func(c *copier) {
		at(t, c.job.clientEnd(), "rm", c.keys+"/key")
		at(t, c.job.clientEnd(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", c.keys+"/key")
	}
	for name, c := range map[string]struct {
		spoil func(*copier)
		want  string
	}{
		"http":  {wrong, "wrong user or password"},
		"sftp":  {another, "Permission denied (publickey)"},
		"rsync": {wrong, "auth failed on module files"},
		"pipe":  {another, "Permission denied (publickey)"},
	} {
		t.Run(name, func(t *testing.T) {
			ready := ready(t, p, threeFiles(name, ""))
			c.spoil(ready)
			if _, err := ready.move(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
	t.Run("another server", func(t *testing.T) {
		c := ready(t, p, threeFiles("sftp", ""))
		at(t, c.job.clientEnd(), "sh", "-c", `sed -i "s|^\(\S*\) .*|\1 $(cut -d' ' -f1,2 "$0"/key.pub)|" "$0"/known`, c.keys)
		if _, err := c.move(t.Context()); err == nil || !strings.Contains(err.Error(), "Host key verification failed") {
			t.Errorf("got %v: the client trusts another server", err)
		}
	})
}

func TestCopierPortInUse(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "ssh", "sshd", "sftp", "rsync")
	p := joined(t)
	for _, name := range []string{"sftp", "rsync"} {
		t.Run(name, func(t *testing.T) {
			ready(t, p, threeFiles(name, ""))
			_, f := created(t, p, threeFiles(name, ""))
			if _, err := copyings[name].ready(t.Context(), f); err == nil || !strings.Contains(err.Error(), "in use") {
				t.Errorf("got %v, want that the address is in use", err)
			}
		})
	}
}

// slow holds the link from one end at 100 kB/s until the test ends: three files take a
// minute, and are not through before something happens to them.
func slow(t *testing.T, e End) {
	t.Helper()
	at(t, e, "tc", "qdisc", "replace", "dev", e.Port, "root", "tbf", "rate", "100000bps", "burst", "20000", "limit", "50000")
	t.Cleanup(func() {
		if _, err := e.Host.Run(context.Background(), "", "tc", "qdisc", "del", "dev", e.Port, "root"); err != nil {
			t.Error(err)
		}
	})
}

// some is more than the greetings of a transfer, in octets.
const some = 60_000

func TestCopierKilled(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "curl", "ssh", "sshd", "sftp", "rsync", "tar", "zstd", "tc")
	p := joined(t)
	for i := range p.Ends {
		slow(t, p.Ends[i])
	}
	for name := range copyings {
		for _, server := range []weir.Side{weir.Destination, weir.Source} {
			t.Run(name+" at the "+string(server), func(t *testing.T) {
				if server == weir.Source {
					testenv.Long(t)
				}
				c := ready(t, p, threeFiles(name, server))
				moving := begin(func() (weir.Transferred, error) { return c.move(t.Context()) })
				moving.awaitOctets(t, c.job.destination, some)
				at(t, c.job.serverEnd(), "kill", "-KILL", strconv.Itoa(c.PID()))
				if _, err := moving.end(); err == nil || !strings.Contains(err.Error(), "ended") || !strings.Contains(err.Error(), "killed") {
					t.Errorf("got %v, want that the server was killed", err)
				}
			})
		}
	}
}

func TestCopierLinkDown(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "ssh", "sshd", "tar", "zstd", "tc", "ip")
	p := joined(t)
	slow(t, p.Ends[0])
	moving := begin(func() (weir.Transferred, error) { return p.Run(t.Context(), threeFiles("pipe", "")) })
	moving.awaitOctets(t, p.Ends[1], some)
	at(t, p.Ends[1], "ip", "link", "set", p.Ends[1].Port, "down")
	if found, err := moving.end(); err != nil || !strings.HasPrefix(found.Failed, "nothing arrived at dut for 5s: the link of") {
		t.Errorf("it ended with %q, %v", found.Failed, err)
	}
}

// Each end sees a file system of its own here, which is gone with the test.
func TestCopierDestinationFull(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "curl", "ssh", "sshd", "sftp", "rsync", "tar", "zstd")
	p := joined(t)
	to := p.Ends[1]
	at(t, to, "mount", "-t", "tmpfs", "-o", "size=90m", "weir", to.Folders[weir.Memory])
	for name := range copyings {
		for _, server := range []weir.Side{weir.Destination, weir.Source} {
			t.Run(name+" at the "+string(server), func(t *testing.T) {
				if server == weir.Source {
					testenv.Long(t)
				}
				c := ready(t, p, threeFiles(name, server))
				// All that is there but 3 MB.
				filler := to.Folders[weir.Memory] + "/filler"
				at(t, to, "sh", "-c", `fallocate -l $(($(stat -f -c '%a * %S' "$1") - 3000000)) "$0"`, filler, to.Folders[weir.Memory])
				_, err := c.move(t.Context())
				at(t, to, "rm", filler)
				if err == nil || !strings.Contains(err.Error(), "is full") && !strings.Contains(strings.ToLower(err.Error()), "no space left") {
					t.Errorf("got %v, want that there is no room", err)
				}
			})
		}
	}
}

func TestCopierToolMissing(t *testing.T) {
	p := joined(t)
	bare := t.TempDir()
	at(t, p.Ends[0], "sh", "-c", `ln -s "$(command -v sh)" "$(command -v tar)" "$(command -v bash)" "$0"`, bare)
	t.Setenv("PATH", bare)
	for name, want := range map[string]string{"http": "curl", "rsync": "rsync", "sftp": "openssh-", "pipe": "zstd"} {
		_, err := p.Run(t.Context(), threeFiles(name, ""))
		var missing *weir.UnsupportedError
		if !errors.As(err, &missing) || !strings.HasPrefix(missing.Remedy, "install the package "+want) {
			t.Errorf("%s: got %v, want the name of the package", name, err)
		}
	}
}

// What was started is stopped, and what was made is removed, when nobody waits
// for the end any more.
func TestCopierInterrupted(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "curl", "ssh", "sshd", "sftp", "rsync", "tar", "zstd", "tc", "pgrep")
	p := joined(t)
	slow(t, p.Ends[0])
	for name := range copyings {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			moving := begin(func() (weir.Transferred, error) { return p.Run(ctx, threeFiles(name, "")) })
			moving.awaitOctets(t, p.Ends[1], some)
			interrupt()
			if _, err := moving.end(); !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
			for _, e := range p.Ends {
				if left, err := e.Host.Run(t.Context(), "", "pgrep", "-a", "-f", e.Folders[weir.Memory]); err == nil {
					t.Errorf("left running: %s", left)
				}
			}
		})
	}
}
