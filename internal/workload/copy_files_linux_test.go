package workload

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// threeFiles is a trial that moves three files of 2 MB each, forward.
func threeFiles(program string, server weir.Side) weir.Trial {
	return weir.Trial{
		Traffic:  weir.Traffic{Application: true, Family: weir.IPv4, Server: server},
		Duration: time.Minute,
		Transfer: &weir.Transfer{Program: program, Files: 3, FileSize: 2e6, Storage: weir.Memory, Seed: 7},
	}
}

func TestCopiers(t *testing.T) {
	t.Parallel()
	testenv.NeedTool(t, "curl", "ssh", "sshd", "sftp", "rsync", "tar", "zstd")
	p := joined(t)
	for name, version := range map[string]string{"http": "curl ", "sftp": "OpenSSH_", "rsync": "rsync ", "pipe": "zstd "} {
		for _, c := range []struct {
			name   string
			server weir.Side
			set    func(*weir.Trial)
		}{
			{"upload", weir.Destination, func(*weir.Trial) {}},
			{"download of IPv6", weir.Source, func(t *weir.Trial) { t.Traffic.Family = weir.IPv6 }},
			{"both ways between disks", "", func(t *weir.Trial) { t.Traffic.Bidirectional, t.Transfer.Storage = true, weir.Disk }},
		} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				if c.server == "" {
					testenv.Long(t)
				}
				trial := threeFiles(name, c.server)
				c.set(&trial)
				got, err := p.Run(t.Context(), trial)
				if err != nil || got.Failed != "" {
					t.Fatal(err, got.Failed)
				}
				least, server := uint64(6e6), cmp.Or(c.server, weir.Destination)
				if trial.Traffic.Bidirectional {
					least = 6e6 + 1
				}
				if got.Octets < least || !got.Verified || got.Took <= 0 || got.Server != server {
					t.Errorf("got %d octets in %v, verified: %v, server: %s", got.Octets, got.Took, got.Verified, got.Server)
				}
				if len(got.Disks) < 2 || got.Disks[0].Read <= 0 || got.Disks[1].Write <= 0 {
					t.Errorf("the disks are %+v", got.Disks)
				}
				if !strings.Contains(got.Version, version) || !strings.ContainsAny(got.Version, "123456789") {
					t.Errorf("the version is %q, want one of %q", got.Version, version)
				}
			})
		}
	}
}
