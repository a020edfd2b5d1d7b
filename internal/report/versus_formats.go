package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/method"
	"weir/internal/result"
	"weir/stats"
)

// median returns the median over the builds that count of a metric of an arm; 0 where it is
// not known.
func (s Versus) median(arm string, m result.Metric) float64 {
	var all []float64
	for _, one := range s.v.Runs {
		if v, known := m.Of(one.Result); known && one.Arm == arm && one.Doubt == "" && v.Value > 0 {
			all = append(all, v.Value)
		}
	}
	return stats.Median(all)
}

// found returns what was found of both arms for a metric, and how they differ where that is known.
// Then it is the geometric mean of B, as a report of the campaign has it, and of A what the
// change is from, all of its runs, those of the A/A among them; else the medians.
func (s Versus) found(m result.Metric) (a, b float64, change *stats.Interval) {
	a, b = s.median(s.arm(0), m), s.median(s.arm(1), m)
	of, own := s.figures[m.ID], m.Unit == result.OfResult
	if own {
		of = s.value
	}
	e, known := effectOf(of)
	at := slices.IndexFunc(of.Arms, func(one stats.Summary) bool { return one.Arm == e.Arm })
	if a == 0 || b == 0 || !known || at < 0 || e.AtLeast || e.AtMost || own && e.Verdict == stats.Vetoed || !limited(e.Change) {
		return a, b, nil
	}
	b = of.Arms[at].Interval.Estimate
	return b / (1 + e.Change.Estimate), b, &e.Change
}

// table has a row for what both were measured for.
func (s Versus) table() document.Table {
	a, b := s.names()
	t := document.Table{Columns: []document.Heading{{}, {Head: a}, {Head: b, Start: true}, {Head: "change, %"}}}
	for _, m := range result.Kept(result.History) {
		was, is, by := s.found(m)
		if was == 0 && is == 0 && (m.Group == result.Clocks || s.unit() != aspects[0].unit && m.Unit != result.OfResult) {
			continue
		}
		unit, in := figures.UnitOf(m, s.unit())
		shown := func(v float64) string {
			if v == 0 {
				return figures.Missing
			}
			return in(v)
		}
		change := figures.Missing
		if e, known := effectOf(s.value); by != nil {
			change = signedShare(by.Estimate) + " (" + changeBounds(*by) + ")"
		} else if known && m.Unit == result.OfResult && (e.AtLeast || e.AtMost) {
			change = strings.TrimSuffix(boundsOf(e), " %")
		}
		t.Rows = append(t.Rows, document.Cells(cmp.Or(m.Heading(), s.valueName())+", "+unit, shown(was), shown(is), change))
	}
	return t
}

// unit returns that of the values.
func (s Versus) unit() string { return cmp.Or(s.value.Unit, aspects[0].unit) }

// valueName returns the name of the values, as a row has it.
func (s Versus) valueName() string {
	at := slices.IndexFunc(aspects, func(a aspect) bool { return a.unit == s.unit() })
	return cmp.Or(aspects[at].what, "forwards")
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

// notes returns what is below the table.
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
	switch meaning := method.MeaningOf(s.value.Method); {
	case s.value.Method == "saturated":
		out = append(out, "latency and CPU time are those at half of what each forwards")
	case s.by.what == "" && s.value.Method == "throughput" && s.value.LossRatio == 0:
		out = append(out, "what each forwards is the highest load without loss")
	case s.by.what == "" && meaning != "":
		out = append(out, "what each forwards is the "+meaning)
	}
	return append(out, "numbers with a change are geometric means over the builds, others medians")
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

func (s Versus) junit(w io.Writer, _ Options) error {
	a, name := s.names()
	test := name + " against " + a
	if s.failAbove > 0 && s.by.what == "" {
		test = name + " forwards at most " + figures.Percent(s.failAbove) + " % less than " + a
	} else if s.failAbove > 0 {
		test = name + " has a " + s.by.worse + " of at most " + figures.Percent(s.failAbove) + " % against " + a
	}
	one := junitCase{Class: "weir.versus", Name: test, Out: s.Sentence() + ". " + s.gated()}
	switch s.Gate() {
	case Fails:
		one.Failure = &junitFault{s.Sentence()}
	case Unknown:
		one.Error = &junitFault{s.Sentence()}
	}
	return junitSuite{Name: "weir versus", Cases: []junitCase{one}}.write(w)
}

func (s Versus) bencher(w io.Writer, _ Options) error {
	a, name := s.names()
	out := map[string]map[string]bencherMetric{}
	out[a], out[name] = map[string]bencherMetric{}, map[string]bencherMetric{}
	for _, m := range result.Kept(result.History) {
		was, is, _ := s.found(m)
		for of, v := range map[string]float64{a: was, name: is} {
			if v > 0 {
				out[of][measureName(m, s.unit())] = bencherMetric{Value: v}
			}
		}
	}
	if e, known := s.effect(); known && e.Verdict != stats.Vetoed {
		one := bencherMetric{Value: 1 + e.Change.Estimate}
		if limited(e.Change) {
			lower, upper := 1+e.Change.Lower, 1+e.Change.Upper
			one.Lower, one.Upper = &lower, &upper
			if e.AtMost {
				one.Lower = nil
			}
			if e.AtLeast {
				one.Upper = nil
			}
		}
		out[name+" / "+a] = map[string]bencherMetric{strings.ReplaceAll(cmp.Or(s.by.what, "throughput"), " ", "-") + "-ratio": one}
	}
	return writeIndented(w, out)
}
