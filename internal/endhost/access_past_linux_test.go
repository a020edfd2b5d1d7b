package endhost

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// A port that would take no packets out of sessions is refused, and what to do is said.
func TestAccessStrict(t *testing.T) {
	t.Parallel()
	near, _ := accessLine(t, 1500)
	err := near.ns.Do(func() error { return os.WriteFile("/proc/sys/net/ipv4/conf/near/rp_filter", []byte("1"), 0) })
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = startClient(t, near, "ppp0", "ann", "s3cret", &PastAccess{Port: "near"})
	if err == nil || !strings.Contains(err.Error(), "sysctl net.ipv4.conf.near.rp_filter=2") {
		t.Errorf("with strict checks of sources: %v", err)
	}
}

// Datagrams that the kernel has yet to cut go by way of the program, each with a length of
// its own.
func TestAccessSegments(t *testing.T) {
	t.Parallel()
	near, far := accessLine(t, 1500)
	near.writesChecksums(t, "near")
	startConcentrator(t, far, nil)
	client, s, err := startClient(t, near, "ppp0", "bob", "other", &PastAccess{Port: "near"})
	if err != nil {
		t.Fatal(err)
	}
	addressAccess(t, near, far, int(s.MRU))
	var to, from *net.UDPConn
	err = far.ns.Do(func() (err error) {
		to, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(10, 0, 0, 1)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	err = near.ns.Do(func() (err error) {
		from, err = net.DialUDP("udp4", nil, to.LocalAddr().(*net.UDPAddr))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	raw, err := from.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_SEGMENT, 1000) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.Write(make([]byte, 2500)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1000, 1000, 500} {
		if n, err := to.Read(make([]byte, 3000)); n != want || err != nil {
			t.Errorf("a datagram of %d octets came, want %d; %v", n, want, err)
		}
	}
	if c := countsOf(t, client); c.XDP.Left.Segments != 1 || c.Unsent > 0 {
		t.Errorf("counts %+v, past the program %+v", c, c.XDP)
	}
}

// What an end has attached goes with its process, also when that is killed.
func TestAccessKilled(t *testing.T) {
	t.Parallel()
	near, far := accessLine(t, 1500)
	startConcentrator(t, far, nil)
	client, _, err := startClient(t, near, "ppp0", "bob", "other", &PastAccess{Port: "near"})
	if err != nil {
		t.Fatal(err)
	}
	links := func() (said string) {
		err := near.ns.Do(func() error {
			out, err := exec.Command("ip", "link").Output()
			said = string(out)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	if said := links(); !strings.Contains(said, "prog/xdp") || !strings.Contains(said, "ppp0") {
		t.Errorf("with a session there is %s", said)
	}
	if err := unix.Kill(client.PID(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	client.End() // which says that it was killed
	testenv.Await(t, "what the killed process had attached goes", func() bool {
		said := links()
		return !strings.Contains(said, "xdp") && !strings.Contains(said, "ppp0")
	})
}
