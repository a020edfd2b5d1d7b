package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weir"
	"weir/internal/figures"
	"weir/internal/method"
	"weir/internal/proof"
	"weir/internal/result"
	"weir/stats"
)

// measure names what a comparison compares: "throughput", "rate at 0.5 % loss",
// "FRMOL", "latency".
func measure(c proof.Comparison) string {
	r := weir.Result{Method: c.Method, LossRatio: c.LossRatio}
	at := " at "
	if figures.OfTransfer(c) {
		r.Transfer, at = &c.Transfer, " with "
	}
	name := figures.Sought(r)
	if figures.Kind(&r) == method.Rate && c.LossRatio > 0 {
		name, at = "rate at "+figures.Percent(c.LossRatio)+" % loss", " at the "
	}
	if c.Figure == "" {
		return name
	}
	switch figures.Kind(&r) { // after windows, there is a trial at half of the rate
	case method.Knee:
		name, at = name+"'s rate", " at half of the "
	case method.Overfull:
		at = " at half of the "
	}
	if by := result.Named(c.Figure).Compared; by.AtLoad {
		return by.Title + at + name
	}
	return strings.TrimPrefix(name+", "+c.Figure, ", ")
}

// traffic names what was sent, as a row is named: "64", "imix reverse".
func (s study) traffic(c proof.Comparison) string {
	if figures.OfTransfer(c) {
		return strings.Join(append([]string{figures.PathOf(c.Factors)}, s.otherTransferLevels(c)...), ", ")
	}
	size := ""
	if v, there := c.Factors["frame_size"]; there {
		size = result.Level(v)
	}
	return strings.TrimSpace(cmp.Or(size, c.Traffic) + " " + s.otherLevels(c))
}

// otherLevels returns the levels of a comparison's traffic but the frame size, where
// comparisons differ in them.
func (s study) otherLevels(c proof.Comparison) string {
	var parts []string
	if way := s.direction(c); way != "" {
		parts = append(parts, way)
	}
	rest := make(weir.Factors)
	for name, v := range c.Factors {
		if name != "direction" && name != "bidirectional" {
			rest[name] = v
		}
	}
	var named []string
	for _, part := range figures.ChangesOf(rest, s.common) {
		named = append(named, part.Text)
		if s.by != "" {
			part.Text = shortLevel(part)
		}
		parts = append(parts, part.Text)
	}
	return strings.Join(append(parts, s.armLevels(c.Arm, named)...), ", ")
}

// otherTransferLevels returns the levels of a transfer but its direction, where
// comparisons differ in them, and the arm that all of its runs have.
func (s study) otherTransferLevels(c proof.Comparison) []string {
	named := figures.TransferLevels(c.Factors, s.common)
	arm := s.armLevels(c.Arm, named)
	if kind := s.distinguish(c); kind != "" {
		named = append(named, kind)
	}
	return append(named, arm...)
}

// armLevels returns the levels of an arm that are not named already.
func (s study) armLevels(arm string, named []string) []string {
	if levels := s.Experiment.Levels[arm]; len(levels) > 0 {
		return levelWords(levels, named)
	}
	if arm == "" {
		return nil
	}
	return []string{arm}
}

// shortLevel is a level without the name of its factor where it is a name of its
// own: "inet6" for "family inet6", but "version 11.0", and "firewall none".
func shortLevel(c figures.Change) string {
	if c.Level == "" || strings.ContainsAny(c.Level[:1], "0123456789") || slices.Contains([]string{"none", "on", "off", "default", "enabled", "disabled"}, c.Level) {
		return c.Text
	}
	return c.Level
}

// direction is which way the frames of a comparison went; "" where those of all
// went the same way.
func (s study) direction(c proof.Comparison) string {
	first := way(s.Comparisons[0])
	for _, o := range s.Comparisons {
		if way(o) != first {
			return way(c)
		}
	}
	return ""
}

func way(c proof.Comparison) string {
	if v, there := c.Factors["direction"]; there {
		return result.Level(v)
	}
	if c.Factors["bidirectional"] == true {
		return "both"
	}
	return "forward"
}

// subject is what an effect is on: "64-octet throughput", "imix throughput
// (reverse)".
func (s study) subject(c proof.Comparison) string {
	if figures.OfTransfer(c) {
		return s.transferSubject(c)
	}
	name := measure(c)
	if octets := figures.OctetsOf(c); octets > 0 {
		name = figures.Exact(octets) + "-octet " + name
	} else if c.Traffic != "" {
		name = c.Traffic + " " + name
	}
	if others := s.otherLevels(c); others != "" {
		name += " (" + others + ")"
	}
	return strings.TrimSpace(name)
}

// transferSubject is what an effect on a transfer is on: "netperf's goodput
// (TCP_STREAM, forward)".
func (s study) transferSubject(c proof.Comparison) string {
	var in []string
	if c.Transfer.Test != "" {
		in = append(in, c.Transfer.Test)
	}
	if c.Transfer.Streams > 1 {
		in = append(in, fmt.Sprintf("%d streams", c.Transfer.Streams))
	}
	if c.Transfer.Rate > 0 {
		in = append(in, "sent at "+figures.BitRate(c.Transfer.Rate))
	}
	if way := s.direction(c); way != "" {
		in = append(in, way)
	}
	name := goodOf(c.Method, c.Unit)
	if c.Figure != "" {
		name = "CPU time per frame with " + figures.ProgramOf(c.Method)
	}
	if in = append(in, s.otherTransferLevels(c)...); len(in) > 0 {
		name += " (" + strings.Join(in, ", ") + ")"
	}
	return name
}

