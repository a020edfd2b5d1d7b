package audit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const bootID = "/proc/sys/kernel/random/boot_id"

func mender(t *testing.T, h *replayed) (Mender, *[]string) {
	t.Helper()
	if h.says[bootID] == nil {
		h.with(bootID, "a\n")
	}
	m, err := OpenMemory(filepath.Join(t.TempDir(), "run", "memory.json"))
	if err != nil {
		t.Fatal(err)
	}
	said := &[]string{}
	return Mender{Host: h, Memory: m, Say: func(line string) { *said = append(*said, line) }}, said
}

// files are findings whose mends set files, in order.
func fileFindings(pairs ...string) []Finding {
	f := Finding{Check: "test", Severity: Spoils}
	for i := 0; i < len(pairs); i += 2 {
		f.mends = append(f.mends, mend{Setting{Kind: "file", Name: pairs[i]}, pairs[i+1]})
	}
	return []Finding{f}
}

func TestApplyAndUndo(t *testing.T) {
	h := replay(t, "good-router").with("/a", "1\n").with("/b", "x\n").with("/c", "same\n")
	m, said := mender(t, h)
	if err := m.Apply(t.Context(), fileFindings("/a", "2", "/b", "y", "/c", "same", "/a", "3")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/a = 2\n", "/b = y\n", "/a = 3\n"}, h.told); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"echo 2 > /a  (was: 1)", "echo y > /b  (was: x)", "echo 3 > /a  (was: 2)"}, *said); diff != "" {
		t.Error(diff)
	}
	h.told = nil
	again, err := OpenMemory(m.Memory.Path())
	if err != nil {
		t.Fatal(err)
	}
	m.Memory = again
	if err := m.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/a = 2\n", "/b = x\n", "/a = 1\n"}, h.told); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(again.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the memory is still there: %v", err)
	}
	h.told = nil
	if err := m.Undo(t.Context()); err != nil || h.told != nil {
		t.Errorf("undone twice: %v, %q", err, h.told)
	}
}

// stubborn is a machine on which some files cannot be written, or keep what
// they have.
type stubborn struct {
	*replayed
	refused, kept string
}

func (s stubborn) WriteFile(ctx context.Context, path, data string) error {
	switch path {
	case s.refused:
		return errors.New("permission denied")
	case s.kept:
		return nil
	}
	return s.replayed.WriteFile(ctx, path, data)
}

// One setting that cannot be changed does not keep the others from it, and is
// not remembered.
func TestApplyFails(t *testing.T) {
	h := replay(t, "good-router").with("/a", "1").with("/b", "1").with("/c", "1")
	m, _ := mender(t, h)
	m.Host = stubborn{h, "/a", "/b"}
	err := m.Apply(t.Context(), fileFindings("/a", "2", "/b", "2", "/c", "2", "/none", "2"))
	for _, want := range []string{"file /a: permission denied", "file /b: it is still 1", "/none is not there any more"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error has no %q: %v", want, err)
		}
	}
	if c := m.Memory.Changes(); len(c) != 1 || c[0].Name != "/c" || !c[0].Done {
		t.Errorf("remembered: %+v", c)
	}
}

// What cannot be remembered is not changed.
func TestApplyWithoutMemory(t *testing.T) {
	h := replay(t, "good-router").with("/a", "1")
	m, _ := mender(t, h)
	if err := os.WriteFile(filepath.Dir(m.Memory.Path()), nil, 0o644); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	if err := m.Apply(t.Context(), fileFindings("/a", "2")); err == nil || h.told != nil {
		t.Errorf("error %v, told %q", err, h.told)
	}
}

func TestUndoFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*replayed) stubborn
		want  string
	}{
		{"refused", func(h *replayed) stubborn { return stubborn{h, "/a", ""} }, "permission denied"},
		{"without effect", func(h *replayed) stubborn { return stubborn{h, "", "/a"} }, "it is 2 now"},
		{"gone", func(h *replayed) stubborn { return stubborn{h.without("/a"), "", ""} }, "not there any more"},
		{"changed by somebody", func(h *replayed) stubborn { return stubborn{h.with("/a", "7"), "", ""} }, "weir had set it to 2, and somebody has set it to 7 since"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := replay(t, "good-router").with("/a", "1").with("/b", "1")
			m, _ := mender(t, h)
			if err := m.Apply(t.Context(), fileFindings("/a", "2", "/b", "2")); err != nil {
				t.Fatal(err)
			}
			m.Host = c.spoil(h)
			err := m.Undo(t.Context())
			var not *NotRestoredError
			if !errors.As(err, &not) || not.Change.Name != "/a" {
				t.Fatalf("error %v", err)
			}
			for _, want := range []string{"NOT RESTORED: file /a was 1", c.want, "by hand: echo 1 > /a"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error has no %q: %v", want, err)
				}
			}
			if b := h.says["/b"][0]; b != "1\n" {
				t.Errorf("the other one is %q", b)
			}
			kept, err := OpenMemory(m.Memory.Path())
			if err != nil {
				t.Fatal(err)
			}
			if left := kept.Changes(); len(left) != 1 || left[0].Name != "/a" {
				t.Errorf("remembered: %+v", left)
			}
		})
	}
}

