package figures

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
)

// TrialColumns are what is shown of a trial of test frames: the loads first, in
// frames/s over all ports, as it was asked for, as it was sent, and as it came back.
var TrialColumns = []document.Column[weir.TrialResult]{
	loadColumn("intended", "intended_load", weir.TrialResult.IntendedRate, func(r weir.TrialResult) string {
		if r.Trial.Maximum {
			return "max"
		}
		return Kpps(r.IntendedRate())
	}),
	loadColumn("offered", "offered_load", weir.TrialResult.OfferedRate, func(r weir.TrialResult) string { return Kpps(r.OfferedRate()) }),
	loadColumn("forwarded", "received_load", weir.TrialResult.ForwardingRate, func(r weir.TrialResult) string { return Kpps(r.ForwardingRate()) }),
	trialColumn(document.Heading{Head: "loss", Unit: "%"}, "loss_ratio", func(r weir.TrialResult) string { return Percent(r.LossRatio()) }, func(r weir.TrialResult) string { return Exact(r.LossRatio()) }),
	trialColumn(document.Heading{Head: "no."}, "number", func(r weir.TrialResult) string { return fmt.Sprint(r.Trial.Number) }, nil),
	trialColumn(document.Heading{Head: "purpose", Words: true}, "purpose", func(r weir.TrialResult) string { return r.Trial.Purpose }, nil),
	trialColumn(document.Heading{Head: "frames"}, "traffic", func(r weir.TrialResult) string { return r.Trial.Traffic.Name }, nil),
	trialColumn(document.Heading{Head: "lost", Unit: "frames"}, "lost", func(r weir.TrialResult) string { return Number(lost(r), 0) }, func(r weir.TrialResult) string { return Exact(lost(r)) }),
	trialColumn(document.Heading{Head: "time", Unit: "s"}, "seconds", func(r weir.TrialResult) string {
		text := plain(r.Trial.Length().Seconds())
		if n := len(r.Trial.Windows); n > 0 {
			text = fmt.Sprintf("%s in %d windows", Significant(r.Trial.Length().Seconds()), n)
		}
		return text
	}, func(r weir.TrialResult) string { return Exact(r.Trial.Length().Seconds()) }),
	delayColumn("p50", "latency_p50", .5),
	delayColumn("p99", "latency_p99", .99),
	trialColumn(document.Heading{Head: "CPU", Unit: "ns/frame"}, "dut_cpu_seconds_per_frame", func(r weir.TrialResult) string { return nanos(r.CPUPerFrame()) }, func(r weir.TrialResult) string { return knownExact(r.CPUPerFrame()) }),
	trialColumn(document.Heading{Head: "warnings", Words: true}, "warnings", func(r weir.TrialResult) string { return codeList(r.Warnings) }, nil),
}

// trialColumn is a column of trials for people and for programs; value nil: both have
// the same text.
func trialColumn(h document.Heading, key string, text, value func(weir.TrialResult) string) document.Column[weir.TrialResult] {
	if value == nil {
		value = text
	}
	return document.Column[weir.TrialResult]{Heading: h, Text: text, Key: key, Value: value}
}

// loadColumn is a column of one of a trial's three loads. Where nothing particular was
// intended programs have nothing.
func loadColumn(head, key string, load func(weir.TrialResult) float64, text func(weir.TrialResult) string) document.Column[weir.TrialResult] {
	return trialColumn(document.Heading{Head: head, Unit: "kpps", Numbers: true}, key, text, func(r weir.TrialResult) string {
		if key == "intended_load" {
			return knownExact(load(r))
		}
		return Exact(load(r))
	})
}

// delayColumn is a column of a quantile of a trial's latency.
func delayColumn(head, key string, quantile float64) document.Column[weir.TrialResult] {
	return trialColumn(document.Heading{Head: head, Unit: "us"}, key, func(r weir.TrialResult) string { return histogramCell(r.Latency, quantile) }, func(r weir.TrialResult) string {
		if r.Latency.N == 0 {
			return ""
		}
		return Exact(r.Latency.Quantile(quantile))
	})
}

// knownExact is a number for a program; empty where it is 0, which is not known.
func knownExact(v float64) string {
	if v == 0 {
		return ""
	}
	return Exact(v)
}

// TrialsCSV writes a row for each trial of test frames, in base units.
func TrialsCSV(w io.Writer, c weir.Campaign) error {
	frames := slices.DeleteFunc(slices.Clone(c.Trials), func(t weir.TrialResult) bool { return t.Trial.Transfer != nil })
	out := csv.NewWriter(w)
	out.WriteAll(document.Records(TrialColumns, frames))
	return out.Error()
}

// JSONTrial is a trial in JSON, its loads first, in frames/s over all ports.
type JSONTrial struct {
	Intended *float64 `json:"intended_load,omitempty"` // nil: as much as the tester could send
	Offered  float64  `json:"offered_load"`
	Received float64  `json:"received_load"`
	weir.TrialResult
}

// JSONTrialOf is a trial as JSON has it.
func JSONTrialOf(r weir.TrialResult) JSONTrial {
	out := JSONTrial{Offered: r.OfferedRate(), Received: r.ForwardingRate(), TrialResult: r}
	if v := r.IntendedRate(); v > 0 {
		out.Intended = &v
	}
	return out
}

