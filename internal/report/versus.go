package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/result"
	"weir/stats"
)

// Versus is what two DUTs side by side have shown: by how much the second one, B,
// forwards more or less than the first, A.
type Versus struct {
	c         weir.Campaign
	v         proof.Comparison            // of what they forward; without effects where nothing could be compared
	figures   map[string]proof.Comparison // of what was found beside that, by its name
	failAbove float64
}

// VersusOf is what a campaign of two arms says of them, with the loss of the
// second one that is too much, as a share; 0: any is good.
func VersusOf(c weir.Campaign, failAbove float64) (Versus, error) {
	c = figures.Printable(c)
	out := Versus{c: c, failAbove: failAbove}
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
	rates := slices.DeleteFunc(p.Comparisons, func(v proof.Comparison) bool { return v.Figure != "" })
	if len(rates) != 1 || rates[0].Unit != "frames/s" && rates[0].Unit != "" {
		return out, fmt.Errorf("campaign %s has not one rate of two arms, but %d things that were compared: weir compare tells what it proves", c.ID, len(rates))
	}
	out.v = rates[0]
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

// Gate holds the interval of the difference against the loss that is allowed.
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
	case s.failAbove == 0 || e.Change.Lower > -s.failAbove && !e.AtMost:
		return Passes
	case e.Change.Upper < -s.failAbove && !e.AtLeast:
		return Fails
	}
	return Unknown
}

// fewBuilds is how many builds in which B forwards nothing are no chance.
const fewBuilds = 2

// nothing is in how many builds B forwards nothing under overload, where A does.
func (s Versus) nothing() int { return s.v.Livelocked(s.arm(1)) }

func (s Versus) effect() (stats.Effect, bool) {
	if len(s.v.Effects) == 0 {
		return stats.Effect{}, false
	}
	return s.v.Effects[0], true
}

// names of the two, as a table has them.
func (s Versus) names() (a, b string) {
	e := s.c.Manifest.Experiment
	if e == nil || len(e.Arms) < 2 {
		return "A", "B"
	}
	short := func(arm string) string {
		if _, level, found := strings.Cut(arm, " "); found {
			return level
		}
		return arm
	}
	return short(e.Arms[0]), short(e.Arms[1])
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
		return fmt.Sprintf("Whether %s forwards more or less than %s is not known: %s", b, a, why)
	case e.Verdict == stats.Proven:
		way := "more"
		if e.Change.Estimate < 0 {
			way = "less"
		}
		if e.AtLeast || e.AtMost {
			return fmt.Sprintf("%s forwards at least %s %% %s than %s, as the tester could send no more: proven over %s", b, figures.Number(100*max(e.Change.Lower, -e.Change.Upper), 1), way, a, s.builds())
		}
		return fmt.Sprintf("%s forwards %s %% %s than %s (%s): proven over %s", b, figures.Number(100*max(e.Change.Estimate, -e.Change.Estimate), 1), way, a, changeBounds(e.Change), s.builds())
	case e.AtLeast || e.AtMost:
		return fmt.Sprintf("No difference between %s and %s is proven over %s: the tester could send no more than was forwarded", a, b, s.builds())
	}
	return fmt.Sprintf("No difference between %s and %s is proven over %s: %s forwards %s %% in terms of %s (%s)",
		a, b, s.builds(), b, signedShare(e.Change.Estimate), a, changeBounds(e.Change))
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
		return fmt.Sprintf("a loss of more than %s %% is out of the question", limit)
	case Fails:
		return fmt.Sprintf("a loss of more than %s %% is proven", limit)
	}
	return fmt.Sprintf("a loss of more than %s %% is neither proven nor out of the question: more builds (--runs) would tell", limit)
}

