package endhost

import (
	"context"
	"net"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"weir"
	"weir/internal/agent"
	"weir/internal/netif"
	"weir/internal/testenv"
)

// inside is a namespace as a host.
type inside struct {
	weir.Host
	ns *netif.Namespace
}

func (inside) Name() string { return "a namespace" }

func (h inside) Start(ctx context.Context, p weir.Program) (one *weir.Process, err error) {
	err = h.ns.Do(func() (err error) {
		one, err = here{}.Start(ctx, p)
		return err
	})
	return one, err
}

// ip has ip(8) do some things there.
func (h inside) ip(t *testing.T, batch string) {
	t.Helper()
	err := h.ns.Do(func() error {
		cmd := exec.Command("ip", "-batch", "-")
		cmd.Stdin = strings.NewReader(batch)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, said)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// accessLine is two namespaces, joined at ports of which frames of ethernet octets pass.
func accessLine(t *testing.T, ethernet int) (near, far inside) {
	t.Helper()
	testenv.NeedRoot(t)
	for _, h := range []*inside{&near, &far} {
		ns, err := netif.NewNamespace()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ns.Close() })
		h.ns = ns
	}
	a := netif.End{Namespace: near.ns, Name: "near", MAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}}
	b := netif.End{Namespace: far.ns, Name: "far", MAC: net.HardwareAddr{2, 0, 0, 0, 0, 2}}
	if err := netif.Veth(a, b, 1, ethernet); err != nil {
		t.Fatal(err)
	}
	return near, far
}

// The users of these tests, in ppp.secret's form.
const accessSecrets = "ann s3cret 10.0.0.2\nbob other 10.0.0.3\n"

