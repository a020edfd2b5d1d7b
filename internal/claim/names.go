package claim

import (
	"fmt"
	"slices"

	"weir"
)

// Ladder are the names of what is forwarded, the weakest first: those of all
// methods that measure it. P, FINAL, SUM, LOSS and EXCEED are placeholders for figures, as in
// "rate at 0.5 % loss" and "MLRsearch goal 1s/21s/0.5 %/50 %"; "MLRsearch goal"
// alone is any of them.
func Ladder() []string {
	return []string{frmolName, curveName, "RFC 2544 frame loss rate", "RFC 5180 frame loss rate", "rate at P % loss", "throughput, short trials",
		goalName, "MLRsearch goal FINAL/SUM/LOSS %/EXCEED %", "RFC 5180 throughput", "RFC 2544 throughput", SuiteName}
}

// What is earned on the ladder, in addition to the names of RFCs.
const (
	frmolName      = "FRMOL"
	curveName      = "loss curve"
	rateName       = "rate" // at a loss
	throughputName = "throughput"
	goalName       = "MLRsearch goal"
)

// Named returns the claim of a name without figures.
func Named(what string) weir.Claim { return called(weir.Claim{}, weir.Earned{What: what}) }

// called returns a claim with another name.
func called(c weir.Claim, e weir.Earned) weir.Claim {
	c.Name, c.Earned = nameOf(e), e
	return c
}

// nameOf returns the name of what was earned.
func nameOf(e weir.Earned) string {
	name := e.What
	switch {
	case e.What == rateName:
		name = fmt.Sprintf("rate at %s %% loss", percent(e.Loss))
	case e.What == goalName && e.Final > 0:
		name += " " + goalText(e)
	}
	if e.Label != "" {
		name += ", " + e.Label
	}
	if e.Exceed > 0 && e.What != goalName {
		name += fmt.Sprintf(", exceed ratio %s %%", percent(e.Exceed))
	}
	return name
}

// goalText returns a goal in figures: "1s/21s/0.5 %/50 %".
func goalText(e weir.Earned) string {
	return fmt.Sprintf("%ss/%ss/%s %%/%s %%", number(e.Final), number(e.Sum), percent(e.Loss), percent(e.Exceed))
}

// earned returns the parts of the name of a claim.
func earned(c weir.Claim) weir.Earned {
	if c.Earned == (weir.Earned{}) {
		return Read(c.Name) // a store of before has the name alone
	}
	return c.Earned
}

// AtLeast reports whether a claim says that there may be more than was found.
func AtLeast(c weir.Claim) bool { return earned(c).Label == atLeast }

// Exactly returns the name of a claim without saying that there may be more.
func Exactly(c weir.Claim) string {
	if !AtLeast(c) {
		return c.Name
	}
	e := earned(c)
	e.Label = ""
	return nameOf(e)
}

// OnLadder reports whether a name is one of the ladder, with figures or without.
func OnLadder(name string) bool {
	_, ok := rungOf(Read(name))
	return ok
}

// Satisfies reports whether a claim is the demanded name or a stronger one: one
// that is behind it in any of the lists. On the ladder each name satisfies those
// below it, but one that allows a loss, or that some trials exceed it, satisfies
// none that allows less; an MLRsearch goal satisfies those that are no stricter.
func Satisfies(have weir.Claim, demanded string, lists [][]string) bool {
	for _, l := range lists {
		if weak, strong := slices.Index(l, demanded), slices.Index(l, have.Name); weak >= 0 && weak <= strong {
			return true
		}
	}
	a, ok := rungOf(earned(have))
	b, asked := rungOf(Read(demanded))
	return have.Name == demanded || ok && asked && a.meets(b)
}

// The levels of the ladder.
const (
	frmolRung = iota + 1
	curveRung
	rateRung // with a loss of 0: throughput in short trials
	goalRung
	rfcRung
	suiteRung
)

// rung is a place on the ladder.
type rung struct {
	level int
	only  bool // nothing else is what is meant; else all of the level are alike
	weir.Earned
}

func (r rung) meets(b rung) bool {
	switch {
	case r.level < b.level:
		return false
	case b.only && r.What != b.What: // a procedure of its own, of which the suite has those of RFC 2544
		return r.level == suiteRung && slices.ContainsFunc(tests, func(t suiteTest) bool { return t.name == b.What })
	case b.level < rateRung:
		return true
	case r.Loss > b.Loss || r.Exceed > b.Exceed:
		return false
	}
	return r.level > b.level || r.Final >= b.Final && r.Sum >= b.Sum
}

// rungOf returns the place of a name on the ladder; false of other names.
func rungOf(e weir.Earned) (rung, bool) {
	plain := e.Label == "" && e.Exceed == 0
	switch e.What {
	case frmolName:
		return rung{frmolRung, false, e}, plain
	case curveName:
		return rung{curveRung, false, e}, plain
	case "RFC 2544 frame loss rate", "RFC 5180 frame loss rate":
		return rung{curveRung, true, e}, plain
	case rateName:
		return rung{rateRung, false, e}, e.Label == "" && e.Loss > 0
	case throughputName:
		labels := []string{shortTrials, shortWaits, otherFrames, atLeast}
		return rung{rateRung, false, e}, slices.Contains(labels, e.Label) || e.Label == "" && e.Exceed > 0
	case goalName:
		if e.Final == 0 { // any
			e.Loss, e.Exceed = 1, 1
		}
		return rung{goalRung, false, e}, e.Label == ""
	case "RFC 2544 throughput", "RFC 5180 throughput":
		return rung{rfcRung, true, e}, plain
	case SuiteName:
		return rung{suiteRung, false, e}, plain
	}
	return rung{}, false
}