// median returns the median over the builds that count of a metric of an arm; 0 where it is
// not known.
func (s Versus) median(arm string, m result.Metric) float64 {
	var all []float64
	for _, one := range s.v.Runs {
		if v, known := m.Of(one.Result); known && one.Arm == arm && one.Doubt == "" && v.Value > 0 {
			all = append(all, v.Value)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// table has a row for what both were measured for.
func (s Versus) table() document.Table {
	a, b := s.names()
	t := document.Table{Columns: []document.Heading{{}, {Head: a}, {Head: b, Start: true}, {Head: "change, %"}}}
	for _, m := range result.Kept(result.History) {
		was, is := s.median(s.arm(0), m), s.median(s.arm(1), m)
		if m.Group == result.Clocks && was == 0 && is == 0 {
			continue
		}
		unit, in := figures.UnitOf(m, "frames/s")
		shown := func(v float64) string {
			if v == 0 {
				return figures.Missing
			}
			return in(v)
		}
		change := figures.Missing
		switch e, known := s.effect(); {
		case m.Unit != result.OfResult:
			if was > 0 && is > 0 {
				change = s.changeOf(m.ID)
			}
		case known && (e.AtLeast || e.AtMost):
			change = strings.TrimSuffix(boundsOf(e), " %")
		case known && e.Verdict != stats.Vetoed:
			is = was * (1 + e.Change.Estimate) // the ratio is known better than the median of either
			change = signedShare(e.Change.Estimate) + " (" + changeBounds(e.Change) + ")"
		}
		t.Rows = append(t.Rows, document.Cells(cmp.Or(m.Heading(), "forwards")+", "+unit, shown(was), shown(is), change))
	}
	return t
}

// changeOf is by how much a figure differs, with its interval; a change without one is
// none.
func (s Versus) changeOf(figure string) string {
	if list := s.figures[figure].Effects; len(list) == 1 && limited(list[0].Change) {
		return signedShare(list[0].Change.Estimate) + " (" + changeBounds(list[0].Change) + ")"
	}
	return figures.Missing
}

func (s Versus) arm(i int) string {
	if e := s.c.Manifest.Experiment; e != nil && i < len(e.Arms) {
		return e.Arms[i]
	}
	return ""
}

// again says what the baseline showed against itself.
func (s Versus) again() string {
	a, _ := s.names()
	if s.v.Same == nil {
		return ""
	}
	return fmt.Sprintf("%s beside itself (A/A): %s %% (%s)", a, signedShare(s.v.Same.Change.Estimate), changeBounds(s.v.Same.Change))
}

// notes are what stands below the table.
func (s Versus) notes() (out []string) {
	for _, text := range []string{s.gated(), s.again()} {
		if text != "" {
			out = append(out, document.Capitalised(text))
		}
	}
	if s.nothing() == 1 {
		_, b := s.names()
		out = append(out, fmt.Sprintf("in 1 of %d builds %s forwarded nothing under overload, and nobody knows why: more builds (--runs) would tell", s.all(), b))
	}
	if figures.Simulated(s.c) {
		out = append(out, "SIMULATED: no frame was sent")
	}
	if n := s.v.LeftOut; n > 0 {
		out = append(out, fmt.Sprintf("%d of %d builds left out: %s", n, n+s.v.Blocks, s.reasons()))
	}
	for _, w := range s.v.Warnings {
		out = append(out, w.Text)
	}
	return append(out, "latency and CPU time are those at half of what each forwards, and medians over the builds")
}

func (s Versus) reasons() string {
	var all []string
	for _, one := range s.v.Runs {
		if one.Doubt != "" && !one.Beside {
			all = figures.With(all, one.Doubt)
		}
	}
	return strings.Join(all, "; ")
}

// Write writes it in one of the Formats. As text and as Markdown it is what a person or a
// comment needs; as "junit" a test that fails where the gate does; as "bencher" a history's
// metrics (Bencher Metric Format); else the campaign.
func (s Versus) Write(w io.Writer, format string, o Options) error {
	f, err := find(format, "two arms are", Formats())
	if err != nil {
		return err
	}
	if f.versus == nil {
		return o.Write(w, format, s.c)
	}
	return f.versus(s, w, o)
}

func (s Versus) text(w io.Writer, o Options) error {
	return inColumns(cmp.Or(o.Width, document.TableWidth)).write(w, s.document(true))
}

func (s Versus) markdown(w io.Writer, _ Options) error {
	return renderer(inMarkdown).write(w, s.document(false))
}

// document is the answer with its table and notes; a terminal shows what to do next, too.
func (s Versus) document(terminal bool) (d document.Document) {
	d.Add("", document.Paragraph{Text: s.Sentence() + ".", Strong: true})
	d.Add("", s.table())
	if !terminal {
		d.Add("", document.Sentences(s.notes()...))
		return d
	}
	var notes []string
	for _, note := range append(s.notes(), "Next: weir report -v "+s.c.ID+" tells the rest") {
		notes = append(notes, note+".")
	}
	d.Add("", document.Paragraphs(notes)...)
	return d
}
