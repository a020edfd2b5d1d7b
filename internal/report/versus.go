package report

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/result"
	"weir/stats"
)

// Versus is what two DUTs have shown: by how much the second one, B, forwards more or less than
// the first, A, or has another goodput or latency.
type Versus struct {
	c         weir.Campaign
	by        aspect
	v         proof.Comparison            // by that; without effects where nothing could be compared
	value     proof.Comparison            // by what the method found, which is the same unless one asks for a figure
	figures   map[string]proof.Comparison // of the other metrics, by their IDs
	failAbove float64
}

// An aspect is what two DUTs are judged by.
type aspect struct {
	figure string // the metric; "": the value of the result
	unit   string
	what   string  // "goodput"; "": what they forward
	worse  string  // what the second one is to have no more of: "loss"
	sign   float64 // of a change for the better
}

// medianLatency is that by which nothing is judged unless somebody asks for it.
var medianLatency = aspect{"latency_p50", "s", "median latency", "rise of the latency", -1}

// aspects are those of values, by their units.
var aspects = []aspect{
	{"", "frames/s", "", "loss", 1},
	{"", "bit/s", "goodput", "loss of goodput", 1},
}

// VersusOf is what a campaign of two arms says of them, by their latency or by what was measured,
// with the change for the worse of the second one that is too much, as a share; 0: any is good.
func VersusOf(c weir.Campaign, byLatency bool, failAbove float64) (Versus, error) {
	c = figures.Printable(c)
	out := Versus{c: c, by: aspects[0], failAbove: failAbove}
	p, err := proof.Of(c)
	if err != nil {
		return out, err
	}
	out.figures = map[string]proof.Comparison{}
	for _, v := range p.Comparisons {
		if v.Figure != "" {
			out.figures[v.Figure] = v
		}
	}
	values := slices.DeleteFunc(p.Comparisons, func(v proof.Comparison) bool { return v.Figure != "" })
	if len(values) != 1 {
		return out, fmt.Errorf("campaign %s has not one rate of two arms, but %d things that were compared: weir compare tells what it proves", c.ID, len(values))
	}
	out.v, out.value = values[0], values[0]
	if at := slices.IndexFunc(aspects, func(a aspect) bool { return a.unit == out.v.Unit }); at >= 0 {
		out.by = aspects[at]
	} else if out.v.Unit != "" { // nothing was measured
		return out, fmt.Errorf("campaign %s has no rate of two arms, but values in %s: weir compare tells what it proves", c.ID, out.v.Unit)
	}
	if !byLatency {
		return out, nil
	}
	of, known := out.figures[medianLatency.figure]
	if !known {
		return out, fmt.Errorf("campaign %s has no latency of both arms: weir compare tells what it proves", c.ID)
	}
	out.by, out.v = medianLatency, of
	return out, nil
}

// Gate is what a difference means to who allows some loss.
type Gate string

// The gates.
const (
	Passes  Gate = "passes"    // a loss of more than is allowed is out of the question
	Fails   Gate = "fails"     // a loss of more than is allowed is proven
	Unknown Gate = "not known" // neither: there is no verdict, or the interval holds what is allowed
)

// Gate holds the interval of the difference against the change for the worse that is allowed.
// Without one only whether anything is known matters.
func (s Versus) Gate() Gate {
	e, known := s.effect()
	switch {
	case s.nothing() >= fewBuilds:
		return Fails
	case s.nothing() > 0: // what that was is not known
		return Unknown
	case !known || e.Verdict == stats.Vetoed || !limited(e.Change):
		return Unknown
	}
	least, most := e.Change.Lower, e.Change.Upper // for the better
	if s.by.sign < 0 {
		least, most = -most, -least
	}
	switch {
	case s.failAbove == 0 || least > -s.failAbove && !e.AtMost:
		return Passes
	case most < -s.failAbove && !e.AtLeast:
		return Fails
	}
	return Unknown
}

// fewBuilds is how many builds in which B forwards nothing are no chance.
const fewBuilds = 2

// nothing is in how many builds B forwards nothing under overload, where A does.
func (s Versus) nothing() int { return s.v.Livelocked(s.arm(1)) }

func (s Versus) effect() (stats.Effect, bool) { return effectOf(s.v) }

// effectOf returns that of the second arm.
func effectOf(v proof.Comparison) (stats.Effect, bool) {
	if len(v.Effects) == 0 {
		return stats.Effect{}, false
	}
	return v.Effects[0], true
}

// names of the two, as a table has them.
func (s Versus) names() (a, b string) {
	e := s.c.Manifest.Experiment
	if e == nil || len(e.Arms) < 2 {
		return "A", "B"
	}
	of := study{Proof: proof.Proof{Experiment: *e}}
	return of.short(e.Arms[0]), of.short(e.Arms[1])
}

