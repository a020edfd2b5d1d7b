package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"weir"
	"weir/internal/proof"
)

// A comparisonFormat is a way to write a proof.
type comparisonFormat struct {
	name  string
	write func(io.Writer, []study, []difference) error
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
// runs come from two campaigns their manifests may be given too: what they
// differ in is told, as it may be the reason of any difference.
func WriteProof(w io.Writer, format string, p proof.Proof, of ...weir.Manifest) error {
	return WriteViews(w, format, []proof.View{{Proof: p}}, of...)
}

// WriteViews is WriteProof for a campaign that is looked at along several factors.
func WriteViews(w io.Writer, format string, views []proof.View, of ...weir.Manifest) error {
	var differ []difference
	if len(of) == 2 {
		differ = manifestDifferences(of[0], of[1])
	}
	var all []study
	for _, v := range views {
		s := newStudy(v.Proof)
		s.by = v.Factor
		all = append(all, s)
	}
	for _, f := range comparisonFormats {
		if f.name == format {
			return f.write(w, all, differ)
		}
	}
	return fmt.Errorf("unknown comparison format %q; there are %s", format, strings.Join(ComparisonFormats(), ", "))
}

// differenceTable is what two manifests differ in.
func differenceTable(list []difference) table {
	t := table{Head: []string{"where", "what", "first", "second"}, Units: make([]string, 4), Words: []int{1, 2, 3}}
	for _, d := range list {
		t.Rows = append(t.Rows, []string{d.Where, d.Name, d.First, d.Second})
	}
	return t
}

// armTable describes the runs of each arm.
func (s study) armTable() table {
	t := table{Head: []string{"frame", "arm", "runs", "mean", "min", "median", "max", "deviation"}, Words: []int{1}}
	t.Head[0] = cornerOf(s.values())
	t.Units = []string{"", "", "", "", "", "", "", "%"}
	if unit := s.unitOfAll(); unit != "" {
		for i := 3; i < 7; i++ {
			t.Units[i] = unit
		}
	}
	named := slices.ContainsFunc(s.values(), func(c proof.Comparison) bool { return s.traffic(c) != "" })
	for _, c := range s.values() {
		for i, a := range c.Arms {
			value := func(v float64) string { return scaledValue(v, c) }
			relative := missing
			if a.Mean > 0 && a.N > 1 {
				relative = deviation(a.Deviation / a.Mean)
			}
			t.Rows = append(t.Rows, []string{s.row(c), s.armLabel(c, i), fmt.Sprint(a.N), value(center(a)), value(a.Min), value(a.Median), value(a.Max), relative})
		}
	}
	if !named && !several(s.values()) {
		t = t.without(0)
	}
	return t
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

// without is a table without one of its columns.
func (t table) without(column int) table {
	out := table{Head: slices.Delete(slices.Clone(t.Head), column, column+1), Units: slices.Delete(slices.Clone(t.Units), column, column+1)}
	for _, row := range t.Rows {
		out.Rows = append(out.Rows, slices.Delete(slices.Clone(row), column, column+1))
	}
	for _, i := range t.Words {
		if i > column {
			i--
		}
		out.Words = append(out.Words, i)
	}
	return out
}

// comparisonOf is what was proven as a document.
func comparisonOf(all []study, differ []difference) document {
	var d document
	if len(all) > 1 {
		n := 0
		for _, s := range all {
			n += len(effectsOf(s.Comparisons))
		}
		d.add("", titleBlock(fmt.Sprintf("%d differences along %d factors, judged together (Holm)", n, len(all))))
	}
	for _, s := range all {
		if len(all) > 1 {
			d = append(d, section{Title: "by " + s.by + ", all else the same", By: true})
			alone := s
			alone.by = "" // which the heading says
			d.add("", textBlock{Text: s.answer(), Strong: true}, textBlock{Text: alone.against()})
		} else {
			d.add("", titleBlock(s.answer()), textBlock{Text: s.against()})
		}
		if len(s.Comparisons) > 0 {
			d.add("", s.armTable().as())
			s.proven(&d)
		}
	}
	d.add("what the manifests differ in", differenceTable(differ).as())
	return d
}

func compareText(w io.Writer, all []study, differ []difference) error {
	var b bytes.Buffer
	comparisonOf(all, differ).text(&b)
	_, err := w.Write(b.Bytes())
	return err
}

func compareMarkdown(w io.Writer, all []study, differ []difference) error {
	var b bytes.Buffer
	comparisonOf(all, differ).markdown(&b)
	_, err := w.Write(b.Bytes())
	return err
}
