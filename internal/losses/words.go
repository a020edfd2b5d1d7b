package losses

import (
	"fmt"
	"math"
	"strings"

	"weir"
)

// Sentence says what was found, of a DUT: "loses 2.15 % of its frames at every load ...".
func Sentence(f weir.Finding) weir.Sentence {
	way := ""
	if f.Direction != "" {
		way = " " + map[string]string{weir.Directions[0]: "forward", weir.Directions[1]: "in reverse"}[f.Direction]
	}
	at := weir.Say("at every load that was tried, from %.0f to %.0f frames/s", f.Loads[0], f.Loads[1])
	switch f.Kind {
	case weir.LosesFlows:
		return weir.Say("%d of %d flows%s lose every frame %s, which is %s of all frames; %s", f.Dead, f.Flows, way, at, percent(f.Share), likeness(f))
	case weir.LosesSizes:
		return weir.Say("no frame of %s octets comes through %s, which is %s of all frames; %s", sizes(f.Sizes), at, percent(f.Share), likeness(f))
	case weir.EndsFlows:
		return weir.Say("of each flow the first %d frames come through and no more, %s; %s", f.Frames, at, likeness(f))
	case weir.DamagesSome:
		return weir.Say("%s of the frames (%s to %s) come back changed %s; %s", percent(f.Share), percent(f.Lower), percent(f.Upper), at, likeness(f))
	}
	return weir.Say("%s of the frames (%s to %s) are lost %s, one here and one there, of all flows and sizes; %s",
		percent(f.Share), percent(f.Lower), percent(f.Upper), at, likeness(f))
}

// likeness is what a finding looks like, and where to look.
func likeness(f weir.Finding) string {
	switch {
	case f.Kind == weir.LosesSizes && f.Sizes[0] > f.Largest:
		return fmt.Sprintf("the largest that does has %d: this looks like an MTU; look at those of the DUT's ports", f.Largest)
	case f.Kind == weir.LosesSizes:
		return "this looks like a filter of lengths; look at the DUT's rules"
	case f.Kind == weir.EndsFlows:
		return "this looks like a quota, or like a table that takes over connections after some frames; look at the DUT's rules and offloads"
	case f.Kind == weir.DamagesSome:
		return "this looks like a box that rewrites frames without mending their checksums, or like bad memory; look at NAT, offloads and cables"
	case f.Kind == weir.LosesEvenly:
		return "this looks like a bad cable, port or radio link, or like a rule that drops at random; look at the error counters of all ports on the way"
	case f.First:
		return "the flows that were sent first work, and no others: this looks like a full table of connections, or of neighbours; look at its size"
	case len(f.Spans) > 0:
		return common(f.Spans)
	}
	for n := 2; n <= 8; n++ {
		for dead := 1; dead < n; dead++ {
			of := float64(dead) / float64(n)
			if math.Abs(f.Share-of) < 2*math.Sqrt(of*(1-of)/float64(f.Flows)) && (dead == 1 || dead == n-1) {
				return fmt.Sprintf("they have neither addresses nor ports in common, and are about %d in %d: this looks like %d of %d next hops, links or queues that are dead", dead, n, dead, n)
			}
		}
	}
	return "they have neither addresses nor ports in common: this looks like a table that has no room for them, or like one of several queues or links that is dead"
}

// common says what flows have in common, and what that looks like.
func common(spans []weir.Span) string {
	var parts []string
	for _, s := range spans {
		if s.From == s.To {
			parts = append(parts, s.From)
		} else {
			parts = append(parts, s.From+" to "+s.To)
		}
	}
	kind := "filter of ports; look at the DUT's rules"
	if strings.HasSuffix(spans[0].Field, "address") {
		kind = "missing route or neighbour, or a filter of addresses; look at the DUT's routes and rules"
	}
	return fmt.Sprintf("they alone have a %s of %s: this looks like a %s", spans[0].Field, strings.Join(parts, ", "), kind)
}

func sizes(all []weir.Size) string {
	const most = 6
	var parts []string
	for i, s := range all {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d more sizes up to %d", len(all)-most, all[len(all)-1]))
			break
		}
		parts = append(parts, fmt.Sprint(s))
	}
	return strings.Join(parts, ", ")
}

// percent is a share for people.
func percent(share float64) string {
	s := fmt.Sprintf("%.3g", 100*share)
	if 100*share >= 10 {
		s = fmt.Sprintf("%.1f", 100*share)
	}
	return s + " %"
}
