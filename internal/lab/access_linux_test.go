package lab

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"weir"
)

// Transfers go through a session while an end host is connected by one, in both families
// and directions, as large as it carries; before and after they do not.
func TestAccess(t *testing.T) {
	for name, c := range map[string]struct{ testbed string }{
		"through a DUT":          {"{kind: netns}"},
		"on links that are held": {"{kind: netns, link: 100M}"},
	} {
		t.Run(name, func(t *testing.T) {
			l := openTransferLab(t, c.testbed)
			l.carries(t, 1500, false)
			undo, err := l.open.Apply(t.Context(), weir.Condition{Access: weir.Access{PPPoE: weir.Userland}})
			if err != nil {
				t.Fatal(err)
			}
			l.carries(t, 1492, true)
			done, err := l.open.Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r := l.moved(t, time.Second, weir.Transfer{Program: "tcp"}, nil)
			if r.Transferred.Failed != "" || r.Transferred.Octets == 0 || said(r, "near datagrams sent") == 0 || said(r, "near CPU") == 0 {
				t.Errorf("a stream: %+v, %+v", r.Transferred, r.Readings)
			}
			if seen, err := done(r.Sending); err != nil || seen.DUTCPU.Seconds() < said(r, "DUT CPU")*r.Sending.Seconds() {
				t.Errorf("the DUT used %v, its concentrator %v CPUs; %v", seen.DUTCPU, said(r, "DUT CPU"), err)
			}
			if err := l.open.Holds(); err != nil {
				t.Error(err)
			}
			if err := undo(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.carries(t, 1500, false)
			for _, e := range l.bed.Ends() {
				if said, err := e.Host().Run(t.Context(), "", "ip", "link", "show", "dev", accessDevice); err == nil {
					t.Errorf("the session has left %s", said)
				}
			}
		})
	}
}

// carries looks at the largest packets of the path, in both families and directions,
// and whether they go through a session.
func (l transferLab) carries(t *testing.T, mtu int, session bool) {
	t.Helper()
	for _, change := range []func(*weir.Traffic){
		nil,
		func(t *weir.Traffic) { t.Backward = true },
		func(t *weir.Traffic) { t.Family = weir.IPv6 },
	} {
		r := l.moved(t, time.Second, weir.Transfer{Program: "path"}, change)
		sent := said(r, "near datagrams sent") > 0
		if r.Transferred.PathMTU != mtu || sent != session {
			t.Errorf("packets of %d octets pass, want %d; through a session %v: %s", r.Transferred.PathMTU, mtu, sent, r.Transferred.Failed)
		}
	}
}

// said is a reading of the access line's ends; 0: there is none.
func said(r weir.TrialResult, name string) float64 {
	for _, one := range r.Readings {
		if one.Source == "pppoe" && one.Name == name {
			return one.Value
		}
	}
	return 0
}

// A session that is gone is said to be, and the lab is as before; one of the kernel's is
// refused by what is missing.
func TestAccessLost(t *testing.T) {
	l := openTransferLab(t, "{kind: netns}")
	undo, err := l.open.Apply(t.Context(), weir.Condition{Access: weir.Access{PPPoE: weir.Userland}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.line.ends[1].agent.Stop(t.Context()); err != nil { // which says goodbye
		t.Error(err)
	}
	if err := l.line.ends[0].agent.End(); err == nil || !strings.Contains(err.Error(), "PPPoE at ") {
		t.Errorf("without a concentrator: %v", err)
	}
	if err := l.open.Holds(); err == nil {
		t.Error("nobody says that the session is gone")
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
	l.carries(t, 1500, false)
	unsupported := (*weir.UnsupportedError)(nil)
	err = l.open.Cannot(t.Context(), weir.Condition{Access: weir.Access{PPPoE: weir.KernelPPP}})
	if _, there := os.Stat(devicePPP); !errors.As(err, &unsupported) || (there != nil) != strings.Contains(err.Error(), "there is no "+devicePPP) {
		t.Errorf("a session of the kernel's: %v", err)
	}
}
