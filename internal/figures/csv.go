package figures

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/result"
)

// CSVOf writes the results of campaigns as CSV, all with the same columns.
func CSVOf(w io.Writer, cs ...weir.Campaign) error {
	var list []resultRow
	for _, c := range cs {
		readings := ResultReadings(c)
		for i := range c.Results {
			list = append(list, resultRow{&c.Results[i], &c, readings[i]})
		}
	}
	out := csv.NewWriter(w)
	out.WriteAll(document.Records(resultColumns(list), list))
	return out.Error()
}

// A resultRow is a result with its campaign, and the readings of the DUT's machine.
type resultRow struct {
	*weir.Result
	c        *weir.Campaign
	readings []resultReading
}

// resultColumns are those of results for programs: without those that none of them
// fills because it is of another kind.
func resultColumns(list []resultRow) []document.Column[resultRow] {
	has := func(kind func(r resultRow) bool) bool { return slices.ContainsFunc(list, kind) }
	out := slices.Clone(identityColumns)
	if has(func(r resultRow) bool { return r.Run != weir.Run{} }) {
		out = append(out, runColumns...)
	}
	all := weir.Factors{}
	for _, r := range list {
		maps.Copy(all, r.Factors)
	}
	for _, name := range result.Names(all) {
		out = append(out, data(name, func(r resultRow) string {
			if v, there := r.Factors[name]; there {
				return result.Level(v)
			}
			return ""
		}))
	}
	out = append(out, valueColumns...)
	group := func(g result.Group) {
		if has(func(r resultRow) bool { return result.Has(r.Result, g) }) {
			out = append(out, metricColumns(g)...)
		}
	}
	group(result.Clocks)
	if has(func(r resultRow) bool { return result.OfTransfer(r.Result) }) {
		out = append(out, transferredColumns...)
	}
	if group(result.Windows); has(func(r resultRow) bool { return result.InWindows(r.Result) }) {
		out = append(out, doubtfulColumn)
	}
	group(result.Links)
	if has(func(r resultRow) bool { return r.c.Manifest.Place != "" }) {
		out = append(out, data("place", func(r resultRow) string { return r.c.Manifest.Place }))
	}
	if has(func(r resultRow) bool { return len(r.c.Manifest.Notes) > 0 }) {
		out = append(out, data("notes", resultRow.notes))
	}
	if has(func(r resultRow) bool { return len(r.readings) > 0 }) {
		out = append(out, data("readings", func(r resultRow) string { return joinedWith("; ", r.readings, resultReading.String) }))
	}
	return out
}

// notes are those of the author about the result, and about its campaign.
func (r resultRow) notes() string {
	var all []string
	for _, n := range r.c.Manifest.Notes {
		if len(n.Of) == 0 || n.About(*r.Result) {
			all = append(all, n.Text)
		}
	}
	return strings.Join(all, "; ")
}

// dropText is "place=count".
func dropText(d weir.Drop) string { return fmt.Sprintf("%s=%d", d.Place, d.Count) }

// figureText is "name=value unit".
func figureText(f weir.Figure) string {
	return strings.TrimSpace(f.Name + "=" + Exact(f.Value) + " " + f.Unit)
}

// pointText is "intended=2000 offered=2000 forwarded=1500 load=up loss=0.25", in
// frames/s; what is not known, and the load where the tester sent what it could, is
// empty.
func pointText(p weir.Point) string {
	known := func(v float64) string {
		if !counted(p) {
			return ""
		}
		return Exact(v)
	}
	intended := p.Intended
	if windowed(p) {
		intended = p.Load
	}
	text := fmt.Sprintf("intended=%s offered=%s forwarded=%s load=%s loss=%s", knownExact(intended), Exact(p.Offered), known(p.Forwarded), p.Branch, known(p.LossRatio))
	if q := p.WindowPoint; q != nil {
		text += fmt.Sprintf(" lower=%s upper=%s windows=%d left_out=%d", known(q.Lower), known(q.Upper), q.Windows, q.LeftOut)
	}
	if q := p.Probe; q != nil {
		text += fmt.Sprintf(" echo_lost=%d/%d accept_failed=%d/%d", q.EchoLost, q.EchoSent, q.AcceptFailed, q.AcceptTried)
	}
	return text
}

// joinedWith is a list in one text.
func joinedWith[T any](by string, list []T, text func(T) string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = text(v)
	}
	return strings.Join(parts, by)
}

// codeList is the codes of ws, each once, separated by spaces.
func codeList(ws []weir.Warning) string {
	var parts []string
	for _, w := range ws {
		parts = With(parts, string(w.Code))
	}
	return strings.Join(parts, " ")
}
