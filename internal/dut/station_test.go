package dut

import (
	"fmt"
	"maps"
	"net/netip"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/settings"
)

// endPorts are those of end hosts in the transcripts.
var endPorts = map[string]string{"darwin": "en5", "freebsd": "ixl0", "netbsd": "wm0", "openbsd": "ix0"}

// An end host's port gets its addresses and routes, and loses them again, the last first,
// also by another process.
func TestAttach(t *testing.T) {
	for system := range stations {
		s, err := StationByName(system)
		if err != nil {
			t.Fatal(err)
		}
		h := newDocumented(t, system)
		all, err := s.Interfaces(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		found, err := PortsOf(h, all, []string{endPorts[system]})
		if err != nil {
			t.Fatal(err)
		}
		var own []netip.Prefix
		var routes []Route
		for _, f := range []struct{ own, to, via string }{{"198.18.0.2/24", "198.19.0.0/24", "198.18.0.1"}, {"2001:2::2/64", "2001:2:0:1::/64", "2001:2::1"}} {
			own = append(own, netip.MustParsePrefix(f.own))
			routes = append(routes, Route{netip.MustParsePrefix(f.to), netip.MustParseAddr(f.via)})
		}
		before := maps.Clone(h.values)
		journal, err := settings.OpenJournal(filepath.Join(t.TempDir(), "journal.json"))
		if err != nil {
			t.Fatal(err)
		}
		attach := func() *settings.Undo {
			undo := &settings.Undo{Journal: journal}
			if err := s.Attach(t.Context(), h, found[0], own, routes, undo); err != nil {
				t.Fatalf("%s: %v", system, err)
			}
			return undo
		}
		undo := attach()
		text := fmt.Sprintf(told, stations[system].name) + "\n# an end host\n" + h.script()
		if err := undo.Run(t.Context()); err != nil {
			t.Fatalf("%s: %v", system, err)
		}
		back := h.script()
		if diff := cmp.Diff(before, h.values); diff != "" {
			t.Errorf("%s is not as it was (-want +got):\n%s", system, diff)
		}
		golden(t, filepath.Join("testdata", system, "end.txt"), text+"\n# undone\n"+back)

		attach()
		h.told = nil
		if _, err := journal.Restore(t.Context(), func(string) (weir.Host, error) { return h, nil }, func(string) {}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(back, h.script()); diff != "" {
			t.Errorf("%s restored (-undone +restored):\n%s", system, diff)
		}
	}
}

// What macOS says of itself is understood.
func TestMacOS(t *testing.T) {
	h := newDocumented(t, "darwin")
	found, err := macOS.Interfaces(t.Context(), h)
	if i := slices.IndexFunc(found, func(i Interface) bool { return i.Name == "en0" }); err != nil || i < 0 || !found[i].Up || found[i].MAC != "3c:22:fb:00:00:01" ||
		!slices.Contains(found[i].Addresses, netip.MustParsePrefix("192.0.2.20/24")) {
		t.Errorf("%+v, %v", found, err)
	}
	if name, err := macOS.Toward(t.Context(), h, netip.MustParseAddr("192.0.2.9")); name != "en0" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	kernel, model, cpus, _, err := macOS.Machine(t.Context(), h)
	if kernel != "Darwin Kernel Version 23.1.0: Mon Oct  9 21:28:45 PDT 2023; root:xnu-10002.41.9~6/RELEASE_ARM64_T6020" || model != "Mac14,9" || cpus != 10 || err != nil {
		t.Errorf("%q, %q, %d, %v", kernel, model, cpus, err)
	}
	if _, err := ByName("darwin"); err == nil {
		t.Error("macOS is a platform of DUTs")
	}
	if _, err := StationByName("sunos"); err == nil {
		t.Error("a system that nobody knows is one of end hosts")
	}
}
