package figures

import (
	"unicode/utf8"

	"weir"
	"weir/internal/method"
)

// Beside are the results that no table of a grid has, in a line each, with what
// their values mean where there is room for it.
func Beside(c weir.Campaign, g Grid, width int) (out []string) {
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if w.shown(r) {
				continue
			}
			text := w.Label + " " + Sought(*r)
			switch {
			case r.Unmeasured != "":
				text += ": not measured: " + r.Unmeasured
			default:
				if l := loadOf(c, r); l.Rate > 0 {
					text += " at " + l.percent() + " % of the throughput"
				}
				text += ": " + Found(r)
			}
			if r.Verdict != "" {
				text += ", " + r.Verdict
			}
			if len(r.Warnings) > 0 {
				text += " " + InDoubt
			}
			if meaning := " (" + method.MeaningOf(r.Method) + ")"; len(meaning) > 3 && utf8.RuneCountInString(text+meaning) <= width {
				text += meaning
			}
			out = append(out, text)
		}
	}
	return out
}
