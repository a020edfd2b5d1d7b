package weir

import (
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
	Text string
	Log  []string // the last lines of the log of the program that it is about
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

// Reasons are why a campaign failed, each once: what was said of several places
// alike names them all, and a log stands below the first that it was the
// reason of.
func (c Campaign) Reasons() []Reason {
	_, text, _ := strings.Cut(c.Ended, ": ")
	if text == "" {
		return nil
	}
	var out []Reason
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
