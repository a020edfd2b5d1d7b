package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/campaign"
	"weir/internal/claim"
	"weir/internal/figures"
	"weir/internal/method"
	"weir/internal/result"
	"weir/internal/visible"
	"weir/internal/warning"
)

// progress shows a campaign under way on standard error: on a terminal a live
// line below the results, otherwise a line for each result.
type progress struct {
	out   io.Writer
	asks  io.Writer // where questions go, also with --quiet
	shows io.Writer // the terminal of who is asked, where that is not what asks is; nil: it is, or there is none
	live  bool
	under string             // the level of the plan that was named last
	named []weir.WarningCode // what is known to disturb the trials, as far as it was printed
}

// progress is where the campaign's events go; nowhere with --quiet.
func (a *app) progress() *progress {
	p := &progress{out: a.bare.err, asks: a.bare.err}
	if a.quiet {
		p.out = io.Discard
	} else {
		p.live = isTerminal(a.bare.err)
	}
	return p
}

// erase empties the live line.
const erase = "\r\x1b[K"

func (p *progress) tell(e campaign.Event) {
	switch e.Kind {
	case campaign.SelfTestBegins:
		p.now(e, "the tester alone")
	case campaign.MethodBegins:
		p.now(e, "")
	case campaign.TrialDone:
		for _, cause := range figures.Causes(*e.Trial) { // before the time is spent
			if !slices.Contains(p.named, cause.Code) {
				p.named = append(p.named, cause.Code)
				p.line("%s", cause.Text)
			}
		}
		p.now(e, trialLine(e))
	case campaign.ResultDone:
		line := resultLine(e)
		if e.Replayed {
			line += "  (recorded before)"
		}
		if p.live && (e.Result.Round > 0 || e.Run.Number > 0) {
			p.now(e, line) // there are many, of which the report tells what they amount to
			return
		}
		p.level(e)
		p.line("%s  %s", head(e), line)
	case campaign.BlocksDisturbed:
		p.line("%v", e.Err)
	case campaign.LeftByHand: // whoever set it has to know, also with --quiet
		p.end()
		fmt.Fprintln(p.asks, visible.Text(fmt.Sprintf("The box is left as it was set by hand last: to %q", e.Left)))
	case campaign.MethodFailed, campaign.MethodLeftOut:
		p.level(e)
		first, _, more := strings.Cut(e.Err.Error(), "\n") // all of it is said at the end
		if more {
			first = strings.TrimSuffix(first, "; what is known:")
		}
		p.line("%s  %s", head(e), first)
	}
}

// end leaves the terminal with an empty line.
func (p *progress) end() {
	if p.live {
		fmt.Fprint(p.out, erase)
	}
}

// now shows what is going on, for those who watch.
func (p *progress) now(e campaign.Event, what string) {
	if !p.live {
		return
	}
	percent := 100.0
	if e.Budget > 0 {
		percent = min(percent, 100*e.Spent.Seconds()/e.Budget.Seconds())
	}
	under := e.Under
	if e.Run.Number > 0 {
		under = "" // which the head has
	}
	line := visible.Line(fmt.Sprintf("%3.0f%%  %s%s  %s", percent, under, head(e), what))
	if n := width(p.out); n > 0 { // of a line that goes on in the next row only that one would be erased
		letters := []rune(line)
		line = string(letters[:min(len(letters), n-1)])
	}
	fmt.Fprint(p.out, erase, line)
}

func (p *progress) line(format string, args ...any) {
	if p.live {
		fmt.Fprint(p.out, erase)
	}
	fmt.Fprintln(p.out, visible.Text(fmt.Sprintf(format, args...)))
}

// longestMethod is the width of the longest name of a method.
var longestMethod = func() int {
	longest := 0
	for _, m := range method.All() {
		longest = max(longest, len(m.Name))
	}
	return longest
}()

// level names the level of the plan above its results, once; runs have it beside
// them.
func (p *progress) level(e campaign.Event) {
	if e.Run.Number == 0 && e.Under != p.under {
		p.under = e.Under
		p.line("%s", visible.Line(e.Under))
	}
}

// head says where the campaign is below the level of the plan.
func head(e campaign.Event) string {
	e.Under, e.Level, e.Run.Arm = visible.Line(e.Under), visible.Line(e.Level), visible.Line(e.Run.Arm)
	if e.Run.Number > 0 {
		again := ""
		if e.Run.Again {
			again = " again"
		}
		return fmt.Sprintf("%*d/%d  %s%s, %s  %s", len(fmt.Sprint(e.Runs)), e.Run.Number, e.Runs, cmp.Or(e.Under, e.Run.Arm), again, e.Level, e.Method)
	}
	return fmt.Sprintf("%6s  %-*s", e.Level, longestMethod, e.Method)
}

func trialLine(e campaign.Event) string {
	t := e.Trial
	load := figures.Quantity(t.Trial.Intended*float64(t.Trial.Traffic.Ports()), "frames/s")
	switch {
	case t.Trial.Count > 0:
		load = number(float64(t.Offered), "frame")
	case t.Trial.Maximum:
		load = figures.Quantity(t.OfferedRate(), "frames/s")
	}
	return fmt.Sprintf("trial %d  %s  loss %.3g %%", t.Trial.Number, load, 100*t.LossRatio())
}

func resultLine(e campaign.Event) string {
	r := e.Result
	s := fmt.Sprintf("%-14s  ", found(*r))
	if r.Unit != "" { // the value of others is the loss
		s += fmt.Sprintf("loss %.3g %%, ", 100*r.LossRatio)
	}
	if _, shared := r.Figure(claim.Throughput); shared && r.Ledger.Offered > 0 && r.TrialSeconds > 0 {
		s += "at " + figures.Quantity(float64(r.Ledger.Offered)/r.TrialSeconds, "frames/s") + ", "
	}
	s += number(float64(r.Trials), "trial")
	if r.Verdict != "" {
		s += ", " + r.Verdict
	}
	var told []weir.WarningCode
	for _, w := range r.Warnings {
		if !slices.Contains(told, w.Code) {
			told = append(told, w.Code)
			s += "; " + warning.Of(w.Code).Label
		}
	}
	return s
}

// found is what a result found, in its unit.
func found(r weir.Result) string {
	if r.Unit == "" && !result.Unknown(&r) {
		return fmt.Sprintf("loss %.3g %%", 100*r.Value)
	}
	return figures.Found(&r)
}

// number is a number of things, of which a mean may have a fraction.
func number(n float64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	if n == float64(int64(n)) {
		return fmt.Sprintf("%.0f %s", n, thing)
	}
	return fmt.Sprintf("%.1f %s", n, thing)
}

// roughly is a duration without a precision that it does not have.
func roughly(d time.Duration) time.Duration {
	if d > 10*time.Second {
		return d.Round(time.Second)
	}
	return d.Round(100 * time.Millisecond)
}