// After a restart of the machine there is nothing to restore.
func TestUndoAfterRestart(t *testing.T) {
	h := replay(t, "good-router").with("/a", "1").with(bootID, "first\n")
	m, said := mender(t, h)
	if err := m.Apply(t.Context(), fileFindings("/a", "2")); err != nil {
		t.Fatal(err)
	}
	h.with(bootID, "second\n").with("/a", "5")
	h.told = nil
	if err := m.Undo(t.Context()); err != nil || h.told != nil {
		t.Errorf("error %v, told %q", err, h.told)
	}
	if last := (*said)[len(*said)-1]; !strings.Contains(last, "started anew") {
		t.Errorf("said %q", last)
	}
}

func TestDamagedMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.json")
	for _, c := range []struct{ text, want string }{
		{`{"version":1,`, "is damaged"},
		{`{"version":2}`, "another version of weir"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenMemory(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

func TestAsked(t *testing.T) {
	found := look(t, config(replay(t, "bad-router"))).Findings
	count := func(w Wish, check string) (asked, refused int) {
		a, r := w.Asked(found)
		for _, f := range a {
			if f.Check == check {
				asked += len(f.mends)
			}
		}
		for _, f := range r {
			if f.Check == check {
				refused++
			}
		}
		return asked, refused
	}
	for _, c := range []struct {
		name, check    string
		wish           Wish
		asked, refused int
	}{
		{"what spoils", "flow-control", Wish{}, 2, 0},
		{"what is doubtful", "clock", Wish{}, 1, 0},
		{"no notes", "gro", Wish{}, 0, 0},
		{"notes by name", "gro", Wish{Only: []string{"gro"}}, 6, 0},
		{"no firewall", "firewall", Wish{}, 0, 0},
		{"a firewall by name", "firewall", Wish{Only: []string{"gro", "firewall"}}, 1, 0},
		{"nothing but what is named", "flow-control", Wish{Only: []string{"gro"}}, 0, 0},
		{"a guarded port", "flow-control", Wish{Guarded: []string{"eth1"}}, 1, 1},
		{"also by name", "flow-control", Wish{Only: []string{"flow-control"}, Guarded: []string{"eth1"}}, 1, 1},
		{"the other port's interrupts", "irqs", Wish{Guarded: []string{"eth1"}}, 2, 1},
		{"what no command mends", "load", Wish{}, 0, 0},
	} {
		if asked, refused := count(c.wish, c.check); asked != c.asked || refused != c.refused {
			t.Errorf("%s: %d asked, %d refused", c.name, asked, refused)
		}
	}
}

// The effective check of other ports stays what it was when that of all is
// lowered.
func TestRPFilterSparesOthers(t *testing.T) {
	h := replay(t, "bad-router").with("$ ip -d -j link show", `[{"ifname":"eth1","link_type":"ether"},{"ifname":"eth0","link_type":"ether"}]`)
	var commands []string
	for _, f := range look(t, Config{Host: h, Only: []string{"rp-filter"}, Devices: []string{"eth1", "eth0"}}).Findings {
		if f.Where == "eth1" {
			commands = f.Remedy
		}
	}
	want := []string{"sysctl -w net.ipv4.conf.eth0.rp_filter=2", "sysctl -w net.ipv4.conf.eth2.rp_filter=2", "sysctl -w net.ipv4.conf.eth3.rp_filter=2",
		"sysctl -w net.ipv4.conf.lo.rp_filter=2", "sysctl -w net.ipv4.conf.all.rp_filter=0", "sysctl -w net.ipv4.conf.eth1.rp_filter=0"}
	if diff := cmp.Diff(want, commands); diff != "" {
		t.Error(diff)
	}
}

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		setting     Setting
		value, want string
	}{
		{Setting{Kind: "file", Name: "/proc/sys/net/ipv4/conf/eth0/rp_filter"}, "0", "sysctl -w net.ipv4.conf.eth0.rp_filter=0"},
		{Setting{Kind: "file", Name: "/proc/sys/net/ipv4/conf/eth0.5/rp_filter"}, "0", "echo 0 > /proc/sys/net/ipv4/conf/eth0.5/rp_filter"},
		{Setting{Kind: "file", Name: "/sys/class/net/$(id)/x"}, "0", "echo 0 > '/sys/class/net/$(id)/x'"},
		{Setting{Kind: "rings", Device: "eth1"}, "rx 1 tx 2", "ethtool -G eth1 rx 1 tx 2"},
		{Setting{Kind: "neighbour", Device: "eth1", Name: "198.18.0.2"}, "02:00:00:00:00:01 permanent", "ip neighbor replace 198.18.0.2 lladdr 02:00:00:00:00:01 dev eth1 nud permanent"},
		{Setting{Kind: "neighbour", Device: "eth1", Name: "198.18.0.2"}, "", "ip neighbor del 198.18.0.2 dev eth1"},
		{Setting{Kind: "service", Name: "irqbalance"}, "active", "systemctl start irqbalance"},
		{Setting{Kind: "ruleset"}, "table ip x {\n}\n", "nft -f - <<'END'\nflush ruleset\ntable ip x {\n}\nEND"},
		{Setting{Kind: "of another weir"}, "1", ""},
	} {
		if got := c.setting.Command(c.value); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
