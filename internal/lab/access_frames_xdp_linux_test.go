package lab

import (
	"fmt"
	"testing"

	"weir"
)

// The smallest test frames go through a session past the concentrator's program, out of it
// and into it: all of them come, in the session, and none goes by the program.
func TestSessionsOfFramesByXDP(t *testing.T) {
	t.Parallel()
	for family, size := range map[weir.Family]int{weir.IPv4: 66, weir.IPv6: 86} {
		t.Run(string(family), func(t *testing.T) {
			t.Parallel()
			l, open := openFrameLab(t, fmt.Sprintf("{dut: {access: {pppoe: xdp}}, traffic: {sessions: 1, flows: 5, bidirectional: yes, sizes: [%d], family: %s}, methods: [sweep]}", size, family))
			undo, err := open.Apply(t.Context(), l.plan.Levels[0].Condition)
			if err != nil {
				t.Fatal(err)
			}
			r := measured(t, open, l.plan.Traffic[0], nil)
			if r.Offered != 2*few || r.Received != r.Offered || len(r.Ledger.Drops) > 0 || len(r.Streams) != 2 {
				t.Errorf("%d of %d came: %+v, %+v", r.Received, r.Offered, r.Ledger, r.Streams)
			}
			for i, name := range []string{"DUT datagrams by XDP out of the session", "DUT datagrams by XDP into the session"} {
				if past := said(r, name) * r.Sending.Seconds(); past < .999*float64(r.Streams[i].Sent) {
					t.Errorf("%s: %.0f, and %d frames were sent", name, past, r.Streams[i].Sent)
				}
			}
			if routed := said(r, "DUT of these forwarded by XDP") * r.Sending.Seconds(); routed < .999*float64(r.Offered) {
				t.Errorf("of %d frames XDP forwarded %.0f: %+v", r.Offered, routed, r.Readings)
			}
			if err := open.Holds(); err != nil {
				t.Error(err)
			}
			if err := undo(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
