package tester

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
	"weir/internal/xdp"
)

// Missing are frames that were asked for and were not sent, with the reason.
type Missing struct {
	Frames uint64 `json:"frames"`
	Why    string `json:"why"` // a sentence with its figures
}

// shortfall is what is known of threads that sent less than they were asked.
type shortfall struct {
	orders      []xdp.Order
	sent        []xdp.Sent
	left        netif.Sent    // what the driver counted
	used        time.Duration // CPU time that sending took
	spins       bool          // the threads never sleep
	virtual     bool          // the port is an end of a virtual link
	interrupted bool
}

// missing says of each missing frame why it was not sent: it was never built,
// or the driver refused it, or did not count it.
func (s shortfall) missing() []Missing {
	var built, unbuilt uint64
	for i, o := range s.orders {
		built += s.sent[i].Frames
		unbuilt += o.Frames - s.sent[i].Frames
	}
	all := because(nil, unbuilt, "sending was interrupted")
	if !s.interrupted {
		all = s.unbuilt()
	}
	why := "the driver refused %d frames: its ring was full, or the link was down"
	if s.virtual {
		why = "the ring of the other end was full: %d frames were refused"
	}
	all = because(all, s.left.Refused, fmt.Sprintf(why, s.left.Refused))
	uncounted := built - min(built, s.left.Sent+s.left.Refused)
	return because(all, uncounted, "the driver took these frames and counted them neither as sent nor as refused")
}

// because adds frames with their reason, if there are any.
func because(all []Missing, frames uint64, why string) []Missing {
	if frames == 0 {
		return all
	}
	return append(all, Missing{frames, why})
}

// unbuilt are the frames that the threads did not get to, by cause: some were
// too slow for their share of the rate, others stood still.
func (s shortfall) unbuilt() []Missing {
	var slow, stalled uint64
	var most float64
	var slowOn, stalledOn []string
	var late, asked time.Duration
	all := s.sent
	for i, o := range s.orders {
		asked += o.Duration
		n := o.Frames - all[i].Frames
		if n == 0 {
			continue
		}
		// A thread that stands still until the end does not say how late it was.
		worth := time.Duration(float64(n) / o.Rate * float64(time.Second))
		if s.busy() && lagged(o, all[i], worth) {
			slow += n
			most += float64(all[i].Frames) / (all[i].Last - all[i].First).Seconds()
			slowOn = append(slowOn, fmt.Sprint(o.CPU))
			continue
		}
		stalled += n
		stalledOn = append(stalledOn, fmt.Sprint(o.CPU))
		late = max(late, all[i].Longest, worth)
	}
	still := late
	if s.spins {
		still = max(late, asked-s.used)
	}
	return because(because(nil, slow, fmt.Sprintf("CPU %s cannot send more than %.0f frames/s; ask for less, or name more CPUs", strings.Join(slowOn, " and "), most)),
		stalled, fmt.Sprintf("the generator stood still for %.1f ms in all, and frames were up to %.1f ms late; other work held up CPU %s",
			still.Seconds()*1e3, late.Seconds()*1e3, strings.Join(stalledOn, " and ")))
}

// busy reports whether the threads had their CPUs nearly all the time.
func (s shortfall) busy() bool {
	const nearly = 0.9
	var took time.Duration
	for _, t := range s.sent {
		took += t.Last - t.First
	}
	return s.used.Seconds() > nearly*took.Seconds()
}

// lagged reports whether a thread was late from its first frames to its last
// one: nearly all were, and what is missing is worth the time by which the last
// one was. After a stall a thread that is fast enough catches up, so that less
// is missing than it was late by.
func lagged(o xdp.Order, s xdp.Sent, worth time.Duration) bool {
	const nearly = 0.95
	bursts := float64(s.Frames) / float64(max(o.Burst, 1))
	return s.Last > s.First && float64(s.Stalls) > nearly*bursts && worth.Seconds() > nearly*s.Longest.Seconds()
}

// cpuTime is what this process has used so far.
func cpuTime() (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("read this process's CPU time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
