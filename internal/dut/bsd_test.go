package dut

import (
	"flag"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/settings"
)

var update = flag.Bool("update", false, "write the transcripts of what BSDs are told anew")

// systems are the three, with the names of two of their ports.
var systems = []struct {
	name     string
	platform bsd
	ports    [2]string
}{
	{"freebsd", freebsd, [2]string{"ixl0", "ixl1"}},
	{"openbsd", openbsd, [2]string{"ix0", "ix1"}},
	{"netbsd", netbsd, [2]string{"wm0", "wm1"}},
}

// routed is a DUT with both families behind both ports.
func routed(h weir.Host, ports [2]string) (weir.DUT, Setup) {
	var s Setup
	d := weir.DUT{Host: h}
	for i, name := range ports {
		d.Ports = append(d.Ports, weir.Port{DUT: name, TesterMAC: fmt.Sprintf("02:00:00:00:00:0%d", i+1)})
		s.Address[i] = []netip.Prefix{netip.MustParsePrefix(fmt.Sprintf("198.%d.0.1/30", 18+i)), netip.MustParsePrefix(fmt.Sprintf("2001:2:0:%d::1/126", i))}
		s.Neighbor[i] = []netip.Addr{netip.MustParseAddr(fmt.Sprintf("198.%d.0.2", 18+i)), netip.MustParseAddr(fmt.Sprintf("2001:2:0:%d::2", i))}
		s.Route[i] = []netip.Prefix{netip.MustParsePrefix(fmt.Sprintf("198.%d.0.0/16", 18+i)), netip.MustParsePrefix(fmt.Sprintf("2001:2:0:%d::/64", i))}
	}
	return d, s
}

// golden compares a text with a file of transcripts.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !source.Match(want) {
		t.Errorf("%s does not say where it is from", path)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// told is the head of what systems are told.
const told = "source: the manual pages of %s (from documentation, not run here)\n"

// All addresses, neighbours, routes and sysctls of a router are given, and taken away
// again, the last first, also by another process.
func TestForwardOfBSDs(t *testing.T) {
	for _, sys := range systems {
		h := newDocumented(t, sys.name)
		d, s := routed(h, sys.ports)
		before := maps.Clone(h.values)
		undo, err := sys.platform.Forward(t.Context(), d, s)
		if err != nil {
			t.Fatalf("%s: %v", sys.name, err)
		}
		text := fmt.Sprintf(told, sys.platform.name) + "\n# forward\n" + h.script()
		if err := undo(t.Context()); err != nil {
			t.Fatalf("%s: %v", sys.name, err)
		}
		back := h.script()
		text += "\n# undone\n" + back
		if diff := cmp.Diff(before, h.values); diff != "" {
			t.Errorf("%s is not as it was (-want +got):\n%s", sys.name, diff)
		}
		golden(t, filepath.Join("testdata", sys.name, "forward.txt"), text)

		path := filepath.Join(t.TempDir(), "journal.json")
		if s.Journal, err = settings.OpenJournal(path); err != nil {
			t.Fatal(err)
		}
		if _, err = sys.platform.Forward(t.Context(), d, s); err != nil {
			t.Fatal(err)
		}
		h.told = nil
		again, err := settings.OpenJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.Restore(t.Context(), func(string) (weir.Host, error) { return h, nil }, func(string) {}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(back, h.script()); diff != "" {
			t.Errorf("%s restored (-undone +restored):\n%s", sys.name, diff)
		}
	}
}

// A neighbour that is known for good stays so: as it is, or again in the end.
func TestNeighboursOfBSDs(t *testing.T) {
	for _, sys := range systems {
		h := newDocumented(t, sys.name)
		d, s := routed(h, sys.ports)
		h.values["arp 198.18.0.2"] = "? (198.18.0.2) at 2:0:0:0:0:1 on ixl0 permanent [ethernet]\n"
		h.values["ndp 2001:2::2"] = "Neighbor Linklayer Address Netif Expire S Flags\n2001:2::2 02:00:00:00:00:99 ixl0 permanent R\n"
		undo, err := sys.platform.Forward(t.Context(), d, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		var told []string
		for line := range strings.Lines(h.script()) {
			if strings.Contains(line, " 198.18.0.2") && !strings.Contains(line, "route") || strings.HasPrefix(line, "$ ndp") && strings.Contains(line, " 2001:2::2") {
				told = append(told, strings.TrimSpace(line))
			}
		}
		want := []string{"$ ndp -d 2001:2::2", "$ ndp -s 2001:2::2 02:00:00:00:00:01", "$ ndp -d 2001:2::2", "$ ndp -s 2001:2::2 02:00:00:00:00:99"}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sys.name, diff)
		}
	}
}

// An entry of OpenBSD that does not age, and that the network can change, is put back as that.
func TestStaticNeighbour(t *testing.T) {
	h := newDocumented(t, "openbsd")
	const entry = "198.18.0.2                           02:00:00:00:00:99     ix0 static\n"
	h.values["arp 198.18.0.2"] = entry
	got, err := openbsd.neighbour(t.Context(), h, netip.MustParseAddr("198.18.0.2"), "02:00:00:00:00:01")
	if err != nil {
		t.Fatal(err)
	}
	drop := []string{"arp", "-d", "198.18.0.2"}
	want := []step{
		{drop, strings.Fields("arp -F -s 198.18.0.2 02:00:00:00:00:99")},
		{strings.Fields("arp -F -s 198.18.0.2 02:00:00:00:00:01 permanent"), drop},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(step{})); diff != "" {
		t.Error(diff)
	}
}

