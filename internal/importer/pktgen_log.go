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
	rates   []float64 // of each second, frames/s
	counted float64   // frames, of all seconds

	// The sender says these at its end.
	sent    float64 // frames
	octets  float64 // of a frame, without its FCS
	seconds float64
	speed   float64 // frames/s
}

var (
	pktGenSecond = regexp.MustCompile(`main_thread \[\d+\] ([\d.]+) ?([KMG]?)pps \(([\d.]+) ?([KMG]?)pkts`)
	pktGenSent   = regexp.MustCompile(`^(?:Sent|Received) (\d+) packets,? .*?(\d+) bytes each in ([\d.]+) seconds`)
	pktGenSpeed  = regexp.MustCompile(`^Speed: ([\d.]+) ?([KMG]?)pps`)
)

// readPktGen reads a log.
func readPktGen(f File) (pktGenLog, error) {
	var l pktGenLog
	err := f.lines(func(_ int, line string) error {
		if m := pktGenSecond.FindStringSubmatch(line); m != nil {
			l.rates = append(l.rates, scaled(m[1], m[2]))
			l.counted += scaled(m[3], m[4])
		} else if m := pktGenSent.FindStringSubmatch(line); m != nil {
			l.sent, l.octets, l.seconds = scaled(m[1], ""), scaled(m[2], ""), scaled(m[3], "")
		} else if m := pktGenSpeed.FindStringSubmatch(line); m != nil {
			l.speed = scaled(m[1], m[2])
		}
		return nil
	})
	if err == nil && len(l.rates) == 0 {
		err = fmt.Errorf("%s: there is no line with the rate of a second in it, as pkt-gen writes one (main_thread ... pps): is it the log of a pkt-gen that ran?", f.Path)
	}
	return l, err
}

// scaled is a number with a prefix; the expressions above admit nothing else
// but digits and points, so that a number that is none counts as 0.
func scaled(digits, prefix string) float64 {
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0
	}
	return v * map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[prefix]
}

// typical is the median of the rates of the seconds, which the first and the
// last one, cut short, do not change.
func (l pktGenLog) typical() float64 {
	rates := slices.Sorted(slices.Values(l.rates))
	m := len(rates) / 2
	if len(rates)%2 == 0 {
		return (rates[m-1] + rates[m]) / 2
	}
	return rates[m]
}

// offered is the load that left a sender, in frames/s.
func (l pktGenLog) offered() float64 {
	if l.speed > 0 {
		return l.speed
	}
	return l.typical()
}

// frameSize is in octets with the FCS, which pkt-gen does not count; 0: not said.
func (l pktGenLog) frameSize() float64 {
	if l.octets == 0 {
		return 0
	}
	return l.octets + 4
}

// isPktGen reports whether a file's beginning is that of such a log.
func isPktGen(f File) bool {
	return strings.Contains(string(f.Head), "main_thread [") && strings.Contains(string(f.Head), " pps (")
}