// Sentence is the answer, without a full stop.
func (s Versus) Sentence() string {
	a, b := s.names()
	e, known := s.effect()
	switch {
	case s.nothing() >= fewBuilds:
		return fmt.Sprintf("%s forwards nothing under overload, in %d of %d builds, where %s forwards %s kpps", b, s.nothing(), s.all(), a, figures.Kpps(s.median(s.arm(0), result.Named("value"))))
	case !known || e.Verdict == stats.Vetoed:
		why := "no build found anything that could be compared"
		if len(s.v.Vetoes) > 0 {
			why = texts(s.v.Vetoes[:1])
		}
		return fmt.Sprintf("Whether %s is not known: %s", s.relation("%s or %s"), why)
	case e.Verdict == stats.Proven && (e.AtLeast || e.AtMost):
		return s.begun(fmt.Sprintf("%s, as the tester could send no more: proven over %s", s.relation("at least "+s.change(max(e.Change.Lower, -e.Change.Upper), e.Change.Estimate)), s.builds()))
	case e.Verdict == stats.Proven:
		return s.begun(fmt.Sprintf("%s (%s): proven over %s", s.relation(s.change(e.Change.Estimate, e.Change.Estimate)), changeBounds(e.Change), s.builds()))
	case e.AtLeast || e.AtMost:
		return fmt.Sprintf("No difference between %s and %s is proven over %s: the tester could send no more than was forwarded", a, b, s.builds())
	}
	return fmt.Sprintf("No difference between %s and %s is proven over %s: %s (%s), which may be chance",
		a, b, s.builds(), s.relation(s.change(e.Change.Estimate, e.Change.Estimate)), changeBounds(e.Change))
}

// begun is a sentence of relation, with a capital letter unless it begins with the name of an arm.
func (s Versus) begun(sentence string) string {
	if s.by.what == "" {
		return sentence
	}
	return document.Capitalised(sentence)
}

// relation says how the second one stands to the first: "B forwards 3 % less than A". In how the
// words for more and for less may stand as %s.
func (s Versus) relation(how string) string {
	a, b := s.names()
	more, less := s.by.words()
	how = strings.Replace(strings.Replace(how, "%s", more, 1), "%s", less, 1)
	if s.by.what == "" {
		return fmt.Sprintf("%s forwards %s than %s", b, how, a)
	}
	return fmt.Sprintf("the %s of %s is %s than that of %s", s.by.what, b, how, a)
}

// words returns those for more and for less of it.
func (a aspect) words() (more, less string) {
	if a.what == "" {
		return "more", "less"
	}
	return "higher", "lower"
}

// change says a share, whatever its sign, with the word for a direction.
func (s Versus) change(share, direction float64) string {
	way, less := s.by.words()
	if direction < 0 {
		way = less
	}
	return figures.Number(100*max(share, -share), 1) + " % " + way
}

// all is how many builds there are.
func (s Versus) all() int { return s.v.Blocks + s.v.LeftOut }

func (s Versus) builds() string {
	return figures.Number(float64(s.v.Blocks), 0) + " " + figures.Plural(s.v.Blocks, "build")
}

// changeBounds is an interval of a change: "-7.0 to -5.6 %".
func changeBounds(i stats.Interval) string {
	if !limited(i) {
		return "no interval yet"
	}
	return signedShare(i.Lower) + " to " + signedShare(i.Upper) + " %"
}

// limited reports whether an interval has ends. Those of a model may be one.
func limited(i stats.Interval) bool {
	return figures.Finite(i.Estimate) && figures.Finite(i.Lower) && figures.Finite(i.Upper)
}

// signedShare is a share in per cent with its sign and a decimal.
func signedShare(share float64) string { return fmt.Sprintf("%+.1f", 100*share) }

// gated is what the gate says, without a full stop; "" where there is none.
func (s Versus) gated() string {
	if s.failAbove == 0 {
		return ""
	}
	limit := figures.Percent(s.failAbove)
	switch s.Gate() {
	case Passes:
		return fmt.Sprintf("a %s of more than %s %% is out of the question", s.by.worse, limit)
	case Fails:
		return fmt.Sprintf("a %s of more than %s %% is proven", s.by.worse, limit)
	}
	why := "more builds (--runs) would tell"
	switch e, known := s.effect(); {
	case known && (e.AtLeast || e.AtMost):
		why = "the tester is the limit, which more builds do not change; give it more CPUs"
	case !known || e.Verdict == stats.Vetoed:
		why = "there is no verdict"
	}
	return fmt.Sprintf("a %s of more than %s %% is neither proven nor out of the question: %s", s.by.worse, limit, why)
}
