package remote

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/tester"
)

const us = time.Microsecond

// follows is a reading of a machine whose PTP clock follows another, or itself.
func follows(own, parent string, offset, delay, ahead time.Duration) Reading {
	return Reading{PTP: &PTP{Own: own, Parent: parent, Grandmaster: "g", Offset: offset, Delay: delay, Interface: "eth0"}, Ahead: ahead, Width: 50, Age: time.Second}
}

// changed is a reading with something else.
func changed(r Reading, change func(*Reading)) Reading {
	p := *r.PTP
	r.PTP = &p
	change(&r)
	return r
}

// What two machines' clocks are proven to agree to, or why they are not.
func TestAgreement(t *testing.T) {
	a, b := follows("a", "g", -3*us, 10*us, 0), follows("b", "g", 2*us, 20*us, 0)
	for _, c := range []struct {
		name string
		a, b Reading
		want time.Duration
		why  string
	}{
		{"both follow one clock", a, b, 35*us + 100, ""},
		{"one follows the other", follows("a", "b", -3*us, 10*us, 0), b, 13*us + 100, ""},
		{"the other follows the one", a, follows("b", "a", 2*us, 20*us, 0), 22*us + 100, ""},
		{"the grandmaster itself has nothing measured", a, follows("g", "g", 99*us, 99*us, 0), 13*us + 100, ""},
		{"nor is it stale", a, changed(follows("g", "g", 0, 0, 0), func(r *Reading) { r.Age = time.Hour }), 13*us + 100, ""},
		{"no daemon", a, Reading{}, 0, "no PTP daemon"},
		{"other grandmasters", a, changed(b, func(r *Reading) { r.PTP.Grandmaster = "h" }), 0, "different PTP grandmasters, g and h"},
		{"a card's clock and the system's", a, changed(b, func(r *Reading) { r.PTP.Hardware = true }), 0, "different time scales"},
		{"a card that cannot be asked", a, changed(b, func(r *Reading) { r.PTP.Hardware, r.Fault = true, "no /dev/ptp0" }), 0, "no /dev/ptp0"},
		{"clocks between them", a, follows("b", "c", 0, us, 0), 0, "different PTP clocks, g and c"},
		{"one that measures no more", a, changed(b, func(r *Reading) { r.Age = 6 * time.Second }), 0, "measured the clock of b 6s ago"},
		{"one that was set anew since", changed(a, func(r *Reading) { r.Age = -1 }), b, 0, "measured the clock of a"},
	} {
		got, err := agreement(c.a, c.b)
		if got != c.want || (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
		if back, _ := agreement(c.b, c.a); back != c.want {
			t.Errorf("%s: %v the other way round", c.name, back)
		}
	}
}

// The clock of frames of one machine that was started an hour before the other is an hour
// ahead, whatever the time of day is.
func TestAhead(t *testing.T) {
	const day = 1795520588 * time.Second
	early, late := Reading{Ahead: day - 2*time.Hour}, Reading{Ahead: day - time.Hour}
	if d := ahead(early, late); d != time.Hour {
		t.Errorf("%v ahead", d)
	}
	if d := ahead(late, early); d != -time.Hour {
		t.Errorf("%v ahead", d)
	}
}

// Latencies may be off by the worse of what both moments say, and by as much as the clocks
// moved between them.
func TestWithin(t *testing.T) {
	a, b := follows("a", "g", 1*us, 10*us, 500*us), follows("g", "g", 0, 0, 100*us)
	shifted := func(by time.Duration) Reading { return changed(a, func(r *Reading) { r.Ahead += by }) }
	for _, c := range []struct {
		name     string
		from, to [2]Reading
		want     time.Duration
		why      string
	}{
		{"nothing moved", [2]Reading{a, a}, [2]Reading{b, b}, 11*us + 100, ""},
		{"the other direction", [2]Reading{b, b}, [2]Reading{a, a}, 11*us + 100, ""},
		{"worse after it", [2]Reading{a, changed(a, func(r *Reading) { r.PTP.Offset = -5 * us })}, [2]Reading{b, b}, 15*us + 100, ""},
		{"worse before it", [2]Reading{changed(a, func(r *Reading) { r.PTP.Delay = 50 * us }), a}, [2]Reading{b, b}, 51*us + 100, ""},
		{"a card's clock that drifts", [2]Reading{a, shifted(3 * us)}, [2]Reading{b, b}, 14*us + 100, ""},
		{"both move alike", [2]Reading{a, shifted(3 * us)}, [2]Reading{b, changed(b, func(r *Reading) { r.Ahead += 3 * us })}, 11*us + 100, ""},
		{"a clock that was set anew", [2]Reading{a, shifted(-time.Second)}, [2]Reading{b, b}, time.Second + 11*us + 100, ""},
		{"another parent", [2]Reading{a, changed(a, func(r *Reading) { r.PTP.Parent = "h" })}, [2]Reading{b, changed(b, func(r *Reading) { r.PTP.Parent = "h" })}, 0, "other clocks"},
		{"no daemon any more", [2]Reading{a, {}}, [2]Reading{b, b}, 0, "no PTP daemon"},
		{"none at all", [2]Reading{}, [2]Reading{}, 0, "no PTP daemon"},
	} {
		got, err := within(c.from, c.to)
		if got != c.want || (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}

// The quickest of several readings says how far two clocks are apart, and how exactly.
func TestNarrowest(t *testing.T) {
	ahead, width := narrowest([][3]time.Duration{{100, 1100, 150}, {200, 1204, 209}, {300, 1380, 400}})
	if ahead != 999 || width != 5 { // it was read between 200 and 209
		t.Errorf("%d ahead, to within %d", ahead, width)
	}
	said := [][3]unix.PtpClockTime{{{Sec: 5}, {Sec: 42, Nsec: 10}, {Sec: 5, Nsec: 20}}}
	if ahead, width := narrowest(ofCard(said)); ahead != 37*time.Second || width != 10 {
		t.Errorf("a card's clock is %v ahead, to within %d", ahead, width)
	}
}

// The clock of the time of day was never set meanwhile, so that it is as far from the one
// that nothing sets as it was before.
func TestApart(t *testing.T) {
	first, width := apart(systemClock, tester.Now)
	again, other := apart(systemClock, tester.Now)
	if moved := (again - first).Abs(); moved > width+other || width <= 0 {
		t.Errorf("%v to within %v, and %v to within %v", first, width, again, other)
	}
}

// A port without a card that has a clock is said to have none.
func TestCardClock(t *testing.T) {
	for _, port := range []string{"lo", "no-such-port"} {
		if ahead, _, err := cardClock(port); err == nil {
			t.Errorf("the clock of %s is %v ahead", port, ahead)
		}
	}
}
