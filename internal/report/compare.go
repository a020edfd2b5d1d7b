package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/stats"
)

// Compared says what is known of the campaigns that a proof is about in addition to it, and
// how it is shown.
type Compared struct {
	Manifests []weir.Manifest // of one the author's notes are shown, of several what they differ in
	Rows      string          // of several: the factor whose levels are the rows, or "campaign"; "": there is no table of it
}

// WriteProof writes what was proven in one of the ComparisonFormats.
func WriteProof(w io.Writer, format string, p proof.Proof, of Compared) error {
	return WriteViews(w, format, []proof.View{{Proof: p}}, of)
}

// WriteViews is WriteProof for a campaign that is looked at along several factors.
func WriteViews(w io.Writer, format string, views []proof.View, of Compared) error {
	f, err := find(format, "a comparison is", ComparisonFormats())
	if err != nil {
		return err
	}
	var all []study
	for _, v := range views {
		s := newStudy(v.Proof)
		s.by = v.Factor
		all = append(all, s)
	}
	return f.comparison(w, all, of)
}

// ComparisonPage returns what was proven as a page, before it is written: the answer is its head.
func ComparisonPage(p proof.Proof, of Compared) (out document.Document, err error) {
	d, err := comparisonOf([]study{newStudy(p)}, of)
	for i, s := range d {
		switch {
		case i == 1:
			out.Part("comparison", "comparison")
		case s.Title == manifestsDiffer:
			out.Part("manifests", s.Title)
		}
		out = append(out, s)
	}
	return out, err
}

// manifestsDiffer is the title of what manifests differ in.
const manifestsDiffer = "what the manifests differ in"

// differenceTable is what manifests differ in.
func differenceTable(of []weir.Manifest) document.Table {
	columns := []document.Column[difference]{
		{Heading: document.Heading{Head: "where"}, Text: func(d difference) string { return d.Where }},
		{Heading: document.Heading{Head: "what", Words: true}, Text: func(d difference) string { return d.Name }},
	}
	for i := range of {
		columns = append(columns, document.Column[difference]{Heading: document.Heading{Head: ordinal(i), Words: true}, Text: func(d difference) string { return d.Values[i] }})
	}
	return document.TableOf(columns, manifestDifferences(of))
}

// ordinal is "first" for 0.
func ordinal(i int) string {
	if few := []string{"first", "second", "third", "fourth", "fifth"}; i < len(few) {
		return few[i]
	}
	return fmt.Sprintf("%dth", i+1)
}

// An armPlace is one arm of a comparison, by its place.
type armPlace struct {
	proof.Comparison
	at int
}

// armTable describes the runs of each arm.
func (s study) armTable() document.Table {
	var list []armPlace
	for _, c := range s.values() {
		for i := range c.Arms {
			list = append(list, armPlace{c, i})
		}
	}
	unit := s.unitOfAll()
	value := func(head string, of func(stats.Summary) float64) document.Column[armPlace] {
		return document.Column[armPlace]{Heading: document.Heading{Head: head, Unit: unit}, Text: func(a armPlace) string { return figures.ScaledValue(of(a.Arms[a.at]), a.Comparison) }}
	}
	mean := value("geo mean", center)
	mean.Of = func(a armPlace) any { return figures.OrNil(runOf(a.Comparison, a.Arms[a.at].Arm)) }
	columns := []document.Column[armPlace]{
		{Heading: document.Heading{Head: cornerOf(s.values())}, Text: func(a armPlace) string { return s.row(a.Comparison) }},
		{Heading: document.Heading{Head: "arm", Words: true}, Text: func(a armPlace) string { return s.armLabel(a.Comparison, a.at) }},
		{Heading: document.Heading{Head: "runs"}, Text: func(a armPlace) string { return fmt.Sprint(a.Arms[a.at].N) }},
		mean,
		value("min", func(a stats.Summary) float64 { return a.Min }),
		value("median", func(a stats.Summary) float64 { return a.Median }),
		value("max", func(a stats.Summary) float64 { return a.Max }),
		{Heading: document.Heading{Head: "deviation", Unit: "%"}, Text: func(a armPlace) string {
			if one := a.Arms[a.at]; one.Mean > 0 && one.N > 1 {
				return deviation(one.Deviation / one.Mean)
			}
			return figures.Missing
		}},
	}
	named := slices.ContainsFunc(s.values(), func(c proof.Comparison) bool { return s.traffic(c) != "" })
	if !named && !several(s.values()) {
		columns = columns[1:]
	}
	return document.TableOf(columns, list)
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
		this := figures.UnitOfValues(c)
		if i > 0 && this != unit {
			return ""
		}
		unit = this
	}
	return unit
}

// comparisonOf is what was proven as a document.
func comparisonOf(all []study, of Compared) (document.Document, error) {
	var d document.Document
	if len(all) > 1 {
		n := 0
		for _, s := range all {
			n += len(effectsOf(s.Comparisons))
		}
		d.Add("", document.Title{Text: fmt.Sprintf("%d differences along %d factors, judged together (Holm)", n, len(all))})
	}
	for _, s := range all {
		if len(all) > 1 {
			d = append(d, document.Section{Title: "by " + s.by + ", all else the same", By: true})
			alone := s
			alone.by = "" // which the heading says
			d.Add("", document.Paragraph{Text: s.answer(), Strong: true}, document.Paragraph{Text: alone.against(false)})
		} else {
			d.Add("", document.Title{Text: s.answer()}, document.Paragraph{Text: s.against(false)})
		}
		if of.Rows != "" {
			tables, err := tablesOf(s.numbers(), of.Rows)
			if err != nil {
				return nil, err
			}
			for _, t := range tables {
				d.Add(t.Table.Title, t.Table)
			}
			d.Add("", document.Paragraph{Text: s.marked() + s.means() + "."})
		}
		if len(s.Comparisons) > 0 {
			d.Add("", s.armTable())
			s.proven(&d, usual)
		}
	}
	if len(of.Manifests) > 1 {
		d.Add(manifestsDiffer, differenceTable(of.Manifests))
	} else if len(of.Manifests) == 1 {
		d.Refer(figures.RemarksOf(of.Manifests[0].Notes))
	}
	return d, nil
}

// compareAs returns what writes what was proven as a document.
func compareAs(r renderer) func(io.Writer, []study, Compared) error {
	return func(w io.Writer, all []study, of Compared) error {
		d, err := comparisonOf(all, of)
		if err != nil {
			return err
		}
		return r.write(w, d)
	}
}
