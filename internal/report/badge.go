package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// What mends a machine that is disturbed: looking who disturbs it, and setting it up.
const (
	lookCommand = "weir audit --watch 10s"
	mendCommand = "weir audit --apply"
)

// badge is the one statement of how far a campaign can be trusted, with its reason
// and the command that mends it.
func (r reported) badge() badgeBlock {
	plain, any := r.plain()
	said, but := "", ""
	if any {
		but = headline(plain.Campaign, plain.Grid).But
		_, said = plain.disturbance(plain.Campaign)
	}
	switch said = cmp.Or(said, but); {
	case r.c.Ended != "complete":
		return badgeBlock{noTrust, "not complete", trimmedJoin(sentence(ending(r.c)), said), "weir run --resume=" + r.c.ID}
	case r.All.Imported:
		return badgeBlock{someTrust, "imported", "others measured it, and weir knows nothing of how", ""}
	case !any:
		return r.Study.badge(looking(r.c))
	case len(plain.Grid.Knees) > 0:
		return trustOf(r.c, plain.Grid).badge()
	case said != "":
		return badgeBlock{someTrust, "beware", said, looking(r.c)}
	}
	list := doubts(plain.Grid)
	if against := plain.Grid.contradictions(); len(list) == 0 && len(against) > 0 {
		return badgeBlock{someTrust, "beware", strings.TrimPrefix(against[0], inDoubt+" "), ""}
	}
	if len(list) == 0 {
		return badgeBlock{goodTrust, "no warnings", "nothing speaks against these results", ""}
	}
	var codes []string
	for _, d := range list {
		codes = append(codes, string(d.Code))
	}
	return badgeBlock{someTrust, fmt.Sprintf("%d %s", len(list), plural(len(list), "warning")), shortened(codes), looking(r.c)}
}

// worse reports whether a badge is of less trust than another one.
func worse(a, b badgeBlock) bool {
	levels := []trustLevel{goodTrust, someTrust, noTrust}
	return slices.Index(levels, a.Level) > slices.Index(levels, b.Level)
}

// looking is the command that tells what disturbs a machine, where one was.
func looking(c weir.Campaign) string {
	for i := range c.Results {
		if hasCode(&c.Results[i], weir.BusyMachine, weir.StealTime, weir.GeneratorStalled) {
			return lookCommand
		}
	}
	return ""
}

// badge is that of sweeps.
func (t confidence) badge() badgeBlock {
	b := badgeBlock{[]trustLevel{goodTrust, someTrust, noTrust}[t.level()], t.label(), t.found(), ""}
	if advice := t.advice(); len(advice) > 0 {
		b.Text += "; " + strings.Join(advice, "; ")
		b.Command = mendCommand
	}
	if t.other > someShare || t.before != "" && t.level() > 0 {
		b.Command = lookCommand
	}
	return b
}

// badge is that of runs, with the command that tells what disturbed them.
func (s study) badge(look string) badgeBlock {
	passed, failed := s.again()
	left := s.leftText()
	none := s.noVerdict()
	switch {
	case none != "":
		return badgeBlock{noTrust, "no verdict", cmp.Or(left, none), look}
	case failed > 0:
		return badgeBlock{noTrust, "A/A fails", fmt.Sprintf("the baseline differs from itself in %d of %d comparisons", failed, passed+failed), look}
	case left != "":
		return badgeBlock{someTrust, "left out", left, look}
	case passed > 0:
		return badgeBlock{goodTrust, "A/A passes", "the baseline does not differ from itself, and every run counts", ""}
	}
	return badgeBlock{someTrust, "no A/A", "the baseline was not measured against itself", ""}
}
