package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weir"
)

// writeCSV writes a row for each result, in base units, after a row of names.
// Each factor is a column; runs have columns for their place in the order,
// transfers for what they were, and sweeps for what they found.
func writeCSV(w io.Writer, c weir.Campaign, _ Options) error { return csvOf(w, c) }

// csvOf is writeCSV for several campaigns with the same columns.
func csvOf(w io.Writer, cs ...weir.Campaign) error {
	var results []weir.Result
	for _, c := range cs {
		results = append(results, c.Results...)
	}
	levels := factorsOf(results)
	runs := slices.ContainsFunc(cs, ran)
	run := []string{}
	if runs {
		run = []string{"run", "block", "replicate", "arm", "again"}
	}
	var ofTransfers []string
	if slices.ContainsFunc(results, func(r weir.Result) bool { return transferred(&r) }) {
		ofTransfers = []string{"unmeasured", "server", "test", "streams", "files", "file_size", "storage", "rates"}
	}
	var ofSweeps []string
	if slices.ContainsFunc(results, func(r weir.Result) bool { return inWindows(&r) }) {
		ofSweeps = sweepNames
	}
	out := csv.NewWriter(w)
	out.Write(slices.Concat([]string{"campaign", "simulated", "method", "claim"}, run, levels, []string{
		"value", "unit", "lower", "upper", "loss_ratio", "exceed_ratio", "width", "trial_seconds", "trials", "search_seconds",
		"latency_min", "latency_p50", "latency_p90", "latency_p99", "latency_p99.9", "latency_max", "latency_mean",
		"dut_cpu_seconds_per_frame", "dut_cpu_share", "mean_frame_size", "offered", "received", "drops", "unexplained", "warnings", "verdict", "figures", "curve", "load_share"}, ofTransfers, ofSweeps))
	for _, c := range cs {
		for _, r := range c.Results {
			out.Write(csvRow(c, r, levels, runs, len(ofTransfers) > 0, len(ofSweeps) > 0))
		}
	}
	out.Flush()
	return out.Error()
}

// csvRow is the row of a result.
func csvRow(c weir.Campaign, r weir.Result, levels []string, runs, transfers, sweeps bool) []string {
	row := []string{c.ID, strconv.FormatBool(r.Simulated), r.Method, r.Claim.Name}
	if runs {
		row = append(row, strconv.Itoa(r.Run.Number), strconv.Itoa(r.Run.Block), strconv.Itoa(r.Run.Replicate), r.Run.Arm, strconv.FormatBool(r.Run.Again))
	}
	for _, name := range levels {
		if v, there := r.Factors[name]; there {
			row = append(row, level(v))
		} else {
			row = append(row, "")
		}
	}
	value, lower, upper := exact(r.Value), exact(r.Lower), exact(r.Upper)
	if r.Unmeasured != "" || inWindows(&r) && unknown(&r) {
		value, lower, upper = "", "", ""
	}
	if early(&r) {
		lower, upper = "", ""
	}
	row = append(row, value, r.Unit, lower, upper, exact(r.LossRatio), exact(r.ExceedRatio),
		exact(r.Width), exact(r.TrialSeconds), strconv.Itoa(r.Trials), exact(r.SearchTime))
	if l := r.Latency; l != nil {
		row = append(row, exact(l.Min), exact(l.P50), exact(l.P90), exact(l.P99), exact(l.P999), exact(l.Max), exact(l.Mean))
	} else {
		row = append(row, make([]string, 7)...)
	}
	row = append(row, exact(r.CPUPerFrame), exact(r.CPUShare), exact(r.MeanSize), strconv.FormatUint(r.Ledger.Offered, 10),
		strconv.FormatUint(r.Ledger.Received, 10), dropList(r.Ledger), strconv.FormatInt(r.Ledger.Unexplained, 10), codeList(r.Warnings), r.Verdict, figureList(r.Figures), curveList(r.Curve), loadShare(c, &r))
	if transfers {
		row = append(row, transferCells(r)...)
	}
	if sweeps {
		row = append(row, sweepCells(r)...)
	}
	return row
}

// transferCells are what a result's row has of its transfer: why it has no value,
// the server's side, the test, the streams, the files with their size and
// storage, and the rates of the seconds.
func transferCells(r weir.Result) []string {
	rates := make([]string, len(r.Rates))
	for i, v := range r.Rates {
		rates[i] = exact(v)
	}
	t := r.Transfer
	if t == nil {
		return []string{r.Unmeasured, string(r.Server), "", "", "", "", "", strings.Join(rates, " ")}
	}
	return []string{r.Unmeasured, string(r.Server), t.Test, strconv.Itoa(max(t.Streams, 1)), strconv.Itoa(t.Files), strconv.FormatInt(t.FileSize, 10), string(t.Storage), strings.Join(rates, " ")}
}

// ran reports whether the results of a campaign are those of runs.
func ran(c weir.Campaign) bool {
	return slices.ContainsFunc(c.Results, func(r weir.Result) bool { return r.Run != weir.Run{} })
}

// loadShare is the share of the throughput at which r was measured; empty when
// it is none.
func loadShare(c weir.Campaign, r *weir.Result) string {
	if l := loadOf(c, r); l.Rate > 0 {
		return exact(l.Share)
	}
	return ""
}

// dropList is "place=count; place=count".
func dropList(l weir.Ledger) string {
	parts := make([]string, len(l.Drops))
	for i, d := range l.Drops {
		parts[i] = fmt.Sprintf("%s=%d", d.Place, d.Count)
	}
	return strings.Join(parts, "; ")
}

// figureList is "name=value unit; name=value".
func figureList(figures []weir.Figure) string {
	parts := make([]string, len(figures))
	for i, f := range figures {
		parts[i] = strings.TrimSpace(f.Name + "=" + exact(f.Value) + " " + f.Unit)
	}
	return strings.Join(parts, "; ")
}

// curveList is "up offered=2000 forwarded=1500 loss=0.25; ...", in frames/s; what
// is not known is empty.
func curveList(curve []weir.Point) string {
	parts := make([]string, len(curve))
	for i, p := range curve {
		known := func(v float64) string {
			if !counted(p) {
				return ""
			}
			return exact(v)
		}
		parts[i] = fmt.Sprintf("%s offered=%s forwarded=%s loss=%s", p.Branch, exact(p.Offered), known(p.Forwarded), known(p.LossRatio))
		if q := p.WindowPoint; q != nil {
			parts[i] += fmt.Sprintf(" lower=%s upper=%s windows=%d left_out=%d", known(q.Lower), known(q.Upper), q.Windows, q.LeftOut)
		}
		if q := p.Probe; q != nil {
			parts[i] += fmt.Sprintf(" echo_lost=%d/%d accept_failed=%d/%d", q.EchoLost, q.EchoSent, q.AcceptFailed, q.AcceptTried)
		}
	}
	return strings.Join(parts, "; ")
}

// codeList is the codes of ws, each once, separated by spaces.
func codeList(ws []weir.Warning) string {
	var parts []string
	for _, w := range ws {
		parts = with(parts, string(w.Code))
	}
	return strings.Join(parts, " ")
}
