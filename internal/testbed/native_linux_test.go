package testbed

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weir"
	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/testenv"
)

// sh runs a script, and returns what it says.
func sh(t *testing.T, script string) string {
	t.Helper()
	out, err := exec.Command("sh", "-ec", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
	return string(out)
}

// What others do to a port and to its namespace while a tester has it does not keep it from
// coming back, whether its tester closes or was killed and is restored.
func TestPortComesBack(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	testenv.NeedTool(t, "ethtool")
	const here = `for p in near1 near2; do ip -o link show dev $p; cat /sys/class/net/$p/mtu /sys/class/net/$p/flags; ip -o address show dev $p; done; ls /run/netns`
	for _, tt := range []struct {
		name, do    string // $space is the name of the ports' namespace
		here, apart bool   // the ports stay where they are, or are those of end hosts
		alive       bool   // it is not for those that were killed: no name, no namespace
		owned       bool   // its owner has it back: what is still to be undone is said, and left
	}{
		{name: "nothing", do: ":"},
		{name: "renamed", do: `ip -n $space link set dev near1 name other1`},
		{name: "renamed to each other's names", do: `ip -n $space link set dev near1 name x; ip -n $space link set dev near2 name near1; ip -n $space link set dev x name near2`},
		{name: "renamed where they are", do: `ip link set dev near2 name other2`, here: true},
		{name: "renamed, set up anew", do: `ip -n $space link set dev near1 down; ip -n $space link set dev near1 name other1; ip -n $space link set dev other1 up`},
		{name: "of end hosts", do: `ip -n $space link set dev near1 name other1`, apart: true},
		{name: "the names of its namespaces are gone", do: `for n in $(ls /run/netns); do ip netns delete $n; done`, alive: true},
		{name: "that of its home is gone", do: `ip netns delete ${space%-*}-home`},
		{name: "brought back by hand", do: `ip -n $space link set dev near1 netns ${space%-*}-home`, owned: true},
		{name: "moved elsewhere", do: `ip netns add elsewhere; ip -n $space link set dev near1 netns elsewhere`},
		{name: "moved elsewhere, renamed", do: `ip netns add elsewhere; ip -n $space link set dev near1 netns elsewhere; ip -n elsewhere link set dev near1 name other1`},
		{name: "the number of one is taken", do: `n=$(cat /sys/class/net/lo/ifindex); ip link add taken index $(ip -n $space -o link show dev near1 | cut -d: -f1) type dummy 2>/dev/null || ip link add taken type bridge; true`},
	} {
		for _, killed := range []bool{false, true} {
			if killed && tt.alive {
				continue
			}
			t.Run(fmt.Sprintf("%s, killed %v", tt.name, killed), func(t *testing.T) {
				t.Setenv("WEIR_RUN", t.TempDir())
				sh(t, `ip link add near1 type veth peer name far1; ip link add near2 type veth peer name far2
					for p in near1 near2 far1 far2; do ip link set $p up; done; ip address add 192.0.2.9/24 dev near1`)
				defer sh(t, `ip link delete far1; ip link delete far2; ip link delete taken 2>/dev/null || true`) // only one case makes taken
				const settle = `for i in $(seq 200); do [ $(ip -o link show up | grep -c "^[0-9]*: near.*state UP") = 2 ] && [ -z "$(ip -6 address show tentative)" ] && break; sleep 0.1; done; `
				before := sh(t, settle+here)
				p, journal := openNear(t, tt.here, tt.apart)
				space := keptName(p.id, "ports")
				if tt.apart {
					space = keptName(p.id, endNames[0])
				}
				sh(t, "space="+space+"; "+tt.do)
				var err error
				if killed { // another process knows what its journal says
					visits := visits{spaces: map[string]*netif.Namespace{}}
					_, err = journal.Restore(t.Context(), func(host string) (weir.Host, error) { return visits.open(t.Context(), host) }, func(string) {})
					err = errors.Join(err, visits.end())
				}
				if closed := p.Close(); !killed {
					err = closed
				}
				sh(t, `ip netns delete elsewhere 2>/dev/null || true`) // only some cases make it
				if tt.owned {
					if err == nil || !strings.Contains(err.Error(), "near1 mtu") || strings.Contains(sh(t, here), "altname") {
						t.Errorf("its owner has it back: %v\n%s", err, sh(t, here))
					}
					return
				}
				if err != nil {
					t.Error(err)
				}
				if after := sh(t, settle+here); after != before {
					t.Errorf("before:\n%s\nafter:\n%s", before, after)
				}
			})
		}
	}
}

func openNear(t *testing.T, here, apart bool) (*Ports, *settings.Journal) {
	t.Helper()
	journal, err := settings.OpenJournal(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := OpenPorts(t.Context(), PortsConfig{Ports: []string{"near1", "near2"}, MTU: 1600, Isolate: !here, Apart: apart, Journal: journal})
	if err != nil {
		t.Fatal(err)
	}
	return p, journal
}

// A namespace that has something of others in it keeps its name, and what keeps it is said.
func TestForgetSpace(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	ns, err := netif.NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	host, err := furnish(ns)
	if err != nil {
		t.Fatal(err)
	}
	const name = "weir-abcde-forget"
	if err := ns.Keep(name); err != nil {
		t.Fatal(err)
	}
	ns.Close()
	forget := settings.Native{Do: forgetSpace, Name: name, Spaces: []string{host.Name()}, Own: "wabcde"}
	do := func() error { return Machine("here", nil).(settings.NativeHost).Native(t.Context(), forget) }
	sh(t, "ip -n "+name+" link add wabcdes0 type veth peer name wabcdes1; ip -n "+name+" link add mine type veth peer name wabcdes2")
	if err := do(); err == nil || !strings.Contains(err.Error(), "mine is still in a network namespace that would go with the name "+name) {
		t.Errorf("with a link of somebody's: %v", err)
	}
	sh(t, "ip -n "+name+" link delete mine; ip -n "+name+" link add wabcdex7 type veth peer name wabcdes3; ip -n "+name+" link property add dev wabcdex7 altname wabcde-mine")
	if err := do(); err == nil || !strings.Contains(err.Error(), "wabcdex7 is still") {
		t.Errorf("with a port of somebody's that has a name for a moment: %v", err)
	}
	sh(t, "ip -n "+name+" link delete wabcdex7")
	if err := do(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(netif.NamedPath(name)); !os.IsNotExist(err) {
		t.Errorf("its name is still there: %v", err)
	}
	if err := do(); err != settings.ErrGone {
		t.Errorf("once more: %v, want %v", err, settings.ErrGone)
	}
}

// TestNamesOutlive: below ip netns exec, which has mounts of its own, the names that weir gives to
// namespaces are seen by others, and outlive it.
func TestNamesOutlive(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	testenv.NeedTool(t, "unshare")
	if os.Getenv("TEST_NAMES_OUTLIVE") != "" {
		ns, err := netif.NewNamespace()
		if err != nil {
			t.Fatal(err)
		}
		if err := ns.Keep("weir-abcde-lives"); err != nil {
			t.Fatal(err)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sh(t, "ip netns add below; ip netns add below2")
	defer sh(t, "ip netns delete below; ip netns delete below2")
	for _, within := range [][]string{
		{"ip", "netns", "exec", "below"}, {"unshare", "--mount"}, {"unshare", "--mount", "--net"}, {"unshare", "--mount", "--propagation", "slave"},
		{"ip", "netns", "exec", "below", "ip", "netns", "exec", "below2"}, {"env"},
	} {
		t.Run(strings.Join(within, " "), func(t *testing.T) {
			cmd := exec.Command(within[0], append(within[1:], self, "-test.run", "^TestNamesOutlive$")...)
			cmd.Env = append(os.Environ(), "TEST_NAMES_OUTLIVE=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			sh(t, "ip -n weir-abcde-lives link show dev lo") // it is a namespace here, and no empty file
			if err := netif.RemoveNamed("weir-abcde-lives"); err != nil {
				t.Error(err)
			}
		})
	}
}
