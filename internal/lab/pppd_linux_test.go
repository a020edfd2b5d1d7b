//go:build pppd

package lab

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weir"
	"weir/internal/agent"
	"weir/internal/endhost"
	"weir/internal/pppoe"
	"weir/internal/service"
	"weir/internal/settings"
	"weir/internal/shell"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/vm"
)

// pppdCable is a cable between a machine of Debian's, where pppd runs, and a namespace,
// where weir's own end of a line does.
type pppdCable struct {
	machine *shell.Host
	near    weir.Host
	taps    *testbed.Taps
	keep    string // folder for captures
}

// The line of these tests.
var (
	pppdGateway = netip.MustParseAddr("10.0.0.1")
	pppdClient  = netip.MustParseAddr("10.0.0.2")
)

const (
	pppdUser, pppdSecret = "ann", "s3cret"
	pppdService          = endhost.AccessService
)

// openPPPDCable boots the machine.
func openPPPDCable(t *testing.T) *pppdCable {
	t.Helper()
	cache, err := cacheFolder()
	if err != nil {
		t.Fatal(err)
	}
	system, err := vm.Image(t.Context(), vm.System{Debian: "6.12"}, cache)
	if err != nil {
		t.Fatal(err)
	}
	folder, leave, err := testbed.SocketFolder()
	if err != nil {
		t.Fatal(err)
	}
	undo := func(f func() error) {
		t.Cleanup(func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
	}
	undo(leave)
	c := &pppdCable{keep: os.Getenv("WEIR_TEST_CAPTURES")}
	if c.keep == "" {
		c.keep = t.TempDir()
	}
	if c.taps, err = testbed.OpenTaps(1, 1); err != nil {
		t.Fatal(err)
	}
	undo(c.taps.Close)
	m, err := vm.Boot(t.Context(), vm.Config{
		Name: "pppd", System: system, Memory: 256, CPUs: 1, Folder: folder, Log: filepath.Join(t.TempDir(), "console"),
		Ports: []vm.Port{{Tap: c.taps.Files[0], MAC: testbed.MachineMAC(0)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	undo(m.Close)
	if err := c.taps.Leave(); err != nil {
		t.Fatal(err)
	}
	if c.machine, err = shell.New(t.Context(), "vm:pppd", m.Dial); err != nil {
		t.Fatal(err)
	}
	undo(c.machine.Close)
	if err := m.Plug(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	c.near = testbed.Machine("near", c.taps.Space)
	return c
}

// pppdCase is a session, or what ends before there is one.
type pppdCase struct {
	server bool   // pppd is the concentrator, and weir the client
	proof  string // "chap" or "pap"
	wrong  bool   // the secret
	mtu    int
}

func (c pppdCase) String() string {
	role, secret := "client", "right"
	if c.server {
		role = "server"
	}
	if c.wrong {
		secret = "wrong"
	}
	return fmt.Sprintf("%s-%s-%s-%d", role, c.proof, secret, c.mtu)
}

// pppdCases are all of them.
func pppdCases() (out []pppdCase) {
	for _, server := range []bool{false, true} {
		for _, mtu := range []int{1492, 1500} {
			for _, proof := range []string{"chap", "pap"} {
				for _, wrong := range []bool{false, true} {
					out = append(out, pppdCase{server, proof, wrong, mtu})
				}
			}
		}
	}
	return out
}

// Programs that nobody here wrote have sessions with weir's: Debian's pppd as client with
// weir's concentrator, and as rp-pppoe's concentrator with weir's client. Datagrams of both
// families go through them, as large as was agreed on; who has a wrong secret has none.
func TestPPPD(t *testing.T) {
	testenv.Long(t)
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "qemu-system-x86_64", "apt-get", "dpkg-deb", "ip", "ping", "tshark")
	testenv.LikeArchive(t, "http://deb.debian.org/debian/dists/bookworm/Release")
	cable := openPPPDCable(t)
	for _, c := range pppdCases() {
		t.Run(c.String(), func(t *testing.T) { cable.try(t, c) })
	}
	t.Run("kernel-line", cable.kernelLine)
}

// try has the ends make a session, looks at it, ends it, and has a dissector look at all
// that passed the cable.
func (c *pppdCable) try(t *testing.T, is pppdCase) {
	const overhead = 8
	c.run(t, c.near, "ip", "link", "set", c.taps.Names[0], "mtu", strconv.Itoa(is.mtu+overhead), "up")
	c.run(t, c.machine, "ip", "link", "set", "eth0", "mtu", strconv.Itoa(is.mtu+overhead), "up")
	capture := c.capture(t, is)
	line := service.PPPoE{
		Interface: "eth0", Service: pppdService, Proofs: []string{is.proof}, MTU: is.mtu, IPv6: true,
		Users: []service.PPPoEUser{{Name: pppdUser, Secret: pppdSecret}},
	}
	if is.wrong {
		line.Users[0].Secret = "guessed"
	}
	if is.server {
		c.asServer(t, is, line)
	} else {
		c.asClient(t, is, line)
	}
	capture.dissect(t, is)
}

// run runs a command to its end.
func (c *pppdCable) run(t *testing.T, at weir.Host, argv ...string) string {
	t.Helper()
	said, err := at.Run(t.Context(), "", argv...)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// start starts a program at the machine. What is left there when undo has run fails the test.
func (c *pppdCable) start(t *testing.T, name string, line service.PPPoE, undo *settings.Undo) *service.Service {
	t.Helper()
	i := slices.IndexFunc(service.PPPoEPrograms, func(p service.PPPoEProgram) bool { return p.Name == name })
	s, err := service.PPPoEPrograms[i].Start(t.Context(), service.Place{Host: c.machine}, line, undo)
	if err != nil {
		t.Fatal(errors.Join(err, undo.Run(t.Context())))
	}
	t.Cleanup(func() {
		if err := undo.Run(context.Background()); err != nil {
			t.Error(err)
		}
		c.nothingLeft(t)
	})
	return s
}

// nothingLeft fails where the machine still has something of a session.
func (c *pppdCable) nothingLeft(t *testing.T) {
	t.Helper()
	const look = `for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	left=$(ps -A -o args= | grep ppp | grep -v grep; ls -d /tmp/weir-* /etc/ppp/* /sys/class/net/ppp* 2>/dev/null)
	[ "$left" ] || break
	sleep 1
done
echo "$left"`
	if left, err := c.machine.Run(context.Background(), "", "sh", "-c", look); err != nil || strings.TrimSpace(left) != "" {
		t.Errorf("left at the machine: %v\n%s", err, left)
	}
}

// asClient has pppd have a session with weir's concentrator.
func (c *pppdCable) asClient(t *testing.T, is pppdCase, line service.PPPoE) {
	demand := map[string]pppoe.Protocol{"chap": pppoe.CHAP, "pap": pppoe.PAP}[is.proof]
	concentrator, err := agent.Start(t.Context(), agent.Place{Host: c.near}, "pppoe-concentrator", endhost.AccessConcentrator{
		Access: endhost.Access{Port: c.taps.Names[0], Device: "ppp0"}, Name: "weir", Address: pppdGateway,
		Secrets: fmt.Sprintf("%s %s %s\n", pppdUser, pppdSecret, pppdClient), Demand: []pppoe.Protocol{demand},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer concentrator.Stop(context.Background())
	var undo settings.Undo
	pppd := c.start(t, "pppd", line, &undo)
	var counts endhost.AccessCounts
	if is.wrong {
		if err := pppd.End(); err == nil || !strings.Contains(err.Error(), "exit status 19") { // "we failed to authenticate ourselves to the peer"
			t.Errorf("with a wrong secret pppd has ended with %v", err)
		}
	} else {
		var s endhost.AccessSession
		var err error
		testenv.Await(t, "there is a session", func() bool {
			err = concentrator.Ask(t.Context(), "session", nil, &s)
			return err == nil || pppd.Alive() != nil
		})
		if err != nil {
			t.Fatalf("%v; pppd: %v", err, pppd.Alive())
		}
		if s.User != pppdUser || s.Auth != demand || s.Local != pppdGateway || s.Remote != pppdClient {
			t.Errorf("the session is %+v", s)
		}
		c.use(t, is, s)
	}
	if err := undo.Run(t.Context()); err != nil {
		t.Error(err)
	}
	testenv.Await(t, "the session is over", func() bool {
		if err := concentrator.Ask(t.Context(), "counts", nil, &counts); err != nil {
			t.Fatal(err)
		}
		return counts.Protocol.Disconnected > 0
	})
	unproven := uint64(0)
	if is.wrong {
		unproven = 1
	}
	if p := counts.Protocol; p.Established != 1 || p.Disconnected != 1 || p.Unproven != unproven || p.Malformed+p.Illegal+p.BadMagic+p.Looped+p.Dead > 0 {
		t.Errorf("weir's concentrator counts %+v", p)
	}
}

// asServer has weir's client have a session with rp-pppoe's concentrator.
func (c *pppdCable) asServer(t *testing.T, is pppdCase, line service.PPPoE) {
	line.Name, line.Local, line.Pool, line.Sessions = "rp", pppdGateway, pppdClient, 1
	var undo settings.Undo
	server := c.start(t, "rp-pppoe", line, &undo)
	defer func() {
		if t.Failed() {
			said, err := c.machine.Run(context.Background(), "", "cat", server.Folder+"/log")
			t.Logf("its pppd said:\n%s%v", said, err)
		}
	}()
	var s endhost.AccessSession
	client, err := agent.Start(t.Context(), agent.Place{Host: c.near}, "pppoe-client", endhost.AccessClient{
		Access: endhost.Access{Port: c.taps.Names[0], Device: "ppp0"}, User: pppdUser, Secret: pppdSecret,
	}, &s)
	if is.wrong {
		if err == nil || !strings.Contains(err.Error(), "does not accept this name and secret") {
			t.Errorf("with a wrong secret weir's client says %v", err)
		}
		if err == nil {
			client.Stop(t.Context())
		}
	} else if err != nil {
		t.Fatalf("%v; rp-pppoe: %v", err, server.Alive())
	} else {
		if want := map[string]pppoe.Protocol{"chap": pppoe.CHAP, "pap": pppoe.PAP}[is.proof]; s.OwnProof != want || s.Local != pppdClient || s.Remote != pppdGateway {
			t.Errorf("the session is %+v", s)
		}
		c.use(t, is, s)
		if err := client.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := undo.Run(t.Context()); err != nil {
		t.Error(err)
	}
}

// use sends echoes of both families through a session, of which request and reply are as
// large as it carries.
func (c *pppdCable) use(t *testing.T, is pppdCase, s endhost.AccessSession) {
	t.Helper()
	if int(s.MRU) != is.mtu || int(s.OwnMRU) != is.mtu {
		t.Errorf("the session carries %d octets there and %d back", s.MRU, s.OwnMRU)
	}
	if said := strings.TrimSpace(c.run(t, c.machine, "cat", "/sys/class/net/ppp0/mtu")); said != strconv.Itoa(is.mtu) {
		t.Errorf("pppd's device carries %s octets", said)
	}
	linkLocal := func(id [8]byte) netip.Addr {
		return netip.AddrFrom16([16]byte(append([]byte{0xfe, 0x80, 7: 0}, id[:]...)))
	}
	batch := fmt.Sprintf("link set ppp0 addrgenmode none\nlink set ppp0 mtu %d up\naddress add %s peer %s dev ppp0\naddress add %s/64 dev ppp0 nodad\n",
		is.mtu, s.Local, s.Remote, linkLocal(s.LocalID))
	if _, err := c.near.Run(t.Context(), batch, "ip", "-batch", "-"); err != nil {
		t.Fatal(err)
	}
	for to, headers := range map[string]int{s.Remote.String(): 20 + 8, linkLocal(s.RemoteID).String() + "%ppp0": 40 + 8} {
		testenv.Await(t, "a ping is answered", func() bool { // pppd sets its addresses a moment later
			_, err := c.near.Run(t.Context(), "", "ping", "-n", "-c", "1", "-W", "2", "-M", "do", "-s", strconv.Itoa(is.mtu-headers), to)
			return err == nil
		})
	}
}
