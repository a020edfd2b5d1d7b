package figures

import (
	"strings"

	"weir"
	"weir/internal/document"
)

// What mends a machine that is disturbed: looking who disturbs it, and setting it up.
const (
	lookCommand = "weir audit --watch 10s"
	mendCommand = "weir audit --apply"
)

// Looking is the command that tells what disturbs a machine, where one was.
func Looking(c weir.Campaign) string {
	for i := range c.Results {
		if weir.HasWarning(c.Results[i].Warnings, weir.BusyMachine, weir.StealTime, weir.GeneratorStalled, weir.GeneratorPaused) {
			return lookCommand
		}
	}
	return ""
}

// Badge is that of sweeps.
func (t confidence) Badge() document.Badge {
	b := document.Badge{Level: []document.Trust{document.GoodTrust, document.SomeTrust, document.NoTrust}[t.level()], Label: t.label(), Text: t.found()}
	if advice := t.Advice(); len(advice) > 0 {
		b.Text += "; " + strings.Join(advice, "; ")
		b.Command = mendCommand
	}
	if t.other > someShare || t.before != "" && t.level() > 0 {
		b.Command = lookCommand
	}
	return b
}
