package workload

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"weir"
	"weir/internal/service"
	"weir/internal/testenv"
)

// servers are how programs move files whose server has children of its own.
var servers = map[string]copying{"ftp": byFTP, "smb": bySMB}

func needServers(t *testing.T, more ...string) Path {
	t.Helper()
	testenv.NeedTool(t, append(more, "vsftpd", "curl", "smbd", "smbpasswd", "smbclient")...)
	return joined(t)
}

func TestFTPAndSMB(t *testing.T) {
	t.Parallel()
	p := needServers(t)
	for name, version := range map[string][2]string{"ftp": {"vsftpd ", ", curl "}, "smb": {"smbd ", ", smbclient "}} {
		for _, c := range []struct {
			name   string
			server weir.Side
			set    func(*weir.Trial)
		}{
			{"upload", weir.Destination, func(*weir.Trial) {}},
			{"download over IPv6", weir.Source, func(t *weir.Trial) { t.Traffic.Family = weir.IPv6 }},
			{"download", weir.Source, func(*weir.Trial) {}},
			{"upload to a disk", weir.Destination, func(t *weir.Trial) { t.Transfer.Storage = weir.Disk }},
			{"download to a disk", weir.Source, func(t *weir.Trial) { t.Transfer.Storage = weir.Disk }},
			{"backward", weir.Destination, func(t *weir.Trial) { t.Traffic.Backward = true }},
			{"both ways", weir.Source, func(t *weir.Trial) { t.Traffic.Bidirectional = true }},
			{"upload over IPv6", weir.Destination, func(t *weir.Trial) { t.Traffic.Family = weir.IPv6 }},
		} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				if c.name != "upload" && c.name != "download over IPv6" {
					testenv.Long(t)
				}
				trial := threeFiles(name, c.server)
				c.set(&trial)
				got, err := p.Run(t.Context(), trial)
				if err != nil || got.Failed != "" {
					t.Fatal(err, got.Failed)
				}
				if got.Octets < 6e6 || !got.Verified || got.Took <= 0 || got.Server != c.server {
					t.Errorf("got %d octets in %v, verified: %v, server: %s", got.Octets, got.Took, got.Verified, got.Server)
				}
				sides := 2
				if trial.Traffic.Bidirectional {
					sides = 4
				}
				if len(got.Disks) != sides {
					t.Errorf("the storages are %+v, want those of %d sides", got.Disks, sides)
				}
				for _, v := range version {
					_, number, ok := strings.Cut(got.Version, v)
					if !ok || !strings.ContainsAny(number[:1], "123456789") {
						t.Errorf("the version is %q, want %q and a number", got.Version, v)
					}
				}
			})
		}
	}
}