// An entry that ages is no hindrance: what it is told takes its place, and it is learnt anew.
func TestAgeingNeighboursOfBSDs(t *testing.T) {
	ageing := map[string]string{
		"freebsd": "? (198.18.0.2) at 02:00:00:00:00:99 on ixl0 expires in 1190 seconds [ethernet]\n",
		"openbsd": "Host                                 Ethernet Address    Netif Expire    Flags\n198.18.0.2                           02:00:00:00:00:99     ix0 19m58s\n",
		"netbsd":  "? (198.18.0.2) at 02:00:00:00:00:99 on wm0 1198s [ethernet]\n",
	}
	for _, sys := range systems {
		h := newDocumented(t, sys.name)
		d, s := routed(h, sys.ports)
		before := maps.Clone(h.values)
		h.values["arp 198.18.0.2"] = ageing[sys.name]
		h.values["ndp 2001:2::2"] = "Neighbor Linklayer Address Netif Expire S Flags\n2001:2::2 02:00:00:00:00:99 " + sys.ports[0] + " 23h59m58s S R\n"
		h.values["ndp 2001:2:0:1::2"] = "Neighbor Linklayer Address Netif Expire S Flags\n2001:2:0:1::2 (incomplete) " + sys.ports[1] + " 1s I\n"
		undo, err := sys.platform.Forward(t.Context(), d, s)
		if err != nil {
			t.Fatalf("%s: %v", sys.name, err)
		}
		for _, entry := range []string{"arp 198.18.0.2", "ndp 2001:2::2", "ndp 2001:2:0:1::2"} {
			if got := h.values[entry]; got != "yes " {
				t.Errorf("%s: %s stays: %q", sys.name, entry, got)
			}
		}
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, h.values); diff != "" {
			t.Errorf("%s is not as it was (-want +got):\n%s", sys.name, diff)
		}
	}
}

// What was done is undone when the rest fails, whichever step that is.
func TestForwardOfBSDsFails(t *testing.T) {
	for _, sys := range systems {
		for _, fail := range []string{sys.ports[1] + " inet6 ", " -s 198.19", "route -n add -inet6 -net 2001:2:0:1::/64", "sysctl -w net.inet6.ip6.forwarding"} {
			h := newDocumented(t, sys.name)
			h.fail = fail
			d, s := routed(h, sys.ports)
			before := maps.Clone(h.values)
			if _, err := sys.platform.Forward(t.Context(), d, s); err == nil || !strings.Contains(err.Error(), "it failed") {
				t.Errorf("%s: %s: %v", sys.name, fail, err)
			}
			if diff := cmp.Diff(before, h.values); diff != "" {
				t.Errorf("%s is not as it was after %s (-want +got):\n%s", sys.name, fail, diff)
			}
		}
	}
}

// thisClock is the time of this machine in what BootOf says.
var thisClock = regexp.MustCompile(`here \d+`)

// What they say of themselves.
func TestQuestionsToBSDs(t *testing.T) {
	for _, sys := range systems {
		h := newDocumented(t, sys.name)
		d, s := routed(h, sys.ports)
		text := fmt.Sprintf(told, sys.platform.name)
		all, err := sys.platform.Interfaces(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range all {
			text += fmt.Sprintf("interface %s %s up=%v %v\n", i.Name, i.MAC, i.Up, i.Addresses)
		}
		for _, to := range []string{"192.0.2.9", "2001:db8::9", "::ffff:192.0.2.9", "fe80::9%em7"} {
			name, err := sys.platform.Toward(t.Context(), h, netip.MustParseAddr(to))
			text += fmt.Sprintf("toward %s: %s, %v\n", to, name, err)
		}
		s.Firewall = weir.Firewall{Kind: weir.Stateful}
		for _, f := range sys.platform.firewalls {
			s.Firewall.With = f.name
			drops, err := sys.platform.Drops(t.Context(), d, s)
			if err != nil {
				t.Fatal(err)
			}
			for _, drop := range drops {
				if drop.Count > 0 {
					text += fmt.Sprintf("%s: %s: %d\n", f.name, drop.Place, drop.Count)
				}
			}
		}
		own, err := sys.platform.Settings(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		kernel, model, cpus, traits, err := sys.platform.Machine(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("kernel: %s\nCPUs: %d x %s\n", kernel, cpus, model)
		for _, one := range append(traits, own...) {
			text += fmt.Sprintf("%s %s = %s\n", one.Where, one.Name, one.Value)
		}
		busy, idle, err := sys.platform.CPUTime(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		boot, err := settings.BootOf(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		text += "boot: " + thisClock.ReplaceAllString(boot, "here ...") + "\n"
		text += fmt.Sprintf("busy %v, idle %v\n", busy.Round(time.Millisecond), idle.Round(time.Millisecond))
		if len(h.told) > 0 {
			t.Errorf("%s was told %q by questions", sys.name, h.told)
		}
		golden(t, filepath.Join("testdata", sys.name, "answers.txt"), text)
		if _, is := any(sys.platform).(Applier); !is {
			t.Errorf("%s cannot be set to levels", sys.name)
		}
	}
}
