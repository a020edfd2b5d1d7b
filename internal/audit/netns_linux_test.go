package audit

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"weir"
	"weir/internal/netif"
	"weir/internal/processes"
	"weir/internal/settings"
	"weir/internal/testbed"
	"weir/internal/testenv"
)

// room is a network namespace of the test's own.
type room struct{ weir.Host }

// spoilt makes a namespace with two veth ports, p0 and p1, on which all is wrong
// that a veth has, and one that a default route leaves through.
func spoilt(t *testing.T) room {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "ethtool", "tc", "nft", "bridge")
	ns, err := netif.NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ns.Close)
	r := room{testbed.Machine("room", ns)}
	for _, line := range []string{
		"ip link add p0 numrxqueues 2 numtxqueues 2 type veth peer name q0 numrxqueues 2 numtxqueues 2",
		"ip link add p1 numrxqueues 2 numtxqueues 2 type veth peer name q1 numrxqueues 2 numtxqueues 2",
		"ip link add out type veth peer name beyond",
		"ip link set p0 mtu 9000", "ip link set p0 up", "ip link set p1 up", "ip link set q0 up", "ip link set q1 up",
		"ip link set out up", "ip link set beyond up",
		"ip address add 198.18.0.1/24 dev p0", "ip address add 198.19.0.1/24 dev p1", "ip address add 192.0.2.1/24 dev out",
		"ip route add default via 192.0.2.2",
		"ip neighbor add 198.18.0.2 lladdr 02:00:00:00:00:01 dev p0 nud reachable",
		"ethtool -K p0 generic-receive-offload on", "ethtool -K p0 rx-udp-gro-forwarding on",
		"ethtool -L p0 rx 1 tx 1",
		"tc qdisc add dev p1 root tbf rate 1mbit burst 10k latency 10ms",
		"nft add table inet left", "nft add chain inet left forward { type filter hook forward priority 0; }", "nft add rule inet left forward counter accept",
		"sysctl -w net.ipv4.conf.p0.forwarding=0 net.ipv4.conf.p1.forwarding=0 net.ipv4.conf.all.rp_filter=2 net.ipv4.conf.p1.rp_filter=1",
	} {
		if _, err := r.Run(t.Context(), "", strings.Fields(line)...); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	// The kernel says so up to a second later, or when it has a CPU for that: until then the
	// state of the links changes by itself.
	testenv.Await(t, "the six links are up", func() bool {
		links, err := r.Run(t.Context(), "", "ip", "-o", "link", "show")
		return err == nil && strings.Count(links, " state UP ") == 6
	})
	return r
}

// inNamespace are the checks of what belongs to a namespace: the others are of
// the machine, which no test changes.
var inNamespace = []string{"mtu", "udp-gro", "gro", "queues", "firewall", "forwarding", "rp-filter", "neighbours", "shaper"}

