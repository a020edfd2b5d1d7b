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
