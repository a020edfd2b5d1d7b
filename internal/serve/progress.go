package serve

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"weir"
	"weir/internal/figures"
	"weir/internal/plan"
)

// A progress is how far a campaign has come that is being measured.
type progress struct {
	began           time.Time     // by the clock of the tester
	since           time.Duration // its beginning
	takes           time.Duration // at most, by its plan; 0: nobody knows
	trials, results int
}

// wrongClock is how much longer than its plan takes no campaign is measured: it began at another time.
const wrongClock = 24 * time.Hour

// progressOf returns how far a campaign has come at a moment.
func progressOf(e *entry, c weir.Campaign, now time.Time) progress {
	p := progress{began: e.Started, since: max(now.Sub(e.Started), 0), trials: e.Trials, results: e.Results}
	if of, err := plan.Parse("plan", []byte(c.Manifest.Plan)); err == nil {
		p.takes = of.Takes()
	}
	return p
}

// sentence is the progress in words.
func (p progress) sentence() string {
	text := "Measuring for " + p.since.Round(time.Second).String()
	switch {
	case p.takes > 0 && p.since > p.takes+wrongClock:
		text = "The clock of the tester was wrong: it says that the campaign began on " + p.began.UTC().Format("2 January 2006")
	case p.takes > 0 && p.since > p.takes:
		text += fmt.Sprintf(", and its plan takes %s at most", p.takes.Round(time.Second))
	case p.takes > 0:
		text += fmt.Sprintf(" of %s at most", p.takes.Round(time.Second))
	}
	return fmt.Sprintf("%s: %d %s and %d %s so far.", text, p.trials, figures.Plural(p.trials, "trial"), p.results, figures.Plural(p.results, "result"))
}

// html is the progress on a page.
func (p progress) html() template.HTML {
	var b strings.Builder
	b.WriteString(`<section class="progress" aria-label="Progress">`)
	if p.takes > 0 {
		fmt.Fprintf(&b, `<progress aria-label="Time" max="%.0f" value="%.0f"></progress> `, p.takes.Seconds(), min(p.since, p.takes).Seconds())
	}
	b.WriteString(template.HTMLEscapeString(p.sentence()) + `</section>`)
	return template.HTML(b.String())
}
