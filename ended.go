package weir

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// How a campaign ended (Campaign.Ended), where nothing failed.
const (
	EndedComplete    = "complete"
	EndedInterrupted = "interrupted"
)

// failed precedes why a campaign failed.
const failed = "failed: "

// WithFrames precedes the frames at which something failed: "latency with frames of 64".
const WithFrames = "with frames of "

// FailedWith is how a campaign ended with an error, on one line.
func FailedWith(err error) string {
	return failed + strings.NewReplacer(":\n  - ", ": ", "\n  - ", "; ", "\n", "; ").Replace(err.Error())
}

// A Reason is one thing that kept a campaign from being complete.
type Reason struct {
	Text string   `json:"text"`
	Log  []string `json:"log,omitempty"` // the last lines of the log of the program that it is about
}

// PlaceError says where something failed.
type PlaceError struct {
	Place string // "latency with frames of 64"
	Err   error
}

func (e *PlaceError) Error() string { return e.Place + ": " + e.Err.Error() }
func (e *PlaceError) Unwrap() error { return e.Err }

// SaidError is the error of a program with the last lines of what it said.
type SaidError struct {
	Err  error
	Said []string
}

func (e *SaidError) Error() string { return e.Err.Error() + ": " + strings.Join(e.Said, "\n") }
func (e *SaidError) Unwrap() error { return e.Err }

// ReasonsOf returns what an error is made of, each thing once: what failed in the same way in
// several places names them all.
func ReasonsOf(err error) []Reason {
	var out []Reason
	for _, f := range failuresOf(nil, "", err) {
		lines := strings.Split(strings.ReplaceAll(f.what, ":\n  - ", ": "), "\n")
		first := Reason{Text: lines[0], Log: f.log}
		if len(f.places) > 0 {
			first.Text = strings.Join(f.places, ", ") + ": " + first.Text
		}
		out = append(out, first)
		for _, line := range lines[1:] {
			out = append(out, Reason{Text: strings.TrimPrefix(line, "  - ")})
		}
	}
	return out
}

// failure is what failed in the same way in some places.
type failure struct {
	places []string
	what   string
	log    []string
}

// failuresOf adds what an error of a place is made of.
func failuresOf(all []failure, place string, err error) []failure {
	if list := joined(err); list != nil {
		for _, one := range list {
			all = failuresOf(all, place, one)
		}
		return all
	}
	if at, is := err.(*PlaceError); is {
		if place != "" {
			place += ": "
		}
		return failuresOf(all, place+at.Place, at.Err)
	}
	f := failure{what: err.Error()}
	if said := (*SaidError)(nil); errors.As(err, &said) {
		f.what, f.log = strings.Replace(f.what, said.Error(), said.Err.Error(), 1), said.Said
	}
	i := slices.IndexFunc(all, func(o failure) bool { return o.what == f.what })
	if i < 0 {
		i, all = len(all), append(all, f)
	}
	if place != "" && !slices.Contains(all[i].places, place) {
		all[i].places = append(all[i].places, place)
	}
	for _, line := range f.log {
		if !slices.Contains(all[i].log, line) {
			all[i].log = append(all[i].log, line)
		}
	}
	return all
}

// joined returns the errors that errors.Join made one of; nil of any other error.
func joined(err error) []error {
	list, is := err.(interface{ Unwrap() []error })
	if !is {
		return nil
	}
	var texts []string
	for _, one := range list.Unwrap() {
		texts = append(texts, one.Error())
	}
	if strings.Join(texts, "\n") != err.Error() {
		return nil
	}
	return list.Unwrap()
}

// HowEnded is how a campaign ended without the reasons: "failed"; "" while it runs.
func (c Campaign) HowEnded() string {
	how, _, _ := strings.Cut(c.Ended, ": ")
	return how
}

// died is what a program's end looks like, with what it said before.
var died = regexp.MustCompile(`^(.*?(?:signal: [a-z ]+|exit status \d+|was killed)(?:,? last lines of its log)?): ?(.*)$`)

// place is where something failed, which is said first.
var place = regexp.MustCompile(`^(.*` + WithFrames + `[^:]+): (.*)$`)

// Reasons returns why a campaign failed.
func (c Campaign) Reasons() []Reason {
	_, text, _ := strings.Cut(c.Ended, ": ")
	switch {
	case c.HowEnded() != "failed": // what it failed of before it went on is no reason any more
		return nil
	case len(c.Manifest.Failures) > 0 || text == "":
		return c.Manifest.Failures
	}
	return readReasons(text)
}

// readReasons reads why a campaign failed out of what stores of before have of it, as ReasonsOf
// returns it.
func readReasons(text string) (out []Reason) {
	var tails []string
	logging := -1 // the reason of which the log goes on
	for _, part := range parted(text) {
		places := place.FindStringSubmatch(part)
		if logging >= 0 && places == nil {
			if log := &out[logging].Log; !slices.Contains(*log, part) {
				*log = append(*log, part)
			}
			continue
		}
		logging = -1
		said, log := part, ""
		if m := died.FindStringSubmatch(part); m != nil {
			said, log = m[1], m[2]
			said = strings.TrimRight(strings.TrimSuffix(said, "last lines of its log"), ", ")
			places = place.FindStringSubmatch(said)
		}
		tail := said
		if places != nil {
			tail = places[2]
		}
		i := slices.Index(tails, tail)
		if i < 0 {
			i = len(out)
			out, tails = append(out, Reason{Text: said}), append(tails, tail)
		} else if at := strings.TrimSuffix(out[i].Text, ": "+tail); places != nil && !slices.Contains(strings.Split(at, ", "), places[1]) {
			out[i].Text = at + ", " + places[1] + ": " + tail
		}
		if part != said {
			logging = i
			if log = strings.TrimSpace(log); log != "" && !slices.Contains(out[i].Log, log) {
				out[i].Log = append(out[i].Log, log)
			}
		}
	}
	return out
}

// parted are the lines or clauses of a text; a short one is left whole.
func parted(text string) []string {
	const short = 120
	text = strings.ReplaceAll(text, "; last lines of its log", ", last lines of its log")
	parts := strings.Split(strings.ReplaceAll(text, "; ", "\n"), "\n")
	if len(text) <= short && !slices.ContainsFunc(parts, died.MatchString) {
		return []string{text}
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}
