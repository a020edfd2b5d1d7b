package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"weir/internal/campaign"
)

// progress shows a campaign under way on standard error: on a terminal a live
// line below the results, otherwise a line for each result.
type progress struct {
	out  io.Writer
	live bool
}

// progress is where the campaign's events go; nowhere with --quiet.
func (a *app) progress() *progress {
	p := &progress{out: a.err}
	if a.quiet {
		p.out = io.Discard
	} else if f, ok := a.err.(*os.File); ok {
		p.live = term.IsTerminal(int(f.Fd()))
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
		p.now(e, trialLine(e))
	case campaign.ResultDone:
		line := resultLine(e)
		if e.Replayed {
			line += "  (recorded before)"
		}
		p.line("%s  %s", head(e), line)
	case campaign.MethodFailed:
		p.line("%s  %v", head(e), e.Err)
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
	fmt.Fprintf(p.out, "%s%3.0f%%  %s  %s", erase, percent, head(e), what)
}

func (p *progress) line(format string, args ...any) {
	if p.live {
		fmt.Fprint(p.out, erase)
	}
	fmt.Fprintf(p.out, format+"\n", args...)
}

func head(e campaign.Event) string {
	s := fmt.Sprintf("%6s  %-10s", e.Level, e.Method)
	if e.Under != "" {
		s = fmt.Sprintf("%-16s  %s", e.Under, s)
	}
	return s
}

func trialLine(e campaign.Event) string {
	t := e.Trial
	load := rate(t.Trial.Intended * float64(t.Trial.Traffic.Ports()))
	if t.Trial.Maximum {
		load = rate(t.OfferedRate())
	}
	return fmt.Sprintf("trial %d  %s  loss %.3g %%", t.Trial.Number, load, 100*t.LossRatio())
}

func resultLine(e campaign.Event) string {
	r := e.Result
	value := ""
	switch r.Unit {
	case "frames/s":
		value = rate(r.Value)
	case "s":
		value = seconds(r.Value)
	case "":
		value = fmt.Sprintf("%.3g %%", 100*r.Value)
	default:
		value = fmt.Sprintf("%.6g %s", r.Value, r.Unit)
	}
	trials := "trials"
	if r.Trials == 1 {
		trials = "trial"
	}
	s := fmt.Sprintf("%-12s  loss %.3g %%, %d %s", value, 100*r.LossRatio, r.Trials, trials)
	for _, w := range r.Warnings {
		s += "  " + string(w.Code)
	}
	return s
}

// seconds are a time for people.
func seconds(s float64) string {
	switch {
	case s >= 1:
		return fmt.Sprintf("%.3g s", s)
	case s >= 10e-3:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return fmt.Sprintf("%.3g us", s*1e6)
}

// rate is frames/s for people, k = 1000.
func rate(framesPerSecond float64) string {
	switch {
	case framesPerSecond >= 1e6:
		return fmt.Sprintf("%.3f Mpps", framesPerSecond/1e6)
	case framesPerSecond >= 1e3:
		return fmt.Sprintf("%.1f kpps", framesPerSecond/1e3)
	}
	return fmt.Sprintf("%.0f pps", framesPerSecond)
}

// roughly is a duration without a precision that it does not have.
func roughly(d time.Duration) time.Duration {
	if d > 10*time.Second {
		return d.Round(time.Second)
	}
	return d.Round(100 * time.Millisecond)
}
