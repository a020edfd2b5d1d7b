package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"weir"
)

// A tile is one key figure.
type tile struct{ What, Value, Unit, Note string }

// tilesOf are the figures of the row that the headline is about.
func tilesOf(c weir.Campaign, g grid) []tile {
	if w, r := g.sweptLead(); r != nil {
		return w.sweepTiles(r)
	}
	w, r := first(g)
	if r == nil {
		return transferTiles(g)
	}
	tiles := []tile{{goalTitle(r), significant(r.Value / 1e3), "kpps", w.frames() + ", " + megabits(r.Value, w.Mean) + " Mbit/s"}}
	for _, goal := range g.Goals {
		if other := w.Rates[goal]; other != nil && other != r && !unknown(other) {
			tiles = append(tiles, tile{goalTitle(other), significant(other.Value / 1e3), "kpps", w.frames()})
			break
		}
	}
	if w.Most != nil {
		tiles = append(tiles, tile{"FRMOL", significant(w.Most.Value / 1e3), "kpps", "forwarded at the highest load"})
	}
	if w.Latency != nil && w.Latency.Latency != nil {
		l := w.Latency.Latency
		share := ""
		if v := latencyShare(c, w, w.Latency); v > 0 {
			share = ", at " + number(v*100, 0) + " % of the rate"
		}
		if frames, _ := w.Latency.Figure("tagged frames"); frames > 0 {
			note := "mean of " + number(frames, 0) + " tagged " + plural(int(frames), "frame")
			tiles = append(tiles, tile{"Latency", micros(w.Latency.Value), "µs", note + share})
		} else {
			tiles = append(tiles, tile{"Latency p50", micros(l.P50), "µs", "p99 " + micros(l.P99) + " µs" + share})
		}
	}
	if r.CPUPerFrame > 0 {
		tiles = append(tiles, tile{"CPU per frame", nanos(r.CPUPerFrame), "ns", number(r.CPUShare*100, 0) + " % of the DUT's CPUs"})
	}
	if mbits, from := imixEstimate(g); mbits != "" {
		tiles = append(tiles, tile{"IMIX estimate", mbits, "Mbit/s", "from " + from})
	}
	return tiles
}

func goalTitle(r *weir.Result) string {
	title := "Throughput"
	if r.LossRatio > 0 {
		title = "Rate at " + percent(r.LossRatio) + " % loss"
	}
	if atLeast(r) {
		title += ", at least"
	}
	return title
}

// A ledgerLine is the ledger of one result.
type ledgerLine struct {
	Label, Offered, Received, Unexplained string
	Off                                   bool // it does not balance
	Drops                                 []dropLine
	Shares                                string // in words
	// Parts of the offered frames, in percent, for the picture.
	ReceivedShare, DroppedShare, ExplainedShare, UnexplainedShare string
}

type dropLine struct{ Count, Place string }

func ledgersOf(g grid) []ledgerLine {
	var out []ledgerLine
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if r.Ledger.Offered > 0 {
				out = append(out, ledgerOf(w.Label+", "+sought(*r), r.Ledger))
			}
		}
	}
	return out
}

func ledgerOf(label string, l weir.Ledger) ledgerLine {
	out := ledgerLine{Label: label, Offered: count(l.Offered), Received: count(l.Received),
		Unexplained: number(float64(l.Unexplained), 0), Off: l.Unexplained != 0}
	var dropped uint64
	for _, d := range l.Drops {
		dropped += d.Count
		out.Drops = append(out.Drops, dropLine{count(d.Count), d.Place})
	}
	share := func(frames float64) float64 { return min(max(frames/float64(l.Offered)*100, 0), 100) }
	received, lost := share(float64(l.Received)), share(float64(dropped))
	rest := share(float64(l.Unexplained))
	if l.Unexplained > 0 {
		rest = max(rest, .4) // to be seen at all
	}
	written := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	out.ReceivedShare, out.DroppedShare, out.UnexplainedShare = written(received), written(lost), written(rest)
	out.ExplainedShare = written(min(received+lost, 100-rest))
	out.Shares = fmt.Sprintf("%s %% received, %s %% dropped", number(received, 1), number(lost, 1))
	return out
}

