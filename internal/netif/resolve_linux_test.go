package netif

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// What the kernel has learnt by asking is asked for once more; what was set to stay, or
// learnt elsewhere, stays. A port that does not ask has no answer.
func TestResolve(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	const wrong = "02:00:00:00:00:99"
	near := link(t)
	resolve := func() (mac string) {
		err := near.Do(func() error {
			found, err := Resolve(t.Context(), "near0", netip.MustParseAddr("198.18.0.2"), 20*time.Millisecond)
			mac = found.String()
			return err
		})
		if err != nil {
			mac = err.Error()
		}
		return mac
	}
	for _, c := range []struct{ set, want string }{
		{"nud reachable", "nobody has answered for 198.18.0.2 at near0 within 20ms"},
		{"nud stale", "nobody has answered for 198.18.0.2 at near0 within 20ms"},
		{"nud permanent", wrong},
		{"nud noarp", wrong},
		{"nud reachable extern_learn", wrong},
	} {
		ip(t, near, "neighbour replace 198.18.0.2 lladdr "+wrong+" dev near0 "+c.set)
		if got := resolve(); got != c.want {
			t.Errorf("%s: %s, want %s", c.set, got, c.want)
		}
	}
	ip(t, near, "neighbour delete 198.18.0.2 dev near0; link set near0 arp off")
	if got := resolve(); got != "nobody has answered for 198.18.0.2 at near0 within 20ms" {
		t.Errorf("without ARP: %s", got)
	}
}

// A kernel without room for a neighbour has no buffer space, it says, which is no help.
func TestNoRoomForNeighbours(t *testing.T) {
	for address, want := range map[string]string{"198.18.0.2": "net.ipv4.neigh.default.gc_thresh3", "2001:2::2": "net.ipv6.neigh.default.gc_thresh3"} {
		err := withNeighbours(unix.ENOBUFS, netip.MustParseAddr(address))
		if !errors.Is(err, unix.ENOBUFS) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "with those of all namespaces") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := withNeighbours(unix.EPERM, netip.Addr{}); err != unix.EPERM {
		t.Errorf("another error becomes %v", err)
	}
}
