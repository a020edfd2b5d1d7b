package remote

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weir"
)

// PTP is what the PTP daemon of a machine (ptp4l of linuxptp) says of the clock that it
// sets.
type PTP struct {
	Grandmaster string        `json:"grandmaster"` // its identity
	Offset      time.Duration `json:"offset"`      // from it, as last measured
	Delay       time.Duration `json:"delay"`       // of the path to it, the mean of both ways
}

// Bound is how far that clock may be off the grandmaster's: by the offset, and by as much as
// the two ways of the path may differ, which is twice their mean, and half of which goes
// into the offset.
func (p PTP) Bound() time.Duration { return p.Offset.Abs() + p.Delay }

// askPTP asks the daemon of a machine; nil: it has none that answers.
func askPTP(ctx context.Context, h weir.Host) *PTP {
	ctx, cancel := context.WithTimeout(ctx, quietLimit)
	defer cancel()
	said, err := h.Run(ctx, "", "pmc", "-u", "-b", "0", "GET PARENT_DATA_SET", "GET TIME_STATUS_NP", "GET CURRENT_DATA_SET")
	if err != nil {
		return nil
	}
	return parsePTP(said)
}

// parsePTP reads what pmc says: a name and a value a line. Where one of them is missing, it
// says nothing.
func parsePTP(said string) *PTP {
	values := make(map[string]string)
	for line := range strings.Lines(said) {
		if f := strings.Fields(line); len(f) == 2 {
			values[f[0]] = f[1]
		}
	}
	offset, wrong := strconv.ParseFloat(values["master_offset"], 64)
	delay, alsoWrong := strconv.ParseFloat(values["meanPathDelay"], 64)
	p := PTP{Grandmaster: values["grandmasterIdentity"], Offset: time.Duration(offset), Delay: time.Duration(delay)}
	if wrong != nil || alsoWrong != nil || p.Grandmaster == "" {
		return nil
	}
	return &p
}

// Clocks says what is known of the clocks of both sides, and what follows for latencies.
func (t *Tester) Clocks() string {
	a, b := t.sides[0].told.PTP, t.sides[1].told.PTP
	switch {
	case t.shared:
		return "one for sender and receiver: latencies are one-way"
	case a == nil || b == nil:
		return "two that are not proven to agree: latencies are left out"
	case a.Grandmaster != b.Grandmaster:
		return fmt.Sprintf("two of different PTP grandmasters, %s and %s: latencies are left out", a.Grandmaster, b.Grandmaster)
	}
	return fmt.Sprintf("two of one PTP grandmaster, %s, whose PTP clocks agree to within %v; that of frames is the kernel's, and how far it is from that of PTP is not proven: latencies are left out",
		a.Grandmaster, a.Bound()+b.Bound())
}
