package plan

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/schema"
)

// Defaults and bounds of the values in a plan.
const (
	defaultResidual = 50 * time.Millisecond // in a lab of one machine nothing is under way for longer

	maxWait    = 10 * time.Minute
	shortest   = 10 * time.Millisecond // trial
	longest    = 24 * time.Hour        // trial
	mostTrials = 1000                  // at one load
	mostRounds = 100                   // of one plan

	shortestWindow = 100 * time.Microsecond
	longestWindow  = 10 * time.Second
	fewestWindows  = 100  // in the time of a sweep: blocks of 20 loads, and the coarse ones
	fewestOverload = 200  // in the time of an overload: those of a sweep, and three times up and down ten loads, which are longer
	calmShare      = 4    // the part of the time of a sweep that its trial for the latency may take
	fewestBlocks   = 50   // windows in the time of a saturated rate, of all arms
	mostSweptLoss  = .5   // that a sweep looks for
	mostSizes      = 64   // of one plan
	mostLevels     = 64   // of one plan
	mostGoals      = 16   // of one search
	mostWeight     = 1000 // of one size in a mix

	mostFilters  = 1000
	mostRules    = 10_000
	mostBurst    = 1 << 20
	mostNetworks = 256 // behind one port: those of frame.DestinationNetworks
	mostLoad     = 10  // times the throughput

	mostStreams  = 128
	leastPayload = 16         // octets of a UDP datagram, that say which one it is
	mostPayload  = 65_507     // octets of a UDP datagram over IPv4
	mostSessions = 60_000     // of PPPoE at one concentrator
	mostPADIs    = 10_000_000 // of a flood, in a second
	mostFiles    = 10_000
)

// asWritten is any word.
var asWritten = schema.Word[string]{Read: func(s string) (string, error) { return s, nil }, Shape: schema.Line.Shape}

// overload is a load that may be above what it is a share of.
var overload = schema.Custom(schema.Percentage, func(s string) (float64, error) {
	v, err := schema.Percents.Read(s)
	if err == nil && (v == 0 || v > mostLoad) {
		err = fmt.Errorf("%s is no load: above 0%% to %d%%", s, mostLoad*100)
	}
	return v, err
})

// span is two frame sizes with a dash: 350-550.
var span = schema.Custom(schema.Text, func(s string) ([2]weir.Size, error) {
	low, high, ok := strings.Cut(s, "-")
	first, err1 := schema.Int.Read(strings.TrimSpace(low))
	last, err2 := schema.Int.Read(strings.TrimSpace(high))
	if ok && err1 == nil && err2 == nil && last < first {
		return [2]weir.Size{}, fmt.Errorf("%q has its bounds swapped: %d-%d", s, last, first)
	}
	if !ok || err1 != nil || err2 != nil || first == 0 || last > frame.MaxSize {
		return [2]weir.Size{}, fmt.Errorf("%q is no range of frame sizes such as 350-550", s)
	}
	return [2]weir.Size{weir.Size(first), weir.Size(last)}, nil
})

// octets is a frame size; whether headers fit into it is for the frame package to say.
var octets = schema.Custom(schema.Whole, func(s string) (int, error) {
	v, err := schema.Int.Read(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no frame size: octets with the FCS such as 64, imix, or {name: mymix, genome: aaad}", s)
	}
	return v, frame.CheckSize(weir.Size(v))
})

// etherType is that of a VLAN tag.
var etherType = schema.Word[uint16]{Shape: schema.Choice("0x8100", "0x88a8"), Read: func(s string) (uint16, error) {
	v, err := schema.Uint16.Read(s)
	if err == nil && v != 0x8100 && v != 0x88a8 {
		err = fmt.Errorf("%s is no tag: 0x8100 (802.1Q) or 0x88a8 (802.1ad)", s)
	}
	return v, err
}}

func parseAddress(s string, family weir.Family) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" {
		return netip.Addr{}, fmt.Errorf("%q is not an address of %s", s, family)
	}
	if a.Is4() != (family == weir.IPv4) {
		return netip.Addr{}, fmt.Errorf("%s is not an address of %s, the family of this traffic", s, family)
	}
	return a, nil
}

// nearest is the known word that was probably meant by word; "" when none is
// near. A third of the letters may be wrong, and one always may.
func nearest(word string, known []string) string {
	best, least := "", max(1, len([]rune(word))/3)+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	return best
}

// didYouMean is the second half of a message about an unknown word: the
// nearest known one, or all of them.
func didYouMean(word string, known []string) string {
	if n := nearest(word, known); n != "" {
		return `: did you mean "` + n + `"?`
	}
	return "; known are " + strings.Join(known, ", ")
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before := make([]int, len(t)+1)
	last := make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row := make([]int, len(t)+1)
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(t)]
}
