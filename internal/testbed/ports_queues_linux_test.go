package testbed

import (
	"testing"

	"weir/internal/settings"
)

// Numbers of a port are raised where they can be, and those that only send stay.
func TestRaise(t *testing.T) {
	const head = "Channel parameters for eth1:\nPre-set maximums:\n"
	for _, tt := range []struct {
		name, kind, most, now string
		least                 int
		want                  string
	}{
		{"rings to their maximum", settings.Rings, "RX:\t4096\nTX:\t4096\n", "RX:\t256\nTX:\t512\n", 0, "rx 4096 tx 512"},
		{"as many queues as CPUs", settings.Channels, "RX:\tn/a\nTX:\tn/a\nCombined:\t8\n", "RX:\tn/a\nTX:\tn/a\nCombined:\t1\n", 3, "combined 3"},
		{"more queues than CPUs stay", settings.Channels, "Combined:\t8\n", "Combined:\t6\n", 3, "combined 6"},
		{"fewer than CPUs, where there are no more", settings.Channels, "Combined:\t2\n", "Combined:\t1\n", 3, "combined 2"},
		{"queues of their own", settings.Channels, "RX:\t4\nTX:\t4\nCombined:\tn/a\n", "RX:\t1\nTX:\t1\nCombined:\tn/a\n", 2, "rx 2 tx 1"},
		{"queues of their own where there could be others", settings.Channels, "RX:\t8\nTX:\t8\nCombined:\t8\n", "RX:\t4\nTX:\t4\nCombined:\t0\n", 4, "rx 4 tx 4 combined 0"},
	} {
		has := settings.ParseCounts(head + tt.most + "Current hardware settings:\n" + tt.now)
		raise(has, tt.least)
		if got := settings.Value(tt.kind, has.Now); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
