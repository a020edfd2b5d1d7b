package telemetry

import "testing"

func TestTCPMemory(t *testing.T) {
	const sockets = "sockets: used 190\nTCP: inuse 9 orphan 0 tw 2 alloc 12 mem 3000\nUDP: inuse 4 mem 9000\n"
	for name, c := range map[string]struct {
		limits, sockets string
		want            float64
	}{
		"most of it":  {"3000\t4000\t6000\n", sockets, .75},
		"too much":    {"1000 2000 6000", sockets, 1.5},
		"no limits":   {"", sockets, 0},
		"no sockets":  {"3000\t4000\t6000\n", "", 0},
		"not counted": {"3000\t4000\t6000\n", "TCP: inuse 9 orphan 0\n", 0},
	} {
		if is := tcpMemory(c.limits, c.sockets); is != c.want {
			t.Errorf("%s: %g, want %g", name, is, c.want)
		}
	}
}
