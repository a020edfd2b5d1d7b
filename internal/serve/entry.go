package serve

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/figures"
	"weir/internal/result"
	"weir/internal/sqlite"
	"weir/internal/visible"
)

// entry is a campaign in the list.
type entry struct {
	sqlite.Version
	Name, DUT, Kernel, Testbed, Place, Weir string
	Started                                 time.Time
	Simulated, Imported, Experiment         bool
	Methods, Sizes                          []string
	Warnings                                []weir.WarningCode
	Found                                   []found  // the last one of each method and size, a few
	Effects                                 []effect // of an experiment that is complete, once they are known
	Results, Trials                         int
	Notes                                   []sqlite.Annotation // the oldest first
	Damaged                                 string              // why its manifest cannot be read; "": it can
	process                                 string              // of one without an end: what is known of the process that measures it
	environment                             string              // lines of what its manifest says of machine and DUT
	text                                    string              // what a search looks at beside id and name, in lower case
}

// found is a result in the list.
type found struct {
	*sought
	Value   float64
	AtLeast bool // it is a lower bound
}

// sought is what results of many campaigns are of; it is in memory once.
type sought struct {
	Method, Size string
	Case         string // what tells it from other results of the method at this size, as caseOf writes it; ""
	Unit         string
}

// Runs reports whether the campaign may still be measured.
func (e *entry) Runs() bool { return e.Ended == "" && e.process != sqlite.Killed }

// State says what became of a campaign, in a word.
func (e *entry) State() string {
	switch {
	case e.Ended == "" && e.process == sqlite.UnderWay:
		return "running"
	case e.Ended == "" && e.process == sqlite.Killed:
		return "killed"
	case e.Ended == "":
		return "running or killed"
	case e.Ended == weir.EndedComplete:
		return "complete"
	case strings.HasPrefix(e.Ended, weir.EndedInterrupted):
		return "interrupted"
	}
	return "failed"
}

// mostFound is how many results of a campaign a list shows.
const mostFound = 4

// entryOf makes an entry. What many campaigns have in common is there once.
func (x *index) entryOf(o sqlite.Overview) *entry {
	e := &entry{
		Version: o.Version, Started: o.About.Started, Simulated: o.About.Simulated, Imported: o.About.Imported != nil, Experiment: o.About.Experiment != nil,
		Results: len(o.Results), Trials: o.Trials, Damaged: visible.Line(o.Damaged),
	}
	e.Ended = x.once(e.Ended)
	for to, text := range map[*string]string{
		&e.Name: o.Name, &e.DUT: o.About.Platform, &e.Kernel: o.About.Kernel, &e.Testbed: o.About.Testbed, &e.Place: o.About.Place, &e.Weir: o.About.Weir,
	} {
		*to = x.once(visible.Line(text))
	}
	if known := x.byID[e.ID]; known != nil {
		e.process = known.process
	}
	for _, a := range o.Notes {
		a.Who, a.Text, a.Link = visible.Line(a.Who), visible.Text(a.Text), visible.Line(a.Link)
		e.Notes = append(e.Notes, a)
	}
	for _, r := range o.Results {
		r.Method, r.Size, r.Unit = x.once(r.Method), x.once(r.Size), x.once(r.Unit)
		e.Methods, e.Sizes = with(e.Methods, r.Method), with(e.Sizes, r.Size)
		for _, code := range r.Warnings {
			e.Warnings = with(e.Warnings, weir.WarningCode(x.once(string(code))))
		}
		if r.Run > 0 {
			continue // what was found of runs is in the effects
		}
		is := x.foundOf(r)
		at := slices.IndexFunc(e.Found, func(f found) bool { return f.Method == is.Method && f.Size == is.Size && f.Case == is.Case })
		switch {
		case at >= 0:
			e.Found[at] = is
		case len(e.Found) < mostFound && r.Value > 0:
			e.Found = append(e.Found, is)
		}
	}
	e.Methods, e.Sizes, e.Warnings, e.Found = shared(x, e.Methods), shared(x, e.Sizes), shared(x, e.Warnings), slices.Clip(e.Found)
	words := []string{e.DUT, e.Kernel, e.Testbed, e.Place, o.About.CPUModel, o.About.Backend, e.Weir}
	words = append(append(words, e.Said()), e.Methods...)
	for _, code := range e.Warnings {
		words = append(words, string(code))
	}
	e.environment = x.once(environmentOf(o.About))
	e.text = x.once(strings.ToLower(strings.Join(words, "\n")))
	return e
}

// environmentOf writes a line of each setting that was there before a campaign began. What a machine
// just did then is none.
func environmentOf(a sqlite.About) string {
	var b strings.Builder
	for _, s := range figures.Everything(weir.Manifest{Weir: a.Weir, Kernel: a.Kernel, CPUModel: a.CPUModel, CPUs: a.CPUs, Testbed: a.Testbed, Platform: a.Platform, Backend: a.Backend, Settings: a.Settings}) {
		if !strings.HasSuffix(s.Name, weir.BeforeStart) {
			fmt.Fprintf(&b, "%s\t%s\n", visible.Line(strings.TrimPrefix(s.Where+" "+s.Name, "campaign ")), visible.Line(s.Value))
		}
	}
	return b.String()
}

// settingsOf are those of an environment, by their names.
func settingsOf(environment string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(environment) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		out[name] = value
	}
	return out
}

// foundOf returns a result of the list, by its columns.
func (x *index) foundOf(o sqlite.Outcome) found {
	r := weir.Result{
		Method: o.Method, Value: o.Value, Unit: o.Unit, Claim: weir.Claim{Name: o.Claim},
		LossRatio: o.LossRatio, ExceedRatio: o.ExceedRatio, TrialSeconds: o.TrialSeconds, Sum: o.Sum, Factors: o.Factors,
	}
	for _, code := range o.Warnings {
		r.Warnings = append(r.Warnings, weir.Warning{Code: code})
	}
	is := sought{o.Method, o.Size, caseOf(&r), o.Unit}
	known, there := x.sought[is]
	if !there {
		if x.sought == nil {
			x.sought = map[sought]*sought{}
		}
		known = &is
		x.sought[is] = known
	}
	return found{known, o.Value, result.AtLeast(&r)}
}

// caseOf writes what tells a result from others of its method at its frame size: the goal of its search,
// and the levels of its other factors.
func caseOf(r *weir.Result) string {
	return visible.Line(joined(result.Goal(r), result.Levels(r.Factors, weir.Factors{"frame_size": nil})))
}

// once returns a text that is in memory once.
func (x *index) once(text string) string {
	if known, ok := x.texts[text]; ok {
		return known
	}
	if x.texts == nil {
		x.texts = map[string]string{}
	}
	x.texts[text] = text
	return text
}

// shared returns a list that is in memory once.
func shared[T ~string](x *index, list []T) []T {
	key := fmt.Sprintf("%T %q", list, list)
	if known, ok := x.lists[key].([]T); ok {
		return known
	}
	if x.lists == nil {
		x.lists = map[string]any{}
	}
	x.lists[key] = list
	return list
}

// with returns a list with a value in it.
func with[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
