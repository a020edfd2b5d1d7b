package workload

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

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

// slow holds the link from one end at a rate, in octets/s, until the test ends.
func slow(t *testing.T, e End, rate string) {
	t.Helper()
	at(t, e, "tc", "qdisc", "replace", "dev", e.Port, "root", "tbf", "rate", rate+"bps", "burst", "20000", "limit", "200000")
	t.Cleanup(func() {
		if _, err := e.Host.Run(context.Background(), "", "tc", "qdisc", "del", "dev", e.Port, "root"); err != nil {
			t.Error(err)
		}
	})
}

// received waits until some octets have arrived at an end.
func received(t *testing.T, e End, some uint64) {
	t.Helper()
	first, err := portOctets(t.Context(), e)
	for now := first; err == nil && now.in < first.in+some; now, err = portOctets(t.Context(), e) {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCopierKilled(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "curl", "ssh", "sshd", "sftp", "rsync", "tar", "zstd", "tc")
	p := joined(t)
	for i := range p.Ends {
		slow(t, p.Ends[i], "1000000")
	}
	for name := range copyings {
		for _, server := range []weir.Side{weir.Destination, weir.Source} {
			t.Run(name+" at the "+string(server), func(t *testing.T) {
				c := ready(t, p, threeFiles(name, server))
				moved := make(chan error, 1)
				go func() {
					_, err := c.move(t.Context())
					moved <- err
				}()
				received(t, c.job.destination, 200_000)
				at(t, c.job.serverEnd(), "kill", "-KILL", strconv.Itoa(c.PID()))
				select {
				case err := <-moved:
					if err == nil || !strings.Contains(err.Error(), "ended") || !strings.Contains(err.Error(), "killed") {
						t.Errorf("got %v, want that the server was killed", err)
					}
				case <-time.After(10 * time.Second):
					t.Error("it goes on without a server")
				}
			})
		}
	}
}

func TestCopierLinkDown(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "ssh", "sshd", "tar", "zstd", "tc", "ip")
	p := joined(t)
	slow(t, p.Ends[0], "1000000")
	got := make(chan weir.Transferred, 1)
	go func() {
		found, err := p.Run(t.Context(), threeFiles("pipe", ""))
		if err != nil {
			found.Failed = "error: " + err.Error()
		}
		got <- found
	}()
	received(t, p.Ends[1], 300_000)
	at(t, p.Ends[1], "ip", "link", "set", p.Ends[1].Port, "down")
	select {
	case found := <-got:
		if !strings.HasPrefix(found.Failed, "nothing arrived at dut for 5s: the link of") {
			t.Errorf("it ended with %q", found.Failed)
		}
	case <-time.After(12 * time.Second):
		t.Fatal("it goes on without a link")
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
	slow(t, p.Ends[0], "1000000")
	for name := range copyings {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := p.Run(ctx, threeFiles(name, ""))
				ended <- err
			}()
			received(t, p.Ends[1], 200_000)
			interrupt()
			select {
			case err := <-ended:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("it ended with %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("it goes on")
			}
			for _, e := range p.Ends {
				if left, err := e.Host.Run(t.Context(), "", "pgrep", "-a", "-f", e.Folders[weir.Memory]); err == nil {
					t.Errorf("left running: %s", left)
				}
			}
		})
	}
}