// TrialColumnsOf are those of some trials, with round trips where one of them has some.
func TrialColumnsOf(trials []weir.TrialResult) []document.Column[weir.TrialResult] {
	if !slices.ContainsFunc(trials, func(r weir.TrialResult) bool { return r.RoundTrip.N > 0 }) {
		return TrialColumns
	}
	at := slices.IndexFunc(TrialColumns, func(c document.Column[weir.TrialResult]) bool { return c.Head == "CPU" })
	return slices.Insert(slices.Clone(TrialColumns), at,
		document.Column[weir.TrialResult]{Heading: document.Heading{Head: "round trip", Unit: "p50 us"}, Text: func(r weir.TrialResult) string { return histogramCell(r.RoundTrip, .5) }},
		document.Column[weir.TrialResult]{Heading: document.Heading{Unit: "p99 us"}, Text: func(r weir.TrialResult) string { return histogramCell(r.RoundTrip, .99) }})
}

func histogramCell(h weir.Histogram, quantile float64) string {
	if h.N == 0 {
		return Missing
	}
	return Micros(h.Quantile(quantile))
}

// lost is the number of frames that LossRatio is about.
func lost(r weir.TrialResult) float64 {
	sent := r.Offered
	if r.Short() {
		sent = r.Trial.Frames()
	}
	return float64(sent) - float64(r.Received)
}

// TransferColumns are what is shown of a trial of a transfer: the rate that was asked
// for first, where one was, and what arrived of it.
var TransferColumns = []document.Column[weir.TrialResult]{
	{Heading: document.Heading{Head: "asked", Unit: "Mbit/s", Numbers: true}, Text: func(r weir.TrialResult) string {
		if rate := r.Trial.Transfer.Rate; rate > 0 {
			return megabitScale.Of(rate)
		}
		return "max"
	}},
	ofTransferred("goodput", "Mbit/s", func(f weir.Transferred) (string, bool) { return megabitScale.Of(f.Goodput()), f.Octets > 0 }),
	{Heading: document.Heading{Head: "no."}, Text: func(r weir.TrialResult) string { return fmt.Sprint(r.Trial.Number) }},
	{Heading: document.Heading{Head: "transfer", Words: true}, Text: func(r weir.TrialResult) string { return TransferTitle(r.Trial.Transfer.Program, r.Trial.Transfer) }},
	{Heading: document.Heading{Head: "way", Words: true}, Text: func(r weir.TrialResult) string {
		if r.Trial.Traffic.Backward {
			return PathOf(weir.Factors{"direction": "reverse"})
		}
		return PathOf(weir.Factors{"bidirectional": r.Trial.Traffic.Bidirectional})
	}},
	ofTransferred("server", "", func(f weir.Transferred) (string, bool) { return sideOf(f.Server), f.Server != "" }),
	ofTransferred("count", "1/s", func(f weir.Transferred) (string, bool) { return Significant(f.PerSecond()), f.Count > 0 }),
	ofTransferred("time", "s", func(f weir.Transferred) (string, bool) { return Significant(f.Took.Seconds()), true }),
	ofTransferred("retransmitted", "", func(f weir.Transferred) (string, bool) { return Count(f.Retransmitted), f.Octets > 0 }),
	ofTransferred("RTT", "p50, ms", func(f weir.Transferred) (string, bool) { return Significant(f.RTT.Quantile(.5) * 1e3), f.RTT.N > 0 }),
	ofTransferred("", "idle, ms", func(f weir.Transferred) (string, bool) { return Significant(f.IdleRTT * 1e3), f.IdleRTT > 0 }),
	ofTransferred("CPU", "source, %", func(f weir.Transferred) (string, bool) { return cpuOfEnd(f, f.CPU.Source.Seconds()) }),
	ofTransferred("", "target, %", func(f weir.Transferred) (string, bool) { return cpuOfEnd(f, f.CPU.Destination.Seconds()) }),
	ofTransferred("hash", "checked", func(f weir.Transferred) (string, bool) { return "yes", f.Verified }),
	{Heading: document.Heading{Head: "broke off, warnings", Words: true}, Text: func(r weir.TrialResult) string {
		text := codeList(r.Warnings)
		if r.Transferred != nil {
			text = strings.TrimSpace(r.Transferred.Failed + " " + text)
		}
		return text
	}},
}

// ofTransferred is a column of what a transfer has found, where it is known.
func ofTransferred(head, unit string, of func(weir.Transferred) (string, bool)) document.Column[weir.TrialResult] {
	return document.Column[weir.TrialResult]{Heading: document.Heading{Head: head, Unit: unit}, Text: func(r weir.TrialResult) string {
		if r.Transferred != nil {
			if text, known := of(*r.Transferred); known {
				return text
			}
		}
		return Missing
	}}
}

// cpuOfEnd is the share of a CPU that an end host used, in percent.
func cpuOfEnd(f weir.Transferred, used float64) (string, bool) {
	took := f.Took.Seconds()
	if took == 0 || used == 0 {
		return "", false
	}
	return Number(used/took*100, 0), true
}