// count is a number of frames.
func count(n uint64) string { return number(float64(n), 0) }

// A settingGroup is the part of a manifest that concerns one place.
type settingGroup struct {
	Where string
	List  []weir.Setting
}

// processors are the CPUs of a machine; "unknown" as of a model.
func processors(m weir.Manifest) string {
	if m.CPUs == 0 && m.CPUModel == "" {
		return "unknown"
	}
	switch {
	case m.CPUs == 0:
		return m.CPUModel
	case m.CPUModel == "":
		return fmt.Sprintf("%d %s", m.CPUs, plural(m.CPUs, "CPU"))
	}
	return fmt.Sprintf("%d x %s", m.CPUs, m.CPUModel)
}

func settingsOf(m weir.Manifest) []settingGroup {
	set := func(name, value string) weir.Setting { return weir.Setting{Name: name, Value: value} }
	groups := []settingGroup{{"campaign", []weir.Setting{
		set("weir", m.Weir), set("kernel", m.Kernel), set("cpu", processors(m)), set("testbed", m.Testbed),
		set("platform", m.Platform), set("tester", m.Backend), set("simulated", strconv.FormatBool(m.Simulated)), set("seed", strconv.FormatUint(m.Seed, 10)),
	}}}
	if e := m.Experiment; e != nil {
		groups = append(groups, settingGroup{"experiment", experimentSettings(*e)})
	}
	if len(m.Ceiling) > 0 {
		g := settingGroup{Where: "tester alone, without the DUT"}
		for _, name := range slices.SortedFunc(maps.Keys(m.Ceiling), func(a, b string) int { return int(m.Ceiling[b] - m.Ceiling[a]) }) {
			g.List = append(g.List, set(name, kpps(m.Ceiling[name])+" kpps"))
		}
		groups = append(groups, g)
	}
	for _, s := range m.Settings {
		i := slices.IndexFunc(groups, func(g settingGroup) bool { return g.Where == s.Where })
		if i < 0 {
			i = len(groups)
			groups = append(groups, settingGroup{Where: s.Where})
		}
		groups[i].List = append(groups[i].List, s)
	}
	return groups
}

// lost is the number of frames that LossRatio is about.
func lost(r weir.TrialResult) float64 {
	sent := r.Offered
	if r.Short() {
		sent = r.Trial.Frames()
	}
	return float64(sent) - float64(r.Received)
}

// A trialLine is one trial in the table of all.
type trialLine struct {
	Nr                                            int
	Purpose, Traffic, Intended, Offered           string
	Forwarded, Loss, Lost, Seconds, P50, P99, CPU string
	Warnings                                      string
}

func trialsOf(c weir.Campaign) []trialLine {
	var out []trialLine
	for _, r := range c.Trials {
		t := r.Trial
		if t.Transfer != nil {
			continue
		}
		if len(out) == maxTrials {
			break
		}
		line := trialLine{
			Nr: t.Number, Purpose: t.Purpose, Traffic: t.Traffic.Name, Intended: kpps(t.Intended), Offered: kpps(r.OfferedRate()),
			Forwarded: kpps(r.ForwardingRate()), Loss: percent(r.LossRatio()), Lost: number(lost(r), 0),
			Seconds: plain(t.Duration.Seconds()), P50: missing, P99: missing, CPU: nanos(r.CPUPerFrame()), Warnings: codeList(r.Warnings),
		}
		if t.Maximum {
			line.Intended = "max"
		} else if n := len(t.Windows); n > 0 {
			line.Intended = fmt.Sprintf("%d windows", n)
		}
		if l := r.Latency.Summary(); l != nil {
			line.P50, line.P99 = micros(l.P50), micros(l.P99)
		}
		out = append(out, line)
	}
	return out
}
