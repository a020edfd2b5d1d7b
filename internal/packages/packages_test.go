package packages

import (
	"slices"
	"testing"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release, want string
		has           []string
	}{
		{"NAME=x\nID=debian\n", "apt-get", []string{"apt-get", "dnf"}},
		{"ID=ubuntu\nID_LIKE=debian\n", "apt-get", []string{"apt-get"}},
		{"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf", []string{"apt-get", "dnf"}},
		{"ID=alpine\n", "apk", []string{"apk"}},
		{"ID=manjaro\nID_LIKE=arch\n", "pacman", []string{"pacman"}},
		{"ID=fedora\n", "apt-get", []string{"apt-get"}}, // an image without its manager
		{"", "pacman", []string{"pacman"}},
		{"ID=opensuse\n", "", nil},
	} {
		got := ""
		if m := choose(c.release, func(program string) bool { return slices.Contains(c.has, program) }); m != nil {
			got = m.Program
		}
		if got != c.want {
			t.Errorf("%q with %q: %q, want %q", c.release, c.has, got, c.want)
		}
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	of := func(program string) *Manager {
		return choose("", func(p string) bool { return p == program })
	}
	for _, c := range []struct{ program, want string }{
		{"apt-get", "apt-get install iproute2 conntrack rsync"},
		{"dnf", "dnf install iproute iproute-tc conntrack-tools, and install what Debian calls rsync"},
		{"apk", "apk add iproute2 conntrack-tools, and install what Debian calls rsync"},
		{"pacman", "pacman -S --needed iproute2 conntrack-tools, and install what Debian calls rsync"},
		{"zypper", "install what Debian calls iproute2 conntrack iproute2 rsync"},
	} {
		if got := of(c.program).advice("iproute2", "conntrack", "iproute2", "rsync"); got != c.want {
			t.Errorf("%s: %q, want %q", c.program, got, c.want)
		}
	}
	if got := of("dnf").advice("rsync"); got != "install what Debian calls rsync" {
		t.Errorf("%q", got)
	}
}
