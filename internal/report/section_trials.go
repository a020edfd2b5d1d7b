package report

import (
	"fmt"
	"strings"

	"weir"
	"weir/internal/document"
)

// maxTrials is the most trials that a page lists.
const maxTrials = 500

// trialSections are all trials: of test frames, and of transfers.
func trialSections(d *document.Document, r reported) {
	var frames, moved []weir.TrialResult
	for _, t := range r.c.Trials {
		switch {
		case t.Trial.Transfer == nil && len(frames) < maxTrials:
			frames = append(frames, t)
		case t.Trial.Transfer != nil && len(moved) < maxTrials:
			moved = append(moved, t)
		}
	}
	d.Fold("trials", "trials")
	note := document.Paragraph{}
	if listed := len(frames) + len(moved); listed < len(r.c.Trials) {
		note.Text = fmt.Sprintf("These are the first %d; %d more are in the store", listed, len(r.c.Trials)-listed)
	}
	d.Add("", note, document.TableOf(trialColumns, frames), document.TableOf(transferColumns, moved))
}

// trialColumns are what is told of a trial of test frames.
var trialColumns = []document.Column[weir.TrialResult]{
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
		return kpps(r.Trial.Intended)
	}},
	{Heading: document.Heading{Head: "offered", Unit: "kpps"}, Text: func(r weir.TrialResult) string { return kpps(r.OfferedRate()) }},
	{Heading: document.Heading{Head: "forwarded", Unit: "kpps"}, Text: func(r weir.TrialResult) string { return kpps(r.ForwardingRate()) }},
	{Heading: document.Heading{Head: "loss", Unit: "%"}, Text: func(r weir.TrialResult) string { return percent(r.LossRatio()) }},
	{Heading: document.Heading{Head: "lost", Unit: "frames"}, Text: func(r weir.TrialResult) string { return number(lost(r), 0) }},
	{Heading: document.Heading{Head: "time", Unit: "s"}, Text: func(r weir.TrialResult) string { return plain(r.Trial.Duration.Seconds()) }},
	{Heading: document.Heading{Head: "p50", Unit: "us"}, Text: func(r weir.TrialResult) string { return trialLatency(r, .5) }},
	{Heading: document.Heading{Head: "p99", Unit: "us"}, Text: func(r weir.TrialResult) string { return trialLatency(r, .99) }},
	{Heading: document.Heading{Head: "CPU", Unit: "ns/frame"}, Text: func(r weir.TrialResult) string { return nanos(r.CPUPerFrame()) }},
	{Heading: document.Heading{Head: "warnings", Words: true}, Text: func(r weir.TrialResult) string { return codeList(r.Warnings) }},
}

func trialLatency(r weir.TrialResult, quantile float64) string {
	if r.Latency.N == 0 {
		return missing
	}
	return micros(r.Latency.Quantile(quantile))
}

// lost is the number of frames that LossRatio is about.
func lost(r weir.TrialResult) float64 {
	sent := r.Offered
	if r.Short() {
		sent = r.Trial.Frames()
	}
	return float64(sent) - float64(r.Received)
}

// transferColumns are what is told of a trial of a transfer.
var transferColumns = []document.Column[weir.TrialResult]{
	trialColumns[0],
	{Heading: document.Heading{Head: "transfer", Words: true}, Text: func(r weir.TrialResult) string { return transferTitle(r.Trial.Transfer.Program, r.Trial.Transfer) }},
	{Heading: document.Heading{Head: "way", Words: true}, Text: func(r weir.TrialResult) string {
		if r.Trial.Traffic.Backward {
			return pathOf(weir.Factors{"direction": "reverse"})
		}
		return pathOf(weir.Factors{"bidirectional": r.Trial.Traffic.Bidirectional})
	}},
	ofTransferred("server", "", func(f weir.Transferred) (string, bool) { return sideOf(f.Server), f.Server != "" }),
	ofTransferred("goodput", "Mbit/s", func(f weir.Transferred) (string, bool) { return megabitScale.of(f.Goodput()), f.Octets > 0 }),
	ofTransferred("count", "1/s", func(f weir.Transferred) (string, bool) { return significant(f.PerSecond()), f.Count > 0 }),
	ofTransferred("time", "s", func(f weir.Transferred) (string, bool) { return significant(f.Took.Seconds()), true }),
	ofTransferred("retransmitted", "", func(f weir.Transferred) (string, bool) { return count(f.Retransmitted), f.Octets > 0 }),
	ofTransferred("RTT", "p50, ms", func(f weir.Transferred) (string, bool) { return significant(f.RTT.Quantile(.5) * 1e3), f.RTT.N > 0 }),
	ofTransferred("", "idle, ms", func(f weir.Transferred) (string, bool) { return significant(f.IdleRTT * 1e3), f.IdleRTT > 0 }),
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
		return missing
	}}
}

// cpuOfEnd is the share of a CPU that an end host used, in percent.
func cpuOfEnd(f weir.Transferred, used float64) (string, bool) {
	took := f.Took.Seconds()
	if took == 0 || used == 0 {
		return "", false
	}
	return number(used/took*100, 0), true
}
