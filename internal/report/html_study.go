package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"weir"
	"weir/internal/proof"
	"weir/stats"
)

// A studyPage is what the template shows of an experiment.
type studyPage struct {
	Answer, Against string
	Design          string
	By, Anchor      string // the factor it is looked at along; what its sections' names begin with
	Noise           table
	NoiseNote       string
	Notes           []string // of what was imported
	Matrices        []table
	Legend          []string
	Note            string
	Verdicts        table
	Beside          table // of CPU times
	BesideTitle     string
	InBlocks        bool
	Gained          string
	Vetoes          []string
	Parts           []part
	Terms           []table
	Runs, Order     []figure
	Undrawn         string
	Ministat        []printout
	Unit            string
	Readings        table
}

func studyPageOf(s study, c weir.Campaign) *studyPage {
	p := &studyPage{
		Answer: proper(capital(s.answer())) + ".", By: s.by, Noise: s.noiseTable(), NoiseNote: s.noiseNote(),
		Against: s.against(), Design: s.design(), Matrices: s.matrices(), Legend: s.legend(), Note: s.note(),
		Gained: s.gained(), Terms: s.effectTables(), Undrawn: s.undrawn(), Ministat: s.blocks(),
		Unit: s.unit(), Readings: s.readings(c), Runs: figuresOf(s.runPlots()), Order: figuresOf(s.orderPlots()),
	}
	if s.by != "" {
		p.Anchor = strings.ReplaceAll(s.by, " ", "-") + "-"
	}
	for i := range p.Matrices {
		p.Matrices[i].Title = capitalised(p.Matrices[i].Title)
	}
	if m := c.Manifest.Imported; m != nil {
		p.Notes = m.Notes
	}
	p.Verdicts, p.Beside = s.verdictTable(s.values()), s.verdictTable(s.figures())
	if len(p.Beside.Rows) > 0 {
		p.BesideTitle = capitalised(figureTitle(s.figures()))
	}
	p.InBlocks = slices.ContainsFunc(s.values(), func(c proof.Comparison) bool { return c.Blocks > 0 })
	for _, part := range s.parts() {
		if part.Title == "no verdict" {
			p.Vetoes = part.Lines
		} else {
			part.Title = capitalised(part.Title)
			p.Parts = append(p.Parts, part)
		}
	}
	return p
}

// reach is the range of the pictures of all intervals in percent, 0 included.
func reach(list []proof.Comparison) (low, high float64) {
	for _, l := range effectsOf(list) {
		if c := l.Effect.Change; bounded(c) {
			low, high = min(low, c.Lower*100), max(high, c.Upper*100)
		}
	}
	room := max(.06*(high-low), .1)
	return low - room, high + room
}

// picture is the interval of an effect beside the line of no difference.
func (l led) picture(low, high float64) template.HTML {
	c := l.Effect.Change
	if !bounded(c) {
		return ""
	}
	_, class := markOf(l.Comparison, l.Effect)
	const width, height = 180, 18
	at := func(p float64) float64 { return (100*p - low) / (high - low) * width }
	return template.HTML(fmt.Sprintf(`<svg class="forest %s" viewBox="0 0 %d %d" role="img" aria-label="%s"><line class="zero" x1="%.1f" x2="%.1f" y1="0" y2="%d"/>`+
		`<line class="span" x1="%.1f" x2="%.1f" y1="9" y2="9"/><circle cx="%.1f" cy="9" r="3.6"/></svg>`,
		class, width, height, html.EscapeString(bounds(c)), at(0), at(0), height, at(c.Lower), math.Max(at(c.Upper), at(c.Lower)+1), at(c.Estimate)))
}

// maxTiles is the most arms that have a key figure.
const maxTiles = 5

// tiles are the key figures of an experiment: the arms of the comparison that
// leads, and how well it was measured.
func (s study) tiles() []tile {
	if list := s.noise(); len(list) > 0 {
		return s.noiseTiles(list[0])
	}
	l, any := s.lead()
	if !any {
		return nil
	}
	c := l.Comparison
	var out []tile
	for i, a := range compared(c) {
		if i == maxTiles {
			break
		}
		value, unit := significantOrWhole(center(a)), ""
		switch c.Unit {
		case "bit/s":
			value, unit, _ = strings.Cut(bitRate(center(a)), " ")
		case "transactions/s", "connections/s":
			unit = c.Unit
		case "frames/s":
			value, unit = significant(center(a)/1e3), "kpps"
		case "s":
			value, unit = micros(center(a)), "µs"
		}
		t := tile{What: s.short(a.Arm), Value: value, Unit: unit, Note: s.subject(c)}
		if n := slices.IndexFunc(c.Effects, func(e stats.Effect) bool { return e.Arm == a.Arm }); n >= 0 {
			t.Note = changed(c.Effects[n].Change) + ", " + said[c.Effects[n].Verdict]
		} else if i == 0 {
			t.Note = "baseline, " + s.subject(c)
		}
		out = append(out, t)
	}
	return append(out, s.steadiness(c)...)
}

// steadiness are the key figures of how well a comparison was measured.
func (s study) steadiness(c proof.Comparison) []tile {
	var out []tile
	if c.Same != nil {
		note := "passes: it does not differ from itself"
		if c.Same.Verdict == stats.Proven {
			note = "fails: it differs from itself"
		}
		out = append(out, tile{What: "A/A, " + s.short(c.Baseline) + " twice", Value: strings.TrimSuffix(changed(c.Same.Change), " %"), Unit: "%", Note: note})
	}
	if c.Deviation > 0 {
		note := "between runs of one arm"
		if c.Blocks > 0 {
			note += ", within a block"
		}
		out = append(out, tile{What: "Deviation", Value: deviation(c.Deviation), Unit: "%", Note: note})
	}
	return out
}
