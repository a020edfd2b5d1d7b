package endhost

import (
	"net"
	"testing"
	"time"

	"weir"
)

// answerProbes answers packets of a path probe, as handle has it, until the test ends, and returns
// the port.
func answerProbes(t *testing.T, handle func(received int, answer []byte, send func([]byte))) int {
	t.Helper()
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		for buffer := make([]byte, maxPayload); ; {
			n, from, err := server.ReadFromUDP(buffer)
			if err != nil {
				return
			}
			e, ok := echoOf(buffer[:n])
			if !ok {
				continue
			}
			answer := make([]byte, e.Answer)
			e.Got = uint32(n)
			e.put(answer)
			handle(n, answer, func(b []byte) { _, _ = server.WriteToUDP(b, from) }) // it is asked again
		}
	}()
	return server.LocalAddr().(*net.UDPAddr).Port
}

// checkWhole checks that a probe finds packets of 1500 octets in both directions.
func checkWhole(t *testing.T, port int) {
	t.Helper()
	found, err := probePath(t.Context(), PathProbe{Address: loopback[weir.IPv4], Port: port, Size: 1500})
	if err != nil || !found.There.Passes || !found.Back.Passes {
		t.Errorf("%+v, %v", found, err)
	}
}

// An answer that comes late, as from a busy machine, is an answer: here that of each large
// packet waits until another packet has come.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	var late []byte
	checkWhole(t, answerProbes(t, func(received int, answer []byte, send func([]byte)) {
		if late != nil {
			send(late)
			late = nil
		}
		if max(received, len(answer)) > echoSize {
			late = answer
			return
		}
		send(answer)
	}))
}

// A server that has no CPU for seconds refuses no size, and answers what came meanwhile.
func TestServerWithoutCPU(t *testing.T) {
	t.Parallel()
	pause := 4 * longestTrip
	checkWhole(t, answerProbes(t, func(received int, answer []byte, send func([]byte)) {
		if received > echoSize {
			time.Sleep(pause)
			pause = 0
		}
		send(answer)
	}))
}
