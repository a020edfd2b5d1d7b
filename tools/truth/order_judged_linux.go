package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"weir/internal/claim"
)

// above reports whether a rate is higher than another beyond their intervals.
func above(a, b result) bool { return a.Value > 0 && b.Value > 0 && a.Lower > b.Upper }

// numbers says how many results have one; false where a run has fewer than two,
// so that there is nothing to order.
func numbers(runs [][]result) (text string, enough bool) {
	with, all := 0, 0
	enough = len(runs) > 0
	for _, run := range runs {
		here := 0
		for _, r := range run {
			if r.Value > 0 {
				here++
			}
		}
		with, all = with+here, all+len(run)
		enough = enough && here >= 2
	}
	return fmt.Sprintf("%d of %d have a number", with, all), enough
}

// agreed looks for two levels of which one run proves this one to be the higher,
// and another run that one.
func agreed(e *example) (string, bool) {
	higher := map[[2]string]bool{}
	var wrong []string
	for _, run := range e.runs {
		for _, a := range run {
			for _, b := range run {
				if !above(a, b) {
					continue
				}
				x, y := a.level(e.factor), b.level(e.factor)
				if higher[[2]string{y, x}] && !higher[[2]string{x, y}] {
					wrong = append(wrong, fmt.Sprintf("%s is above %s, and below it", x, y))
				}
				higher[[2]string{x, y}] = true
			}
		}
	}
	text, enough := numbers(e.runs)
	return judged(text, wrong), enough && len(wrong) == 0
}

// falling looks for a level that is higher than one before it.
func falling(e *example) (string, bool) {
	var wrong []string
	for n, run := range e.runs {
		for i, r := range run {
			for _, before := range run[:i] {
				if above(r, before) {
					wrong = append(wrong, fmt.Sprintf("run %d: %s with %s is above %s with %s", n+1, r.kpps(), r.level(e.factor), before.kpps(), before.level(e.factor)))
				}
			}
		}
	}
	text, enough := numbers(e.runs)
	return judged(text, wrong), enough && len(wrong) == 0
}

// defended looks for rates below half of the knee that do not say who stood still.
func defended(e *example) (string, bool) {
	var wrong []string
	low := 0
	for n, run := range e.runs {
		for _, r := range run {
			knee, _ := r.figure(claim.OverloadKnee)
			if r.Value == 0 || r.Value >= knee/2 {
				continue
			}
			low++
			if !says(r, "stood still") {
				wrong = append(wrong, fmt.Sprintf("run %d, %s: %s, the knee is %.1f", n+1, r.level(e.factor), r.kpps(), knee/1e3))
			}
		}
	}
	text, _ := numbers(e.runs)
	return judged(fmt.Sprintf("%s, %d below half", text, low), wrong), len(e.runs) > 0 && len(wrong) == 0
}

// soon looks for levels that took as long as a limit or longer, or nobody knows how
// long.
func soon(e *example, limit time.Duration) (string, bool) {
	var most time.Duration
	var wrong []string
	all := 0
	for n, run := range e.runs {
		for _, r := range run {
			all, most = all+1, max(most, r.took)
			switch where := fmt.Sprintf("run %d, %s", n+1, r.level(e.factor)); {
			case r.took <= 0:
				wrong = append(wrong, where+": nobody knows how long it took")
			case r.took >= limit:
				wrong = append(wrong, fmt.Sprintf("%s: %.1f s", where, r.took.Seconds()))
			}
		}
	}
	return judged(fmt.Sprintf("%.1f s at most of %d", most.Seconds(), all), wrong), all > 0 && len(wrong) == 0
}

// says reports whether a warning of a result has a text.
func says(r result, text string) bool {
	return slices.ContainsFunc(r.Warnings, func(w struct{ Code, Text string }) bool { return strings.Contains(w.Text, text) })
}

func judged(text string, wrong []string) string {
	return strings.Join(append([]string{text}, wrong...), "; ")
}
