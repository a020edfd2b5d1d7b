package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pktGenLog is what a log of netmap's pkt-gen says.
type pktGenLog struct {
	rates     []float64 // of each second from the first with frames to the last, frames/s
	counted   float64   // frames, of all seconds
	sender    bool      // it is that of a sender
	backwards string    // how its clock runs backwards, in a clause

	// The sender says these at its end.
	sent    float64 // frames
	octets  float64 // of a frame, without its FCS
	seconds float64
	speed   float64 // frames/s
}

var (
	// Older ones say no more than the rate, in any of the units, and have no thread.
	pktGenSecond = regexp.MustCompile(`^\s*([\d.]*)\s*main(?:_thread)? \[ *\d+\] ([\d.]+) ?([KMGT]?)pps(?: \(([\d.]+) ?([KMGT]?)pkts)?`)
	pktGenMapped = regexp.MustCompile(`^\S+ main \[ *\d+\] (?:interface is netmap:|running on \d+ cpus|mapped \d+KB)`)
	pktGenRole   = regexp.MustCompile(`^(Sending|Receiving|Sent|Received) (?:on|from|\d+ packets)`)
	pktGenSent   = regexp.MustCompile(`^(?:Sent|Received) (\d+) packets,? (?:.*?(\d+) bytes each )?in ([\d.]+) seconds`)
	pktGenSpeed  = regexp.MustCompile(`^Speed: ([\d.]+) ?([KMGT]?)pps`)
)

// readPktGen reads a log.
func readPktGen(f File) (pktGenLog, error) {
	var l pktGenLog
	last := 0.
	err := f.lines(func(n int, line string) error {
		if m := pktGenRole.FindStringSubmatch(line); m != nil {
			l.sender = strings.HasPrefix(m[1], "Sen")
		}
		if m := pktGenSecond.FindStringSubmatch(line); m != nil {
			l.rates = append(l.rates, scaled(m[2], m[3]))
			l.counted += scaled(m[4], m[5])
			now := scaled(m[1], "")
			if now < last && last-now < clockTurns/2 {
				l.backwards = fmt.Sprintf("line %d has %.0f s, and the second before it %.0f s", n, now, last)
			}
			last = now
		} else if m := pktGenSent.FindStringSubmatch(line); m != nil {
			l.sent, l.octets, l.seconds = scaled(m[1], ""), scaled(m[2], ""), scaled(m[3], "")
		} else if m := pktGenSpeed.FindStringSubmatch(line); m != nil {
			l.speed = scaled(m[1], m[2])
		}
		return nil
	})
	any := len(l.rates) > 0
	l.rates = busy(l.rates)
	if err == nil && any && len(l.rates) == 0 {
		return l, fmt.Errorf("%s: no second in it has a frame: did anything come, and was the other end started?", f.Path)
	}
	if err == nil && !any {
		err = fmt.Errorf("%s: there is no line with the rate of a second in it, as pkt-gen writes one (main_thread ... pps): is it the log of a pkt-gen that ran?", f.Path)
	}
	return l, err
}

// clockTurns is how many seconds pkt-gen's clock has: it begins at 0 again.
const clockTurns = 1000

// idleShare is how much of the fastest second a second at either end has at most that is
// none of the run: others' frames come in while a receiver waits.
const idleShare = 1e-3

// busy returns the rates of the seconds from the first with frames of the run to the last.
func busy(rates []float64) []float64 {
	if len(rates) == 0 {
		return nil
	}
	idle := slices.Max(rates) * idleShare
	runs := func(rate float64) bool { return rate > idle }
	first := slices.IndexFunc(rates, runs)
	if first < 0 {
		return nil
	}
	end := len(rates)
	for !runs(rates[end-1]) {
		end--
	}
	return rates[first:end]
}

// scaled is a number with a prefix; the expressions above admit nothing else
// but digits and points, so that a number that is none counts as 0.
func scaled(digits, prefix string) float64 {
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0
	}
	return v * map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[prefix]
}

// typical is the median of the rates of the seconds, which the first and the
// last one, cut short, do not change.
func (l pktGenLog) typical() float64 { return median(l.rates) }

// median is that of at least one value.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	m := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[m-1] + sorted[m]) / 2
	}
	return sorted[m]
}

// offered is the load that left a sender, in frames/s.
func (l pktGenLog) offered() float64 {
	if l.speed > 0 {
		return l.speed
	}
	return l.typical()
}

// with is the log of two senders that sent at the same time.
func (l pktGenLog) with(other pktGenLog) pktGenLog {
	l.speed = l.offered() + other.offered()
	l.sent += other.sent
	if l.octets != other.octets {
		l.octets = 0
	}
	return l
}

// frameSize is in octets with the FCS, which pkt-gen does not count; 0: not said.
func (l pktGenLog) frameSize() float64 {
	if l.octets == 0 {
		return 0
	}
	return l.octets + 4
}

// isPktGen reports whether a file's beginning is that of such a log, also of one that ended
// before its first second.
func isPktGen(f File) bool {
	for line := range strings.Lines(string(f.Head)) {
		if pktGenSecond.MatchString(line) || pktGenMapped.MatchString(line) {
			return true
		}
	}
	return false
}