// phrase names an arm in a sentence: one whose level is a firewall is "stateful nftables with 25
// rules". Other levels, and those that the user has named, are named as the plan has them.
func (s study) phrase(arm string) string {
	levels := s.Experiment.Levels[arm]
	if _, one := s.factor(); !one || len(levels) != 1 || levels[0].Named || s.Experiment.Schedule == "" {
		return s.words(arm)
	}
	f := levels[0].Set.Firewall()
	word, there := map[weir.FirewallKind]string{weir.Stateless: "stateless", weir.Stateful: "stateful", weir.NAT: "NAT by"}[f.Kind]
	if !there {
		return s.words(arm)
	}
	word += " " + cmp.Or(f.With, weir.NFTables)
	if f.Rules > 0 {
		word += fmt.Sprintf(" with %d rules", f.Rules)
	}
	return word
}

// withSign is a change in percent.
func withSign(v float64, decimals int) string {
	text := figures.Number(v, decimals)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}

// bounded reports whether an interval says anything.
func bounded(i stats.Interval) bool {
	return figures.Finite(i.Estimate) && figures.Finite(i.Lower) && figures.Finite(i.Upper) && i.Upper > i.Lower
}

// decimals are as many as an interval gives meaning to.
func decimals(i stats.Interval) int {
	switch half := (i.Upper - i.Lower) * 50; {
	case !bounded(i) || half >= .095 && half < 9.5:
		return 1
	case half >= 9.5:
		return 0
	case half >= .0095:
		return 2
	}
	return 3
}

// symmetric reports whether the bounds of an interval are about as far from its
// estimate on either side.
func symmetric(i stats.Interval) bool {
	up, down := i.Upper-i.Estimate, i.Estimate-i.Lower
	return math.Abs(up-down) <= .1*(up+down)/2
}

// changed is a relative change: "-14.2 %". Without an interval it is none.
func changed(i stats.Interval) string {
	if !figures.Finite(i.Estimate) || !figures.Finite(i.Lower) || !figures.Finite(i.Upper) {
		return figures.Missing
	}
	return withSign(i.Estimate*100, decimals(i)) + " %"
}

// changeOf is the change of an effect; none where one of its bounds is not known, and no
// estimate therefore.
func changeOf(e stats.Effect) string {
	if e.AtLeast || e.AtMost {
		return figures.Missing
	}
	return changed(e.Change)
}

// bounds are those of a change: "-15.1 to -13.3 %".
func bounds(i stats.Interval) string {
	if !bounded(i) {
		return figures.Missing
	}
	d := decimals(i)
	return withSign(i.Lower*100, d) + " to " + withSign(i.Upper*100, d) + " %"
}

// bracketed returns the bounds of a change behind it: " (-15.1 to -13.3 %)"; "" where it has none.
func bracketed(i stats.Interval) string {
	if !bounded(i) {
		return ""
	}
	return " (" + bounds(i) + ")"
}

// boundsOf are those of an effect: one of them where its arm or the baseline does at
// least what was found.
func boundsOf(e stats.Effect) string {
	switch {
	case e.AtLeast && e.AtMost:
		return figures.Missing
	case e.AtLeast:
		return "at least " + withSign(e.Change.Lower*100, decimals(e.Change)) + " %"
	case e.AtMost:
		return "at most " + withSign(e.Change.Upper*100, decimals(e.Change)) + " %"
	}
	return bounds(e.Change)
}

// between is "between -3.1 % and +1.9 %".
func betweenBounds(i stats.Interval) string {
	d := decimals(i)
	return "between " + withSign(i.Lower*100, d) + " % and " + withSign(i.Upper*100, d) + " %"
}

// amountOf is how much a change is without its sign, with its bounds: "14.2 %
// +/- 0.9 %", or "14.2 % (12.1 to 18.0 %)" where these are not symmetric.
func amountOf(i stats.Interval) string {
	if i.Estimate < 0 {
		i = stats.Interval{Estimate: -i.Estimate, Lower: -i.Upper, Upper: -i.Lower}
	}
	d := decimals(i)
	text := figures.Number(i.Estimate*100, d) + " %"
	switch {
	case !bounded(i):
		return text
	case symmetric(i):
		return text + " +/- " + figures.Number((i.Upper-i.Lower)*50, d) + " %"
	}
	return text + " (" + figures.Number(i.Lower*100, d) + " to " + figures.Number(i.Upper*100, d) + " %)"
}

// probability is a p value.
func probability(p float64) string {
	switch {
	case !figures.Finite(p):
		return figures.Missing
	case p < .0005:
		return "< 0.001"
	case p < .1:
		return figures.Number(p, 3)
	}
	return figures.Number(p, 2)
}

// sides says how many runs there are of an arm and of the baseline.
func sides(c proof.Comparison, arm string) string {
	a, b := summary(c, arm).N, summary(c, c.Baseline).N
	text := fmt.Sprintf("%s runs against %s of %s", figures.Number(float64(a), 0), figures.Number(float64(b), 0), c.Baseline)
	if a == b {
		text = fmt.Sprintf("%s %s a side", figures.Number(float64(a), 0), figures.Plural(a, "run"))
	}
	for _, name := range []string{arm, c.Baseline} {
		if n := zeros(c, name); n > 0 {
			text += fmt.Sprintf("; %s found 0 in %s more, which %s not count", name, figures.Number(float64(n), 0), map[bool]string{true: "does", false: "do"}[n == 1])
		}
	}
	return text
}

// zeros is in how many runs an arm found 0, next to others in which it found more: a
// ratio to it does not exist, and yet it may be all that matters.
func zeros(c proof.Comparison, arm string) (n int) {
	for _, s := range c.Runs {
		if s.Arm == arm && s.Value == 0 && (s.Result == nil || s.Result.Unmeasured == "") {
			n++
		}
	}
	return n
}
