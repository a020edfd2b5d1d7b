package claim

import (
	"slices"
	"strconv"
	"strings"

	"weir"
)

// A demand is one line of a checklist. What a missed one says holds nothing
// that differs between the frame sizes of a campaign, so that reports can say
// it once.
type demand struct {
	id       string     // "frame-size": no other demand of its checklist has it
	source   string     // "RFC 2544 section 24"
	level    weir.Level //
	text     string     // with the word of its level, where the source has one
	found    string     // what was done, in figures
	kept     bool
	label    string // what a result is called that misses it: "short trials"; "": nothing
	optional bool   // worth knowing, but no name depends on it
}

// checklist are the demands of a procedure, in the order of the text.
type checklist []demand

// labels say what a result misses, the weightiest first: a name has one.
var labels = []string{shortTrials, shortStream, shortWaits, otherFrames, atLeast, otherLoad, few, unverified}

// What results are called that miss something.
const (
	shortTrials = "short trials"
	shortStream = "short stream"
	shortWaits  = "short waits"
	otherFrames = "other test frames"
	atLeast     = "at least"
	otherLoad   = "other load"
	few         = "few trials"
	unverified  = "not verified"
)

// claim is the name that a result has earned: the full one if nothing is
// missed that it depends on, or else the plain one with a label.
func (l checklist) claim(full, plain string) weir.Claim {
	c, name, worst := weir.Claim{}, weir.Earned{What: full}, len(labels)
	for _, d := range l {
		asked := weir.Demand{ID: d.id, Source: d.source, Level: d.level, Text: d.text, Found: d.found, Kept: d.kept}
		c.Demands = append(c.Demands, asked)
		if d.kept || d.optional {
			continue
		}
		name.What = plain
		c.Missed = append(c.Missed, asked.Miss())
		if at := slices.Index(labels, d.label); at >= 0 {
			worst = min(worst, at)
		}
	}
	if worst < len(labels) {
		name.Label = labels[worst]
	}
	return called(c, name)
}

// percent is a ratio in percent, without the sign.
func percent(ratio float64) string {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(ratio*100, 'g', 6, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// number is a figure as people write it: no exponent, at most six digits.
func number(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// joined are words in a row: "a, b and c".
func joined(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
