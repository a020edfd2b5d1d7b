package lab

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weir/internal/dut"
	"weir/internal/telemetry"
)

// CPUs that are off leave gaps in the numbers of those that work.
func TestCPUsWithGaps(t *testing.T) {
	t.Parallel()
	h := quiet(t)
	for over, text := range map[string]string{
		"/sys/devices/system/cpu/online": "0,2,4\n",
		"/proc/stat":                     "cpu0 1 1 1 1 1 1 1 1 0 0\ncpu2 1 1 1 1 1 1 1 1 0 0\ncpu4 1 1 1 1 1 1 1 1 0 0\n",
	} {
		file := filepath.Join(t.TempDir(), "said")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Run(t.Context(), "", "mount", "--bind", file, over); err != nil {
			t.Fatal(err)
		}
	}
	r := &reached{host: h}
	var err error
	if r.platform, err = dut.ByName("linux"); err != nil {
		t.Fatal(err)
	}
	if err := r.whose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 2, 4}; !slices.Equal(r.cpus, want) {
		t.Errorf("CPUs %v, want %v", r.cpus, want)
	}
	if _, err := telemetry.ReadCPUs(t.Context(), h, r.cpus); err != nil {
		t.Error(err)
	}
}

// No port of the test is one through which the connection goes, whatever is above it, and
// none takes frames for a bridge. Of the kinds that kernels here may lack (VLAN, bond, VRF)
// there is a transcript in internal/dut.
func TestPortsOfTheSession(t *testing.T) {
	t.Parallel()
	h := quietAs(t, "ssh://quiet", "export SSH_CONNECTION='10.77.0.1 40000 10.77.0.2 22'")
	linux, err := dut.ByName("linux")
	if err != nil {
		t.Fatal(err)
	}
	const (
		begin = "ip link add e0 type veth peer name e1; ip link add br0 type bridge; for d in br0 e0 e1 port0 port1; do ip link set $d up; done; "
		end   = "ip link del mv0 2>/dev/null; ip address flush dev port0; ip link set port0 nomaster; ip link del e0; ip link del br0"
	)
	for _, c := range []struct{ name, script, port, want string }{
		{"another one", "ip address add 10.77.0.2/30 dev e0", "port0", ""},
		{"it has the address", "ip address add 10.77.0.2/30 dev e0", "e0", "reached through its interface e0, which cannot be a port of the test"},
		{"it leads back", "ip address add 10.77.0.2/32 dev br0; ip route add 10.77.0.1 dev e0", "e0", "reached through its interface e0, which cannot"},
		{"a port of the bridge that has the address", "ip link set port0 master br0; ip address add 10.77.0.2/30 dev br0", "port0", "reached through its interface br0, and so port0, which cannot"},
		{"below a macvlan", "ip link add link port0 name mv0 type macvlan; ip link set mv0 up; ip address add 10.77.0.2/30 dev mv0", "port0", "reached through its interface mv0, and so port0, which cannot"},
		{"below that, in the bridge", "ip link set port0 master br0; ip link add link br0 name mv0 type macvlan; ip link set mv0 up; ip address add 10.77.0.2/30 dev mv0", "port0", "reached through its interface mv0, and so port0, which cannot"},
		{"the other end of a virtual link", "ip address add 10.77.0.2/30 dev e0", "e1", "reached through its interface e0, and so e1, which cannot"},
		{"above it", "ip link add link port0 name mv0 type macvlan; ip address add 10.77.0.2/30 dev port0", "mv0", ""},
		{"a port of another bridge", "ip link set port0 master br0; ip address add 10.77.0.2/30 dev e0", "port0", "port0 of ssh://quiet is a port of its br0, which takes the frames that come in there"},
	} {
		if _, err := h.Run(t.Context(), "", "sh", "-ec", begin+c.script); err != nil {
			t.Fatal(c.name, err)
		}
		r := &reached{host: h, platform: linux}
		err := r.findPorts(t.Context(), []string{c.port})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if _, err := h.Run(t.Context(), "", "sh", "-c", end); err != nil {
			t.Fatal(c.name, err)
		}
	}
}
