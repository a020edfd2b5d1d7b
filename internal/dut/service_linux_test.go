package dut

import (
	"context"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir/internal/testenv"
)

// own is the network namespace that this process is in.
type own struct{}

func (own) Name() string { return "own" }

func (own) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	return string(out), err
}

func (own) ReadFile(_ context.Context, path string) (string, error) {
	data, err := os.ReadFile(path)
	return string(data), err
}

func (own) WriteFile(_ context.Context, path, data string) error {
	return os.WriteFile(path, []byte(data), 0)
}

// A machine that has a default route of a router's announcement, forwards at one interface,
// and has an address, a neighbour and a route of the test's own, has all of them while it is
// measured, and afterwards.
func TestServiceGoesOn(t *testing.T) {
	const inside = "WEIR_TEST_OWN_NAMESPACE"
	if os.Getenv(inside) == "" {
		testenv.NeedRoot(t)
		testenv.NeedTool(t, "unshare", "ip")
		cmd := exec.Command("unshare", "--net", "--mount", os.Args[0], "-test.run=^TestServiceGoesOn$")
		cmd.Env = append(os.Environ(), inside+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	sh := func(line string) string {
		t.Helper()
		out, err := exec.Command("sh", "-ec", line).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
		return string(out)
	}
	sh(`mount --make-rprivate / && mount -t sysfs none /sys
echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
for of in "way far" "d0 t0" "d1 t1" "else other"; do set -- $of; ip link add $1 type veth peer name $2; ip link set $2 up; done
for up in way d0 d1 else; do ip link set $up up; done
until ip -6 address show dev t1 | grep -q fe80; do sleep 0.01; done # which it gets once, whenever d1 is first up
ip link set d1 down # a port that is down is set up for the time
echo 1 | tee /proc/sys/net/ipv4/conf/else/forwarding /proc/sys/net/ipv6/conf/else/forwarding /proc/sys/net/ipv6/conf/way/accept_ra_from_local
ip address add 198.18.0.1/30 dev d0
ip neighbor add 198.18.0.2 lladdr 02:00:00:00:00:99 dev d0 nud permanent
ip route add blackhole 198.18.0.0/16`)
	announce(t, "far")
	const route = "ip -6 route show default proto ra | sed 's/expires.*//'"
	testenv.Await(t, "there is a default route to keep", func() bool { return sh(route) != "" })
	const state = `ip link; ip address; ip neighbor show nud permanent; ip route; ip -6 route | sed 's/expires [0-9]*sec//'
grep '' /proc/sys/net/ipv[46]/conf/*/forwarding /proc/sys/net/ipv4/conf/*/accept_redirects /proc/sys/net/ipv6/conf/*/accept_ra`
	awaitLinks := func() { // the kernel says what became of the other end of a link when it has time for that
		testenv.Await(t, "t1 knows that d1 is down, and all others have a carrier", func() bool {
			others := sh("ip -o link show | grep -v -e ': d1@' -e ': t1@'")
			return strings.Contains(sh("ip link show dev t1"), "LOWERLAYERDOWN") && !strings.Contains(others, "NO-CARRIER") && !strings.Contains(others, "LOWERLAYERDOWN")
		})
	}
	awaitLinks()
	before, kept := sh(state), sh(route)
	d, s := router(&recorded{})
	d.Host = own{}
	s.InService = true
	s.Address[1] = []netip.Prefix{netip.MustParsePrefix("2001:2:0:2::1/126")}
	undo, err := linux{}.Forward(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	if got := sh(route); got != kept {
		t.Errorf("the default route is %q and was %q", got, kept)
	}
	if got := sh("ip route show exact 198.18.0.0/16; cat /proc/sys/net/ipv6/conf/all/forwarding /proc/sys/net/ipv4/ip_forward"); got != "198.18.0.0/16 via 198.18.0.2 dev d0 \n1\n1\n" {
		t.Errorf("it does not forward: %q", got)
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
	awaitLinks()
	if diff := cmp.Diff(before, sh(state)); diff != "" {
		t.Errorf("it is not as it was (-want +got):\n%s", diff)
	}
}

// announce sends a router's announcement (RFC 4861 section 4.2) from a port to the other end
// of its link.
func announce(t *testing.T, from string) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_RAW, syscall.IPPROTO_ICMPV6)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.SetsockoptInt(fd, syscall.IPPROTO_IPV6, syscall.IPV6_MULTICAST_HOPS, 255); err != nil {
		t.Fatal(err)
	}
	if err := syscall.BindToDevice(fd, from); err != nil {
		t.Fatal(err)
	}
	const forSeconds = 1800
	message := []byte{134, 0, 0, 0, 64, 0, forSeconds >> 8, forSeconds & 0xff, 0, 0, 0, 0, 0, 0, 0, 0}
	all := &syscall.SockaddrInet6{Addr: netip.MustParseAddr("ff02::1").As16()}
	if err := syscall.Sendto(fd, message, 0, all); err != nil {
		t.Fatal(err)
	}
}