func TestServerWrongPassword(t *testing.T) {
	t.Parallel()
	p := needServers(t)
	for name, want := range map[string]string{"ftp": "Access denied: 530", "smb": "NT_STATUS_LOGON_FAILURE"} {
		t.Run(name, func(t *testing.T) {
			c := ready(t, p, threeFiles(name, ""))
			right := c.password
			c.password = "wrong"
			if _, err := c.move(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			c.password = right
			if _, err := c.move(t.Context()); err != nil {
				t.Errorf("with the right one: %v", err)
			}
		})
	}
}

// No other user gets to the files of a transfer, and so to a lock on them, which it would wait for.
func TestFilesAreNobodyElses(t *testing.T) {
	t.Parallel()
	p := needServers(t)
	for name, server := range map[string]weir.Side{"ftp": weir.Destination, "smb": weir.Source} {
		t.Run(name, func(t *testing.T) {
			c := ready(t, p, threeFiles(name, server))
			for _, folder := range []string{c.files.from, c.files.to} {
				other := exec.Command("ls", folder)
				other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
				if said, err := other.CombinedOutput(); err == nil || !strings.Contains(string(said), "Permission denied") {
					t.Errorf("user 65534 in %s: %v: %s", folder, err, said)
				}
			}
			if _, err := c.move(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestServerSharesNoPort(t *testing.T) {
	t.Parallel()
	p := needServers(t)
	for name, want := range map[string]string{"ftp": "port 2100 of dut is in use", "smb": "port 4450 of dut is in use"} {
		t.Run(name, func(t *testing.T) {
			ready(t, p, threeFiles(name, ""))
			_, f := created(t, p, threeFiles(name, ""))
			_, err := servers[name].ready(t.Context(), f)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

// A server that cannot start says why in its own words.
func TestServerWillNotStart(t *testing.T) {
	t.Parallel()
	p := needServers(t)
	for name, want := range map[string]string{"ftp": "could not bind", "smb": "No sockets available to bind to"} {
		t.Run(name, func(t *testing.T) {
			j, f := created(t, p, threeFiles(name, ""))
			j.destination.Address = p.Ends[0].Address // which it does not have
			_, err := servers[name].ready(t.Context(), f)
			if err == nil || !strings.Contains(err.Error(), " ended: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want its last lines with %q", err, want)
			}
		})
	}
}

// The children of a server, which do the work, end with it, and the transfer
// says that it was killed.
func TestServerWithChildrenKilled(t *testing.T) {
	t.Parallel()
	p := needServers(t, "tc")
	for i := range p.Ends {
		slow(t, p.Ends[i])
	}
	for name := range servers {
		for _, server := range []weir.Side{weir.Destination, weir.Source} {
			t.Run(name+" at the "+string(server), func(t *testing.T) {
				if server == weir.Source {
					testenv.Long(t)
				}
				c := ready(t, p, threeFiles(name, server))
				moving := begin(func() (weir.Transferred, error) { return c.move(t.Context()) })
				moving.awaitOctets(t, c.job.destination, some)
				children := offspring(t, c.PID())
				if len(children) == 0 {
					t.Error("the server has no children: this test shows nothing")
				}
				if err := c.process.(*service.Service).Kill(t.Context()); err != nil {
					t.Fatal(err)
				}
				if _, err := moving.end(); err == nil || !strings.Contains(err.Error(), "ended") || !strings.Contains(err.Error(), "killed") {
					t.Errorf("got %v, want that the server was killed", err)
				}
				for _, child := range children {
					testenv.Await(t, "a child of the server ends", func() bool { return !runs(child) })
				}
			})
		}
	}
}

// offspring are the children of a process, and theirs.
func offspring(t *testing.T, pid int) (out []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		_, rest, ok := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); err == nil && ok && len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
			out = append(append(out, child), offspring(t, child)...)
		}
	}
	return out
}

// runs says whether a process has not ended.
func runs(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(text), ") Z ") && !strings.Contains(string(text), ") X ")
}

// Each end sees a file system of its own here, which is gone with the test.
func TestServedDestinationFull(t *testing.T) {
	t.Parallel()
	p := needServers(t)
	to := p.Ends[1]
	at(t, to, "mount", "-t", "tmpfs", "-o", "size=100m", "weir", to.Folders[weir.Memory])
	for name := range servers {
		for _, server := range []weir.Side{weir.Destination, weir.Source} {
			t.Run(name+" at the "+string(server), func(t *testing.T) {
				if server == weir.Source {
					testenv.Long(t)
				}
				c := ready(t, p, threeFiles(name, server))
				filler := to.Folders[weir.Memory] + "/filler" // all that is there but 3 MB
				at(t, to, "sh", "-c", `fallocate -l $(($(stat -f -c '%a * %S' "$1") - 3000000)) "$0"`, filler, to.Folders[weir.Memory])
				_, err := c.move(t.Context())
				at(t, to, "rm", filler)
				if err == nil || !strings.Contains(err.Error(), "is full: ") {
					t.Errorf("got %v, want that the destination is full", err)
				}
			})
		}
	}
}

func TestServerToolMissing(t *testing.T) {
	p := joined(t)
	bare := t.TempDir()
	at(t, p.Ends[0], "sh", "-c", `ln -s "$(command -v sh)" "$(command -v tar)" "$0"`, bare)
	t.Setenv("PATH", bare)
	for name, want := range map[string]string{"ftp": "install the package curl", "smb": "install the package "} {
		_, err := p.Run(t.Context(), threeFiles(name, ""))
		var missing *weir.UnsupportedError
		if !errors.As(err, &missing) || !strings.HasPrefix(missing.Remedy, want) {
			t.Errorf("%s: got %v, want the name of the package", name, err)
		}
	}
}
