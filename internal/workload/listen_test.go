package workload

import "testing"

func TestListening(t *testing.T) {
	const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 020012C6:0898 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0
   1: 00000000:0899 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 100 0 0 10 0
   2: 020012C6:0898 020013C6:D2F0 01 00000000:00000000 02:000AFD9E 00000000     0        0 4713 2 0000000000000000 20 4 30 10 -1
`
	const tcp6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:0898 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4714 1 0000000000000000 100 0 0 10 0
`
	for _, c := range []struct {
		table string
		port  int
		want  bool
	}{{tcp, 2200, true}, {tcp, 2201, true}, {tcp, 53999, false}, {tcp6, 2200, true}, {"", 2200, false}} {
		if got := listening(c.table, c.port); got != c.want {
			t.Errorf("port %d: %v", c.port, got)
		}
	}
}

// What netstat(1) says is from its manuals, and was not run here.
func TestListed(t *testing.T) {
	const said = `Active Internet connections (including servers)
Proto Recv-Q Send-Q Local Address          Foreign Address        (state)
tcp4       0      0 10.0.0.1.5201          10.0.0.2.40000         ESTABLISHED
tcp4       0      0 10.0.0.1.15202         *.*                    LISTEN
tcp6       0      0 *.5203                 *.*                    LISTEN
udp4       0      0 198.18.0.2.5001        *.*
`
	for _, c := range []struct {
		port      int
		udp, want bool
	}{{5201, false, false}, {5202, false, false}, {5203, false, true}, {5203, true, false}, {5001, true, true}, {5001, false, false}} {
		if got := listed(said, c.port, c.udp); got != c.want {
			t.Errorf("port %d, UDP %v: %v", c.port, c.udp, got)
		}
	}
}
