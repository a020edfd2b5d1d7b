package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"weir"
	"weir/internal/proof"
	"weir/stats"
)

// A comparisonFormat is a way to write a proof.
type comparisonFormat struct {
	name  string
	write func(io.Writer, []study, manifests) error
}

// manifests are what is known of the campaigns of a proof.
type manifests struct {
	differ []difference // of two
	notes  []weir.Note  // of one
}

// To add a format, write it in a file of its own and enter it here.
var comparisonFormats = []comparisonFormat{
	{"text", compareText},
	{"markdown", compareMarkdown},
	{"csv", compareCSV},
	{"json", compareJSON},
}

// ComparisonFormats are the names that WriteProof knows: "text" for a terminal,
// "markdown", "csv" with a row for each effect, and "json".
func ComparisonFormats() []string {
	names := make([]string, len(comparisonFormats))
	for i, f := range comparisonFormats {
		names[i] = f.name
	}
	return names
}

// WriteProof writes what was proven in one of the ComparisonFormats. Where the
// manifests of the campaigns are given too, of one its author's notes are told, and of
// two what they differ in, as it may be the reason of any difference.
func WriteProof(w io.Writer, format string, p proof.Proof, of ...weir.Manifest) error {
	return WriteViews(w, format, []proof.View{{Proof: p}}, of...)
}

// WriteViews is WriteProof for a campaign that is looked at along several factors.
func WriteViews(w io.Writer, format string, views []proof.View, of ...weir.Manifest) error {
	var known manifests
	switch len(of) {
	case 1:
		known.notes = of[0].Notes
	case 2:
		known.differ = manifestDifferences(of[0], of[1])
	}
	var all []study
	for _, v := range views {
		s := newStudy(v.Proof)
		s.by = v.Factor
		all = append(all, s)
	}
	for _, f := range comparisonFormats {
		if f.name == format {
			return f.write(w, all, known)
		}
	}
	return fmt.Errorf("unknown comparison format %q; there are %s", format, strings.Join(ComparisonFormats(), ", "))
}

// differenceColumns are what is told of a difference of two manifests.
var differenceColumns = []column[difference]{
	{heading: heading{Head: "where"}, Text: func(d difference) string { return d.Where }},
	{heading: heading{Head: "what", Words: true}, Text: func(d difference) string { return d.Name }},
	{heading: heading{Head: "first", Words: true}, Text: func(d difference) string { return d.First }},
	{heading: heading{Head: "second", Words: true}, Text: func(d difference) string { return d.Second }},
}

// An armPlace is one arm of a comparison, by its place.
type armPlace struct {
	proof.Comparison
	at int
}

// armTable describes the runs of each arm.
func (s study) armTable() table {
	var list []armPlace
	for _, c := range s.values() {
		for i := range c.Arms {
			list = append(list, armPlace{c, i})
		}
	}
	unit := s.unitOfAll()
	value := func(head string, of func(stats.Summary) float64) column[armPlace] {
		return column[armPlace]{heading: heading{Head: head, Unit: unit}, Text: func(a armPlace) string { return scaledValue(of(a.Arms[a.at]), a.Comparison) }}
	}
	mean := value("mean", center)
	mean.Of = func(a armPlace) *weir.Result { return runOf(a.Comparison, a.Arms[a.at].Arm) }
	columns := []column[armPlace]{
		{heading: heading{Head: cornerOf(s.values())}, Text: func(a armPlace) string { return s.row(a.Comparison) }},
		{heading: heading{Head: "arm", Words: true}, Text: func(a armPlace) string { return s.armLabel(a.Comparison, a.at) }},
		{heading: heading{Head: "runs"}, Text: func(a armPlace) string { return fmt.Sprint(a.Arms[a.at].N) }},
		mean,
		value("min", func(a stats.Summary) float64 { return a.Min }),
		value("median", func(a stats.Summary) float64 { return a.Median }),
		value("max", func(a stats.Summary) float64 { return a.Max }),
		{heading: heading{Head: "deviation", Unit: "%"}, Text: func(a armPlace) string {
			if one := a.Arms[a.at]; one.Mean > 0 && one.N > 1 {
				return deviation(one.Deviation / one.Mean)
			}
			return missing
		}},
	}
	named := slices.ContainsFunc(s.values(), func(c proof.Comparison) bool { return s.traffic(c) != "" })
	if !named && !several(s.values()) {
		columns = columns[1:]
	}
	return tabled(columns, list)
}

// row names a comparison in a table of all.
func (s study) row(c proof.Comparison) string {
	if several(s.values()) {
		return strings.TrimSpace(s.traffic(c) + " " + measure(c))
	}
	return s.traffic(c)
}

// unitOfAll is the unit of all values as they are shown; "" where they differ,
// or none is known.
func (s study) unitOfAll() string {
	unit := ""
	for i, c := range s.values() {
		this := strings.TrimPrefix(scale(c), ", ")
		if i > 0 && this != unit {
			return ""
		}
		unit = this
	}
	return unit
}

// comparisonOf is what was proven as a document.
func comparisonOf(all []study, of manifests) document {
	var d document
	if len(all) > 1 {
		n := 0
		for _, s := range all {
			n += len(effectsOf(s.Comparisons))
		}
		d.add("", titleBlock{Text: fmt.Sprintf("%d differences along %d factors, judged together (Holm)", n, len(all))})
	}
	for _, s := range all {
		if len(all) > 1 {
			d = append(d, section{Title: "by " + s.by + ", all else the same", By: true})
			alone := s
			alone.by = "" // which the heading says
			d.add("", textBlock{Text: s.answer(), Strong: true}, textBlock{Text: alone.against()})
		} else {
			d.add("", titleBlock{Text: s.answer()}, textBlock{Text: s.against()})
		}
		if len(s.Comparisons) > 0 {
			d.add("", s.armTable())
			s.proven(&d, detail{})
		}
	}
	d.add("what the manifests differ in", tabled(differenceColumns, of.differ))
	d.sign(remarkedOf(of.notes))
	return d
}

func compareText(w io.Writer, all []study, of manifests) error {
	var b bytes.Buffer
	comparisonOf(all, of).text(&b, textWidth, tableWidth)
	_, err := w.Write(b.Bytes())
	return err
}

func compareMarkdown(w io.Writer, all []study, of manifests) error {
	var b bytes.Buffer
	comparisonOf(all, of).markdown(&b)
	_, err := w.Write(b.Bytes())
	return err
}
