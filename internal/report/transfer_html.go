package report

import (
	"fmt"
	"slices"
	"strings"

	"weir"
)

// A transferPage is what the page has of transfers.
type transferPage struct {
	Matrix      *table // of source and target; nil: the one of arms says it all
	Seconds     table
	SecondsNote string
	Charts      []figure
}

// transferPageOf is nil where there are no transfers.
func transferPageOf(v view) *transferPage {
	set := transfersOf(v.Grid)
	if len(set.Rows) == 0 {
		return nil
	}
	p := &transferPage{}
	if set.apart(v.Experiment, len(v.Study.Experiment.Arms)) {
		m := set.matrix()
		m.Title = capitalised(m.Title)
		if v.Experiment {
			m.Title += ", medians of the runs"
		}
		p.Matrix = &m
	}
	list := set.courses()
	var t table
	t, p.SecondsNote = secondsTable(list)
	p.Seconds, p.Charts = t, figuresOf(unstablePlots(list))
	for i := range p.Charts {
		p.Charts[i].Title = arrows.Replace(p.Charts[i].Title)
	}
	return p
}

// arrows are those of ways, as a page can show them.
var arrows = strings.NewReplacer("<->", "↔", "->", "→")

// proper gives the ways in a warning the letters that a page has.
func (d doubt) proper() {
	for i := range d.About {
		d.About[i] = arrows.Replace(d.About[i])
	}
	for _, t := range d.Told {
		for i := range t.About {
			t.About[i] = arrows.Replace(t.About[i])
		}
	}
}

// transferTiles are the key figures of transfers: the first of each that has a
// value.
func transferTiles(g grid) []tile {
	set := transfersOf(g)
	var out []tile
	for x := range set.Columns {
		for y, row := range set.Rows {
			c, there := set.cells[[2]int{y, x}]
			if !there || c.Unmeasured != "" || len(out) == maxTiles {
				continue
			}
			value, unit, _ := strings.Cut(quantity(c.Value, c.Unit), " ")
			note := arrows.Replace(row)
			if filesOf(c.Transfer) && c.Unit == "bit/s" {
				note = significant(c.Value/8e6) + " MB/s, " + note
			}
			out = append(out, tile{set.title(x), value, unit, note})
			break
		}
	}
	return out
}

// withoutTransfers is a grid of what was measured with test frames.
func (g grid) withoutTransfers() grid {
	g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(w row) bool { return transferred(w.Results[0]) })
	return g
}

// A transferLine is one trial of a transfer in the table of all.
type transferLine struct {
	Nr                                      int
	What, Way, Server, Goodput, Count       string
	Took, Retransmitted, RTT, Idle, Hash    string
	SourceCPU, DestinationCPU, Failed, Warn string
}

// transferLines are the trials of transfers.
func transferLines(trials []weir.TrialResult) []transferLine {
	var out []transferLine
	for _, r := range trials {
		t, found := r.Trial, r.Transferred
		if t.Transfer == nil || len(out) == maxTrials {
			continue
		}
		way := pathOf(weir.Factors{"bidirectional": t.Traffic.Bidirectional})
		if t.Traffic.Backward {
			way = pathOf(weir.Factors{"direction": "reverse"})
		}
		line := transferLine{Nr: t.Number, What: transferTitle(t.Transfer.Program, t.Transfer), Way: arrows.Replace(way), Warn: codeList(r.Warnings),
			Server: missing, Goodput: missing, Count: missing, Took: missing, Retransmitted: missing, RTT: missing, Idle: missing, Hash: missing, SourceCPU: missing, DestinationCPU: missing}
		if found != nil {
			line.fill(*found)
		}
		out = append(out, line)
	}
	return out
}

func (l *transferLine) fill(found weir.Transferred) {
	l.Failed, l.Took = found.Failed, significant(found.Took.Seconds())
	if found.Server != "" {
		l.Server = sideOf(found.Server)
	}
	if found.Octets > 0 {
		l.Goodput, l.Retransmitted = megabitScale.of(found.Goodput()), count(found.Retransmitted)
	}
	if found.Count > 0 {
		l.Count = significant(found.PerSecond())
	}
	if found.RTT.N > 0 {
		l.RTT = significant(found.RTT.Quantile(.5) * 1e3)
	}
	if found.IdleRTT > 0 {
		l.Idle = significant(found.IdleRTT * 1e3)
	}
	if found.Verified {
		l.Hash = "yes"
	}
	if took := found.Took.Seconds(); took > 0 {
		share := func(s float64) string {
			if s == 0 {
				return missing
			}
			return number(s/took*100, 0)
		}
		l.SourceCPU, l.DestinationCPU = share(found.CPU.Source.Seconds()), share(found.CPU.Destination.Seconds())
	}
}

// Said is what a transfer's trial came to, if it broke off.
func (l transferLine) Said() string { return strings.TrimSpace(fmt.Sprint(l.Failed, " ", l.Warn)) }
