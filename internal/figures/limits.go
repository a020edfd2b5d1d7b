package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// limitGroup is what limits several results in the same way.
type limitGroup struct {
	weir.Limit // of that with the busiest CPU
	least      weir.Limit
	rows       []string
	transfers  bool // they are rates of payload
}

// WhatLimits is a clause for each thing that limits results, with what shows it, and the
// rows of the grid that it is about where that is not all of them; none where nobody
// looked.
func WhatLimits(g Grid) []string {
	var all []*limitGroup
	limited := 0
	for _, w := range g.Rows {
		any := false
		for _, r := range w.Results {
			if r.Limit != nil {
				all, any = addLimit(all, r, w.Label), true
			}
		}
		if any {
			limited++
		}
	}
	var out []string
	for _, o := range all {
		text := o.text()
		if len(o.rows) < limited {
			text = strings.Join(o.rows, ", ") + ": " + text
		}
		out = append(out, text)
	}
	return out
}

// addLimit adds the limit of a result in a row to those that are alike.
func addLimit(all []*limitGroup, r *weir.Result, row string) []*limitGroup {
	l, transfers := *r.Limit, r.Transfer != nil
	i := slices.IndexFunc(all, func(o *limitGroup) bool {
		return o.By == l.By && o.CPU == l.CPU && o.Place == l.Place && o.End == l.End && o.transfers == transfers
	})
	if i < 0 {
		i, all = len(all), append(all, &limitGroup{Limit: l, least: l, transfers: transfers})
	}
	o := all[i]
	o.least.Busy, o.least.Rate, o.least.Counted = min(o.least.Busy, l.Busy), min(o.least.Rate, l.Rate), min(o.least.Counted, l.Counted)
	o.Rate, o.Counted = max(o.Rate, l.Rate), max(o.Counted, l.Counted)
	if l.Busy > o.Busy {
		o.Busy, o.Work = l.Busy, l.Work
	}
	if !slices.Contains(o.rows, row) {
		o.rows = append(o.rows, row)
	}
	return all
}

// fromTo is "3", or "2 to 3".
func fromTo(least, most string) string {
	if least == most {
		return most
	}
	return least + " to " + most
}

// text is a limit in a clause, with what shows it.
func (o *limitGroup) text() string {
	rate, noMore := "", "no more"
	if o.Rate > 0 {
		rate = fromTo(Significant(o.least.Rate/1e3), Significant(o.Rate/1e3)) + " kpps"
		noMore += " than " + rate
	}
	switch busy, lost := o.busyText(), o.countedText(); o.By {
	case weir.ByCPU:
		return "the DUT's " + o.CPU + evidence(busy, lost)
	case weir.ByQueue:
		if busy != "" {
			busy = "its " + o.cpuWas() + busy
		}
		return "a queue or a table of the DUT" + evidence(lost, busy)
	case weir.ByPolicer:
		return "a policer (token bucket): bursts pass, and then a fixed rate"
	case weir.ByShaper:
		return "a shaper: frames wait in its queue, and leave at a fixed rate"
	case weir.ByMedium:
		return "the medium, which carries " + noMore
	case weir.ByTester:
		return "the tester: all that it sent came back, " + cmp.Or(rate, noMore)
	case weir.ByPlan:
		return "the plan, which asks for " + noMore
	case weir.ByHost:
		if o.End == "" {
			return "the end hosts, whose CPUs had no time left"
		}
		return fmt.Sprintf("the end hosts: the program at the %s used %s %% of a CPU", o.End, fromTo(Number(100*o.least.Busy, 0), Number(100*o.Busy, 0)))
	case weir.ByStorage:
		return fmt.Sprintf("the storage at the %s, which by itself is no faster", o.End)
	default:
		if busy != "" {
			busy = "the DUT's " + o.cpuWas() + busy
		} else if o.transfers {
			busy = "neither the plan, the link, a CPU of the DUT nor a program shows it"
		} else if lost == "" {
			busy = "neither a CPU nor a counter of the DUT shows it"
		}
		return "not known" + evidence(busy, lost)
	}
}

// cpuWas is "CPU 1 was ", or "CPUs were ".
func (o *limitGroup) cpuWas() string {
	if o.CPU == "CPUs" {
		return o.CPU + " were "
	}
	return o.CPU + " was "
}

// evidence is what shows something, after a colon; "" where nothing does.
func evidence(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, "; ")
}

// busyText is how busy the CPU was, and with what; "" where nothing is known of it.
func (o *limitGroup) busyText() string {
	if o.CPU == "" {
		return ""
	}
	text := fromTo(Number(100*o.least.Busy, 0), Number(100*o.Busy, 0)) + " % busy"
	if !o.transfers {
		text += " where frames were lost"
	}
	var work []string
	for _, w := range o.Work {
		work = append(work, fmt.Sprintf("%s %s %%", w.Kind, Number(100*w.Share, 0)))
	}
	if len(work) > 0 {
		text += " (" + strings.Join(work, ", ") + ")"
	}
	return text
}

// countedText is which counter has what was lost; "" where none has.
func (o *limitGroup) countedText() string {
	if o.Place == "" {
		return ""
	}
	return fmt.Sprintf("%s %% of the lost frames were counted as %q", fromTo(Number(100*o.least.Counted, 0), Number(100*o.Counted, 0)), o.Place)
}
