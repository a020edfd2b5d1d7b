package endhost

import (
	"net"
	"testing"
	"time"

	"weir"
)

// An answer that comes late, as from a busy machine, is an answer: here that of each large
// packet waits until another packet has come.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		var late []byte
		for buffer := make([]byte, maxPayload); ; {
			n, from, err := server.ReadFromUDP(buffer)
			if err != nil {
				return
			}
			e, ok := echoOf(buffer[:n])
			if !ok {
				continue
			}
			if late != nil {
				server.WriteToUDP(late, from)
				late = nil
			}
			answer := make([]byte, e.Answer)
			e.Got = uint32(n)
			e.put(answer)
			if max(n, len(answer)) > echoSize {
				late = answer
				continue
			}
			server.WriteToUDP(answer, from)
		}
	}()
	at := server.LocalAddr().(*net.UDPAddr).AddrPort()
	found, err := probePath(t.Context(), PathProbe{Address: loopback[weir.IPv4], Port: int(at.Port()), Size: 1500})
	if err != nil || !found.There.Passes || !found.Back.Passes {
		t.Errorf("%+v, %v", found, err)
	}
}

// A server that has no CPU for seconds refuses no size, and answers what came meanwhile.
func TestServerWithoutCPU(t *testing.T) {
	t.Parallel()
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		pause := 4 * longestTrip
		for buffer := make([]byte, maxPayload); ; {
			n, from, err := server.ReadFromUDP(buffer)
			if err != nil {
				return
			}
			e, ok := echoOf(buffer[:n])
			if !ok {
				continue
			}
			if n > echoSize {
				time.Sleep(pause)
				pause = 0
			}
			answer := make([]byte, e.Answer)
			e.Got = uint32(n)
			e.put(answer)
			server.WriteToUDP(answer, from)
		}
	}()
	at := server.LocalAddr().(*net.UDPAddr).AddrPort()
	found, err := probePath(t.Context(), PathProbe{Address: loopback[weir.IPv4], Port: int(at.Port()), Size: 1500})
	if err != nil || !found.There.Passes || !found.Back.Passes {
		t.Errorf("%+v, %v", found, err)
	}
}
