package lab

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// Transfers go through a session while an end host is connected by one, in both families
// and directions, as large as it carries; afterwards they do not.
func TestAccess(t *testing.T) {
	for name, c := range map[string]struct {
		testbed, concentrator, serves string
		by                            weir.DataPath
		long                          bool // others show each part of it
	}{
		"through a DUT":                {"{kind: netns}", "", "DUT", weir.Userland, false},
		"on links that are held":       {"{kind: netns, link: 100M}", "", "DUT", weir.Userland, true},
		"on a cable, to far":           {"{kind: netns}\ndut: none", weir.Far, "far", weir.Userland, true},
		"on a cable, to near":          {"{kind: netns, link: 100M}\ndut: none", weir.Near, "near", weir.Userland, true},
		"xdp through a DUT":            {"{kind: netns}", "", "DUT", weir.XDP, false},
		"xdp on links that are held":   {"{kind: netns, link: 100M}", "", "DUT", weir.XDP, true},
		"xdp on a cable, to far":       {"{kind: netns}\ndut: none", weir.Far, "far", weir.XDP, true},
		"xdp on a held cable, to near": {"{kind: netns, link: 100M}\ndut: none", weir.Near, "near", weir.XDP, false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.long {
				testenv.Long(t)
			}
			l := openTransferLab(t, c.testbed)
			undo, err := l.open.Apply(t.Context(), weir.ConditionOf(weir.Access{PPPoE: c.by, Concentrator: c.concentrator}))
			if err != nil {
				t.Fatal(err)
			}
			if l.line.ends[1].name != c.serves || l.line.ends[0].name == c.serves {
				t.Errorf("%s is the client of %s", l.line.ends[0].name, l.line.ends[1].name)
			}
			l.carries(t, 1492, true, func(t *weir.Traffic) { t.Family, t.Backward = weir.IPv6, true })
			r := l.moved(t, time.Second, weir.Transfer{Program: "path", Payload: 1493}, nil)
			if !strings.Contains(r.Transferred.Failed, "do not pass") {
				t.Errorf("packets of 1493 octets: %q", r.Transferred.Failed)
			}
			done, err := l.open.Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r = l.moved(t, 500*time.Millisecond, weir.Transfer{Program: "tcp"}, nil)
			if r.Transferred.Failed != "" || r.Transferred.Octets == 0 || said(r, "near datagrams sent") == 0 || said(r, "near CPU") == 0 {
				t.Errorf("a stream: %+v, %+v", r.Transferred, r.Readings)
			}
			if seen, err := done(r.Sending); err != nil || (seen.DUTCPU > 0) != (c.serves == "DUT") || seen.DUTCPU.Seconds() < said(r, "DUT CPU")*r.Sending.Seconds() {
				t.Errorf("the DUT used %v, its concentrator %v CPUs; %v", seen.DUTCPU, said(r, "DUT CPU"), err)
			}
			const aside = 20 // datagrams/s of the kernel's own, as those for neighbours, however few others there are
			past, all := said(r, "near datagrams by XDP into the session"), said(r, "near datagrams sent")
			if c.by == weir.XDP && past < 0.99*all-aside || c.by != weir.XDP && past > 0 {
				t.Errorf("of %.0f datagrams/s that near sent %.0f went past its program", all, past)
			}
			if routed := said(r, "DUT of these forwarded by XDP"); (routed >= 0.99*all-aside) != (c.by == weir.XDP && c.serves == "DUT") {
				t.Errorf("of %.0f datagrams/s that near sent the DUT forwarded %.0f in its drivers, and their answers: %+v", all, routed, r.Readings)
			}
			if err := l.open.Holds(); err != nil {
				t.Error(err)
			}
			if err := undo(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.carries(t, 1500, false, nil)
			for _, e := range l.bed.Ends() {
				if said, err := e.Host().Run(t.Context(), "", "ip", "link", "show", "dev", accessDevice); err == nil {
					t.Errorf("the session has left %s", said)
				}
			}
		})
	}
}

// carries looks whether packets of a size get through, by a session or not.
func (l transferLab) carries(t *testing.T, size int, session bool, change func(*weir.Traffic)) {
	t.Helper()
	r := l.moved(t, time.Second, weir.Transfer{Program: "path", Payload: size}, change)
	if sent := said(r, "near datagrams sent") > 0; r.Transferred.Failed != "" || sent != session {
		t.Errorf("packets of %d octets, through a session %v: %s", size, sent, r.Transferred.Failed)
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
	t.Parallel()
	l := openTransferLab(t, "{kind: netns}")
	undo, err := l.open.Apply(t.Context(), weir.ConditionOf(weir.Access{PPPoE: weir.Userland}))
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
	l.carries(t, 1500, false, nil)
	unsupported := (*weir.UnsupportedError)(nil)
	err = l.open.Cannot(t.Context(), weir.ConditionOf(weir.Access{PPPoE: weir.KernelPPP}))
	_, there := os.Stat(devicePPP)
	if refused := errors.As(err, &unsupported) && strings.Contains(err.Error(), devicePPP); refused != (there != nil) || !refused && err != nil {
		t.Errorf("a session of the kernel's: %v", err)
	}
}
