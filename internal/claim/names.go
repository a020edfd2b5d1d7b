package claim

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
)

// Ladder are the names of what is forwarded, the weakest first: those of all
// methods that measure it. P, FINAL, SUM, LOSS and EXCEED stand for figures, as in
// "rate at 0.5 % loss" and "MLRsearch goal 1s/21s/0.5 %/50 %"; "MLRsearch goal"
// alone is any of them.
func Ladder() []string {
	return []string{"FRMOL", "loss curve", "RFC 2544 frame loss rate", "RFC 5180 frame loss rate", "rate at P % loss", "throughput, short trials",
		"MLRsearch goal", "MLRsearch goal FINAL/SUM/LOSS %/EXCEED %", "RFC 5180 throughput", "RFC 2544 throughput", "RFC 2544 suite"}
}

// AtLeast reports whether a name says that there may be more than was found.
func AtLeast(name string) bool { return strings.HasSuffix(name, ", "+atLeast) }

// Exactly is a name without saying that there may be more.
func Exactly(name string) string { return strings.TrimSuffix(name, ", "+atLeast) }

// OnLadder reports whether a name is one of the ladder, with figures or without.
func OnLadder(name string) bool {
	_, ok := rungOf(name)
	return ok
}

// Satisfies reports whether a claim is the demanded name or a stronger one: one
// that stands behind it in any of the lists. On the ladder each name satisfies those
// below it, but one that allows a loss, or that some trials exceed it, satisfies
// none that allows less; an MLRsearch goal satisfies those that are no stricter.
func Satisfies(have weir.Claim, demanded string, lists [][]string) bool {
	for _, l := range lists {
		if weak, strong := slices.Index(l, demanded), slices.Index(l, have.Name); weak >= 0 && weak <= strong {
			return true
		}
	}
	a, ok := rungOf(have.Name)
	b, asked := rungOf(demanded)
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
	level        int
	only         string // the one name that is meant, as nothing else is that; "": all of the level are alike
	loss, exceed float64
	final, sum   time.Duration // of a goal
}

func (r rung) meets(b rung) bool {
	switch {
	case r.level < b.level:
		return false
	case b.only != "" && r.only != b.only: // a procedure of its own, of which the suite has those of RFC 2544
		return r.level == suiteRung && strings.HasPrefix(b.only, "RFC 2544 ")
	case b.level < rateRung:
		return true
	case r.loss > b.loss || r.exceed > b.exceed:
		return false
	}
	return r.level > b.level || r.final >= b.final && r.sum >= b.sum
}

// rungOf reads a name of the ladder; false for other names.
func rungOf(name string) (rung, bool) {
	switch name {
	case "FRMOL":
		return rung{level: frmolRung}, true
	case "loss curve":
		return rung{level: curveRung}, true
	case "RFC 2544 frame loss rate", "RFC 5180 frame loss rate":
		return rung{level: curveRung, only: name}, true
	case "RFC 2544 throughput", "RFC 5180 throughput":
		return rung{level: rfcRung, only: name}, true
	case SuiteName:
		return rung{level: suiteRung}, true
	case goalName:
		return rung{level: goalRung, loss: 1, exceed: 1}, true
	}
	if g, ok := strings.CutPrefix(name, goalName+" "); ok {
		return goalOf(g)
	}
	r := rung{level: rateRung}
	name, exceed, some := strings.Cut(name, ", exceed ratio ")
	if ok := true; some {
		if r.exceed, ok = ratioOf(exceed); !ok {
			return rung{}, false
		}
	}
	if name == "throughput" {
		return r, some
	}
	if label, ok := strings.CutPrefix(name, "throughput, "); ok {
		return r, label == shortTrials || label == shortWaits || label == otherFrames || label == atLeast
	}
	loss, ok := strings.CutPrefix(name, "rate at ")
	if loss, ok = cutSuffix(loss, " loss", ok); !ok {
		return rung{}, false
	}
	r.loss, ok = ratioOf(loss)
	return r, ok
}

func cutSuffix(s, suffix string, before bool) (string, bool) {
	s, ok := strings.CutSuffix(s, suffix)
	return s, ok && before
}

// goalOf reads a goal as goal.String writes it.
func goalOf(s string) (rung, bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 4 {
		return rung{}, false // an irregular one is none that can be asked for
	}
	r := rung{level: goalRung}
	var err1, err2 error
	var ok1, ok2 bool
	r.final, err1 = time.ParseDuration(parts[0])
	r.sum, err2 = time.ParseDuration(parts[1])
	r.loss, ok1 = ratioOf(parts[2])
	r.exceed, ok2 = ratioOf(parts[3])
	return r, err1 == nil && err2 == nil && ok1 && ok2
}

// ratioOf reads a ratio in percent: "0.5 %".
func ratioOf(s string) (float64, bool) {
	v, ok := strings.CutSuffix(s, "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	return f / 100, ok && err == nil && f >= 0 && f <= 100 && !math.IsNaN(f)
}