func startConcentrator(t *testing.T, far inside, past *PastAccess) *agent.Agent {
	t.Helper()
	a, err := agent.Start(t.Context(), agent.Place{Host: far}, "pppoe-concentrator", AccessConcentrator{
		Access: Access{Port: "far", Device: "ppp0", XDP: past}, Name: "ac", Secrets: accessSecrets, Address: netip.MustParseAddr("10.0.0.1"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Stop(context.Background()) })
	return a
}

// startClient starts one that says who it is, and returns its session.
func startClient(t *testing.T, near inside, device, user, secret string, past *PastAccess) (a *agent.Agent, s AccessSession, err error) {
	t.Helper()
	a, err = agent.Start(t.Context(), agent.Place{Host: near}, "pppoe-client", AccessClient{
		Access: Access{Port: "near", Device: device, XDP: past}, User: user, Secret: secret,
	}, &s)
	if err == nil {
		t.Cleanup(func() { a.Stop(context.Background()) })
	}
	return a, s, err
}

func countsOf(t *testing.T, a *agent.Agent) (c AccessCounts) {
	t.Helper()
	if err := a.Ask(t.Context(), "counts", nil, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// Datagrams of both families go through a session, as large as it carries and no larger;
// with ports of 1508 octets that is what an Ethernet carries (RFC 4638). They do so in the
// same way past the programs, past one of them, or through both.
func TestAccess(t *testing.T) {
	t.Parallel()
	atClient := &PastAccess{Port: "near"}
	atConcentrator := &PastAccess{Port: "far", IPv6: map[string]netip.Addr{"bob": netip.MustParseAddr("fd00::3")}}
	for name, c := range map[string]struct {
		ethernet, carried    int
		client, concentrator *PastAccess
	}{
		"userland":                  {1500, 1492, nil, nil},
		"userland, large frames":    {1508, 1500, nil, nil},
		"xdp":                       {1500, 1492, atClient, atConcentrator},
		"xdp, large frames":         {1508, 1500, atClient, atConcentrator},
		"xdp, frames of some pages": {9000, 8992, atClient, atConcentrator},
		"xdp at the client":         {1500, 1492, atClient, nil},
		"xdp at the concentrator":   {1500, 1492, nil, atConcentrator},
	} {
		t.Run(name, func(t *testing.T) {
			near, far := accessLine(t, c.ethernet)
			near.writesChecksums(t, "near")
			far.writesChecksums(t, "far")
			throughAccess(t, near, far, c.carried, c.client, c.concentrator)
		})
	}
}

// writesChecksums has the sockets of a namespace do that, as programs in the driver of the
// other end of the line need it.
func (h inside) writesChecksums(t *testing.T, port string) {
	t.Helper()
	if err := h.ns.Do(func() error { return netif.SetFeature(port, "tx-checksum-ip-generic", false) }); err != nil {
		t.Fatal(err)
	}
}

// addressAccess gives both devices of bob's session what they need.
func addressAccess(t *testing.T, near, far inside, mtu int) {
	t.Helper()
	link := "link set dev ppp0 mtu " + strconv.Itoa(mtu) + " up\n"
	near.ip(t, link+"address add 10.0.0.3 peer 10.0.0.1 dev ppp0\naddress add fd00::3 peer fd00::1 dev ppp0 nodad\n")
	far.ip(t, link+"address add 10.0.0.1 peer 10.0.0.3 dev ppp0\naddress add fd00::1 peer fd00::3 dev ppp0 nodad\n")
	for peer, h := range map[string]inside{"[fd00::1]:9": near, "[fd00::3]:9": far} { // the kernel adds routes of IPv6 later
		testenv.Await(t, "there is a way to "+peer, func() bool {
			return h.ns.Do(func() error {
				c, err := net.Dial("udp", peer)
				if err == nil {
					c.Close()
				}
				return err
			}) == nil
		})
	}
}

func throughAccess(t *testing.T, near, far inside, carried int, atClient, atConcentrator *PastAccess) {
	concentrator := startConcentrator(t, far, atConcentrator)
	var o AccessSession
	client, s, err := startClient(t, near, "ppp0", "bob", "other", atClient)
	if err != nil {
		t.Fatal(err)
	}
	if err := concentrator.Ask(t.Context(), "session", nil, &o); err != nil {
		t.Fatal(err)
	}
	if s.Local.String() != "10.0.0.3" || s.Remote.String() != "10.0.0.1" || int(s.MRU) != carried || s.Took <= 0 || s.Peer != "02:00:00:00:00:02" ||
		o.User != "bob" || o.Remote != s.Local || o.ID != s.ID || o.MRU != s.MRU || o.Peer != "02:00:00:00:00:01" {
		t.Errorf("session %+v and %+v", s, o)
	}
	addressAccess(t, near, far, int(s.MRU))
	for _, server := range []string{"10.0.0.1", "fd00::1"} {
		var at Listening
		echo, err := agent.Start(t.Context(), agent.Place{Host: far}, "echo-serve", Listen{Address: netip.MustParseAddr(server)}, &at)
		if err != nil {
			t.Fatal(err)
		}
		var r PathReport
		err = agent.Play(t.Context(), agent.Place{Host: near}, "path-probe", PathProbe{Address: netip.MustParseAddr(server), Port: int(at.Port)}, &r)
		if err != nil || r.There.Largest != carried || r.Back.Largest != carried {
			t.Errorf("through a session of %d octets: %+v, %v", carried, r, err)
		}
		if err := echo.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	b := countsOf(t, concentrator)
	a := countsOf(t, client) // later: the kernel may have things to say of its own
	if b.Received < 4 || b.Received+b.Untaken > a.Sent || b.Sent < 4 || a.CPU <= 0 || a.Missed+b.Missed > 0 ||
		a.Protocol.Malformed+b.Protocol.Malformed+a.Protocol.NotOurs+b.Protocol.NotOurs > 0 {
		t.Errorf("counts %+v and %+v", a, b)
	}
	for _, one := range []struct {
		asked *PastAccess
		AccessCounts
	}{{atClient, a}, {atConcentrator, b}} {
		if x := one.XDP; (x == nil) != (one.asked == nil) || x != nil && (x.In < 4 || x.Out < 4 || x.Left.Length+x.Left.Segments > 0) {
			t.Errorf("past the program %+v of %+v", x, one.AccessCounts)
		}
	}
	if err := client.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	testenv.Await(t, "the concentrator has read that the client has ended", func() bool { return countsOf(t, concentrator).Protocol.Disconnected == 1 })
}

// A session that is not to be had is none, and changes none that there is.
func TestAccessRefused(t *testing.T) {
	t.Parallel()
	near, far := accessLine(t, 1500)
	concentrator := startConcentrator(t, far, nil)
	if _, _, err := startClient(t, near, "ppp0", "ann", "other", nil); err == nil || !strings.Contains(err.Error(), "does not accept this name and secret") {
		t.Errorf("with a wrong secret: %v", err)
	}
	first, _, err := startClient(t, near, "ppp0", "ann", "s3cret", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := startClient(t, near, "ppp1", "bob", "other", nil); err == nil || !strings.Contains(err.Error(), "no room for another session") {
		t.Errorf("a second session: %v", err)
	}
	if c := countsOf(t, concentrator).Protocol; c.Unproven != 1 || c.Refused != 1 {
		t.Errorf("counts %+v", c)
	}
	if err := first.Alive(); err != nil {
		t.Error(err)
	}
	if err := concentrator.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := first.End(); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("without a concentrator the client ended with %v", err)
	}
}