// state is what the checks of a namespace look at, as text.
func (r room) state(t *testing.T) string {
	t.Helper()
	var all []string
	for _, line := range []string{
		"ip -o link show", "ip neighbor show dev p0 nud permanent", "ethtool -k p0", "ethtool -l p0", "ethtool -k p1", "nft -s list ruleset", "tc qdisc show",
		"sysctl net.ipv4.conf.all.rp_filter net.ipv4.conf.p0.rp_filter net.ipv4.conf.p1.rp_filter net.ipv4.conf.out.rp_filter net.ipv4.conf.p0.forwarding net.ipv4.conf.p1.forwarding",
	} {
		text, err := r.Run(t.Context(), "", strings.Fields(line)...)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return strings.Join(all, "")
}

// All that an audit finds in a namespace is mended by Apply, found no more, and
// as it was after Undo.
func TestMendInNamespace(t *testing.T) {
	r := spoilt(t)
	before := r.state(t)
	c := Config{Host: r, Devices: []string{"p0", "p1"}, Only: inNamespace}
	report, err := Look(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(report.Guarded, []string{"beyond", "out"}) || len(report.Unread) > 0 {
		t.Errorf("guarded %q, not read %v", report.Guarded, report.Unread)
	}
	for _, check := range inNamespace {
		if !slices.ContainsFunc(report.Findings, func(f Finding) bool { return f.Check == check }) {
			t.Errorf("%s finds nothing", check)
		}
	}
	journal, err := settings.OpenJournal(filepath.Join(t.TempDir(), "journal.json"))
	if err != nil {
		t.Fatal(err)
	}
	m := Mender{Host: r, Journal: journal, Say: func(line string) { t.Log(line) }}
	asked, _ := Wish{Only: inNamespace}.Asked(report.Findings)
	if err := m.Apply(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	if report, err = Look(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Mendable {
			t.Errorf("it was mended, and is found: %+v", f)
		}
	}
	if now, err := r.Run(t.Context(), "", "sysctl", "-n", "net.ipv4.conf.out.rp_filter"); err != nil || now != "2\n" {
		t.Errorf("the check at the other port was 2 by that for all, and is %q (%v)", now, err)
	}
	if m.Journal, err = settings.OpenJournal(journal.Path()); err != nil {
		t.Fatal(err)
	}
	if err := m.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, r.state(t)); diff != "" {
		t.Error(diff)
	}
}

// A device that is gone cannot be restored, and the others are.
func TestUndoWithoutDevice(t *testing.T) {
	r := spoilt(t)
	report, err := Look(t.Context(), Config{Host: r, Devices: []string{"p0", "p1"}, Only: []string{"mtu", "udp-gro", "rp-filter"}})
	if err != nil {
		t.Fatal(err)
	}
	journal, err := settings.OpenJournal(filepath.Join(t.TempDir(), "journal.json"))
	if err != nil {
		t.Fatal(err)
	}
	m := Mender{Host: r, Journal: journal, Say: func(string) {}}
	asked, _ := Wish{}.Asked(report.Findings)
	if err := m.Apply(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), "", "ip", "link", "del", "p0"); err != nil {
		t.Fatal(err)
	}
	err = m.Undo(t.Context())
	var not *settings.NotRestoredError
	if !errors.As(err, &not) {
		t.Fatalf("error %v", err)
	}
	if n := strings.Count(err.Error(), "NOT RESTORED: p0 "); n != 2 {
		t.Errorf("%d settings are named, of the MTU and the offload: %v", n, err)
	}
	// The other end of its link is gone too, with the check that it was given.
	if left := journal.Changes(); len(left) != 3 || left[2].Name != "/proc/sys/net/ipv4/conf/q0/rp_filter" {
		t.Errorf("left: %+v", left)
	}
	if all, err := r.Run(t.Context(), "", "sysctl", "-n", "net.ipv4.conf.all.rp_filter", "net.ipv4.conf.p1.rp_filter"); err != nil || all != "2\n1\n" {
		t.Errorf("the others are %q (%v)", all, err)
	}
}

var record = flag.String("record", "", "write a transcript of this machine to testdata, under this name")

// recorder is a host that writes down what is asked and said.
type recorder struct {
	room
	files *[]txtar.File
}

func (r recorder) note(name, text string, err error) {
	if err != nil {
		text = "! " + err.Error() + "\n"
	}
	var kept []string
	for line := range strings.Lines(text) {
		// Of processes those that every machine has: the others are private.
		hidden := false
		for pid, p := range processes.ParseAll(line) {
			hidden = pid > 2 && !strings.HasPrefix(p.Name, "ksoftirqd")
		}
		if !hidden {
			kept = append(kept, line)
		}
	}
	*r.files = append(*r.files, txtar.File{Name: name, Data: []byte(strings.Join(kept, ""))})
}

func (r recorder) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	text, err := r.room.Run(ctx, stdin, argv...)
	r.note("$ "+strings.Join(argv, " "), text, err)
	return text, err
}

func (r recorder) ReadFile(ctx context.Context, path string) (string, error) {
	text, err := r.room.ReadFile(ctx, path)
	if !errors.Is(err, os.ErrNotExist) {
		r.note(path, text, err)
	}
	return text, err
}

// TestRecord writes a transcript, when it is told to.
func TestRecord(t *testing.T) {
	if *record == "" {
		return
	}
	var files []txtar.File
	if _, err := Look(t.Context(), Config{Host: recorder{room{testbed.Machine("here", nil)}, &files}, Watch: time.Second, Devices: flag.Args()}); err != nil {
		t.Fatal(err)
	}
	a := &txtar.Archive{Comment: []byte("Recorded: go test -run TestRecord -record " + *record + " -args DEVICE...\n"), Files: files}
	if err := os.WriteFile(filepath.Join("testdata", *record+".txtar"), txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
