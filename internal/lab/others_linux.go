package lab

import (
	"slices"

	"weir"
	"weir/internal/testbed"
)

// listOthers returns the other processes that measure now on CPUs that a testbed uses, too.
// Where they cannot be listed nothing is known of them.
func listOthers(own weir.CPUs) []weir.OtherWeir {
	labs, err := testbed.Labs()
	if err != nil {
		return nil
	}
	return shareCPUs(labs, own)
}

// shareCPUs returns what of labs is at work on some of the CPUs. A lab that is kept is there
// for who comes next.
func shareCPUs(labs []testbed.Entry, own weir.CPUs) (out []weir.OtherWeir) {
	for _, l := range labs {
		if !l.Running || l.Kept || l.Own {
			continue
		}
		o := weir.OtherWeir{PID: l.PID, Campaign: l.Campaign}
		for _, cpu := range localCPUs(own) {
			if slices.Contains(localCPUs(l.CPUs), cpu) {
				o.CPUs = append(o.CPUs, cpu)
			}
		}
		if len(o.CPUs) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// localCPUs returns the CPUs of this machine that a testbed uses, in their order.
func localCPUs(c weir.CPUs) []int {
	all := slices.Concat(c.Generator, c.Receiver)
	if !c.Elsewhere {
		all = append(all, c.DUT...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// joinWeirs returns those of two lists of other processes, each once.
func joinWeirs(a, b []weir.OtherWeir) []weir.OtherWeir {
	for _, o := range b {
		if !slices.ContainsFunc(a, func(v weir.OtherWeir) bool { return v.PID == o.PID && v.Campaign == o.Campaign }) {
			a = append(a, o)
		}
	}
	return a
}
