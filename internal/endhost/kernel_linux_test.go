package endhost

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/agent"
)

// What every system has does the same as what Linux has.
func TestConnections(t *testing.T) {
	for name, k := range map[string]kernel{"linux": ofLinux, "plain": plain} {
		for family, address := range loopback {
			opened, err := serveConnections(t.Context(), Listen{Address: address})
			if err != nil {
				t.Fatal(err)
			}
			go opened.Serve()
			at := netip.AddrPortFrom(address, opened.Value.(Listening).Port)
			if err := k.connection(at); err != nil {
				t.Errorf("%s, %v: %v", name, family, err)
			}
			if err := k.connection(closedPort(t, address)); !errors.Is(err, unix.ECONNREFUSED) {
				t.Errorf("%s, %v: nobody listens, and it says %v", name, family, err)
			}
		}
	}
}

// closedPort is one that nobody listens on.
func closedPort(t *testing.T, a netip.Addr) netip.AddrPort {
	t.Helper()
	fd, err := udpSocket(netip.AddrPortFrom(a, 0), netip.AddrPort{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	own, err := localAddr(fd)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

// Who does not answer is not waited for longer than was said.
func TestReachEnds(t *testing.T) {
	listener, err := socket(loopback[weir.IPv4], unix.SOCK_STREAM)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(listener)
	err = errors.Join(unix.Bind(listener, sockaddr(netip.AddrPortFrom(loopback[weir.IPv4], 0))), unix.Listen(listener, 0))
	if err != nil {
		t.Fatal(err)
	}
	at, err := localAddr(listener)
	if err != nil {
		t.Fatal(err)
	}
	const limit = 200 * time.Millisecond
	for range 5 { // it takes some without being asked
		fd, err := socket(at.Addr(), unix.SOCK_STREAM)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		begun := time.Now()
		if err = plain.reach(fd, sockaddr(at), limit); err == nil {
			continue
		}
		if took := time.Since(begun); !errors.Is(err, unix.ETIMEDOUT) || took < limit {
			t.Errorf("after %v: %v", took, err)
		}
		return
	}
	t.Error("it takes connections without end: this test shows nothing")
}

// The path is probed, and echoes come back, whatever the streams have of a system.
func TestPlainRoles(t *testing.T) {
	self := agent.Place{Host: here{}, Env: []string{Env, kernelEnv + "=plain"}}
	var at Listening
	server, err := agent.Start(t.Context(), self, "echo-serve", Listen{Address: loopback[weir.IPv4]}, &at)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop(t.Context())
	var found PathReport
	if err := agent.Play(t.Context(), self, "path-probe", PathProbe{Address: loopback[weir.IPv4], Port: int(at.Port), Size: 1500, Echoes: 2, Every: time.Millisecond}, &found); err != nil {
		t.Fatal(err)
	}
	if !found.There.Passes || !found.Back.Passes || found.RTT.N+uint64(found.Lost) != 2 {
		t.Errorf("%+v", found)
	}
	if err := agent.Play(t.Context(), self, "http-serve", ServeHTTP{}, nil); err == nil {
		t.Error("a role that only Linux has was played")
	}
}
