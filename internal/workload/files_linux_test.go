package workload

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir"
	"weir/internal/testenv"
)

func TestLayRefuses(t *testing.T) {
	p := joined(t)
	for _, c := range []struct {
		name string
		set  func(*Path, *weir.Transfer)
		want string
	}{
		{"no files", func(_ *Path, t *weir.Transfer) { t.Files = 0 }, "needs a number of files"},
		{"no size", func(_ *Path, t *weir.Transfer) { t.FileSize = 0 }, "needs the size of its files"},
		{"no storage", func(_ *Path, t *weir.Transfer) { t.Storage = "tape" }, `no folder for files on the storage "tape"`},
		{"more than there is", func(_ *Path, t *weir.Transfer) { t.Files, t.FileSize = 1e6, 1e12 }, "make room, or send fewer or smaller files"},
		{"more than can be counted", func(_ *Path, t *weir.Transfer) { t.Files, t.FileSize = 1e9, 1e18 }, "are more than there can be"},
		{"a disk in memory", func(p *Path, t *weir.Transfer) {
			t.Storage = weir.Disk
			p.Ends[1].Folders = map[weir.Storage]string{weir.Disk: "/dev/shm/weir-not-there"}
		}, "is in memory (tmpfs), and should be on a disk"},
		{"a disk that is full", func(p *Path, t *weir.Transfer) {
			p.Ends[1].Folders = map[weir.Storage]string{weir.Memory: "/dev/shm", weir.Disk: "/proc"}
			t.Storage = weir.Disk
		}, "/proc of dut has 0 octets left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, trial := p, threeFiles("ftp", "")
			c.set(&p, trial.Transfer)
			if _, err := p.jobs(trial)[0].createFiles(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestCreateFiles(t *testing.T) {
	p := joined(t)
	j, f := created(t, p, threeFiles("ftp", ""))
	if len(f.names) != 3 || f.octets != 6e6 {
		t.Errorf("created %d files with %d octets", len(f.names), f.octets)
	}
	if len(f.disks) != 2 || f.disks[0].Side != weir.Source || f.disks[1].Side != weir.Destination {
		t.Errorf("the storages are %+v", f.disks)
	}
	for _, d := range f.disks {
		if d.Read <= 0 || d.Write <= 0 {
			t.Errorf("the storage of the %s does %v and %v bit/s", d.Side, d.Read, d.Write)
		}
	}
	if err := f.check(t.Context()); err == nil || !strings.Contains(err.Error(), "3 of 3 files did not arrive") {
		t.Errorf("nothing was sent, and checking says %v", err)
	}
	at(t, j.destination, "cp", "-r", f.from+"/.", f.to)
	if err := f.check(t.Context()); err != nil {
		t.Errorf("a copy is not taken for one: %v", err)
	}
	if err := os.WriteFile(filepath.Join(f.to, f.names[1]), make([]byte, 2e6), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.check(t.Context()); err == nil || !strings.Contains(err.Error(), "another content, the first of them "+f.names[1]) {
		t.Errorf("a file of zeros was sent, and checking says %v", err)
	}
}

// A transfer that somebody ends leaves nothing: the ends' folders are looked at
// when the test has ended.
func TestServedTransferCancelled(t *testing.T) {
	t.Parallel()
	p := needServers(t, "tc")
	for i := range p.Ends {
		slow(t, p.Ends[i])
	}
	for name := range servers {
		for _, server := range []weir.Side{weir.Destination, weir.Source} {
			t.Run(name+" with the server at the "+string(server), func(t *testing.T) {
				if server == weir.Source {
					testenv.Long(t)
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				moving := begin(func() (weir.Transferred, error) { return p.Run(ctx, threeFiles(name, server)) })
				moving.awaitOctets(t, p.Ends[1], some)
				cancel(errors.New("somebody has had enough"))
				if _, err := moving.end(); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}
