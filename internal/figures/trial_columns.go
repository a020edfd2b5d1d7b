package figures

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
)

// TrialColumns are what is told of a trial of test frames.
var TrialColumns = []document.Column[weir.TrialResult]{
	{Heading: document.Heading{Head: "no."}, Text: func(r weir.TrialResult) string { return fmt.Sprint(r.Trial.Number) }},
	{Heading: document.Heading{Head: "purpose", Words: true}, Text: func(r weir.TrialResult) string { return r.Trial.Purpose }},
	{Heading: document.Heading{Head: "frames"}, Text: func(r weir.TrialResult) string { return r.Trial.Traffic.Name }},
	{Heading: document.Heading{Head: "intended", Unit: "kpps per port"}, Text: func(r weir.TrialResult) string {
		switch n := len(r.Trial.Windows); {
		case r.Trial.Maximum:
			return "max"
		case n > 0:
			return fmt.Sprintf("%d windows", n)
		}
		return Kpps(r.Trial.Intended)
	}},
	{Heading: document.Heading{Head: "offered", Unit: "kpps"}, Text: func(r weir.TrialResult) string { return Kpps(r.OfferedRate()) }},
	{Heading: document.Heading{Head: "forwarded", Unit: "kpps"}, Text: func(r weir.TrialResult) string { return Kpps(r.ForwardingRate()) }},
	{Heading: document.Heading{Head: "loss", Unit: "%"}, Text: func(r weir.TrialResult) string { return Percent(r.LossRatio()) }},
	{Heading: document.Heading{Head: "lost", Unit: "frames"}, Text: func(r weir.TrialResult) string { return Number(lost(r), 0) }},
	{Heading: document.Heading{Head: "time", Unit: "s"}, Text: func(r weir.TrialResult) string { return plain(r.Trial.Duration.Seconds()) }},
	{Heading: document.Heading{Head: "p50", Unit: "us"}, Text: func(r weir.TrialResult) string { return histogramCell(r.Latency, .5) }},
	{Heading: document.Heading{Head: "p99", Unit: "us"}, Text: func(r weir.TrialResult) string { return histogramCell(r.Latency, .99) }},
	{Heading: document.Heading{Head: "CPU", Unit: "ns/frame"}, Text: func(r weir.TrialResult) string { return nanos(r.CPUPerFrame()) }},
	{Heading: document.Heading{Head: "warnings", Words: true}, Text: func(r weir.TrialResult) string { return codeList(r.Warnings) }},
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

// TransferColumns are what is told of a trial of a transfer.
var TransferColumns = []document.Column[weir.TrialResult]{
	TrialColumns[0],
	{Heading: document.Heading{Head: "transfer", Words: true}, Text: func(r weir.TrialResult) string { return TransferTitle(r.Trial.Transfer.Program, r.Trial.Transfer) }},
	{Heading: document.Heading{Head: "way", Words: true}, Text: func(r weir.TrialResult) string {
		if r.Trial.Traffic.Backward {
			return PathOf(weir.Factors{"direction": "reverse"})
		}
		return PathOf(weir.Factors{"bidirectional": r.Trial.Traffic.Bidirectional})
	}},
	ofTransferred("server", "", func(f weir.Transferred) (string, bool) { return sideOf(f.Server), f.Server != "" }),
	ofTransferred("goodput", "Mbit/s", func(f weir.Transferred) (string, bool) { return megabitScale.Of(f.Goodput()), f.Octets > 0 }),
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
