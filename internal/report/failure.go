package report

import (
	"regexp"
	"slices"
	"strings"

	"weir"
)

// A reason is one thing that kept a campaign from being complete.
type reason struct {
	Text string
	Log  []string // the last lines of the log of the program that it is about
}

// ending says how a campaign that is not complete ended.
func ending(c weir.Campaign) string {
	if c.Ended == "" {
		return "it still runs, or was killed; this is what was measured so far"
	}
	how, _, _ := strings.Cut(c.Ended, ": ")
	return how + "; this is what was measured until then"
}

// died is what a program's end looks like, with what it said before.
var died = regexp.MustCompile(`^(.*?(?:signal: [a-z ]+|exit status \d+|was killed)(?:,? last lines of its log)?): ?(.*)$`)

// place is where something failed, which is said first.
var place = regexp.MustCompile(`^(.*with frames of [^:]+): (.*)$`)

// reasons are why a campaign failed, each once: what was said of several places
// alike names them all, and a log stands below the first that it was the
// reason of.
func reasons(c weir.Campaign) []reason {
	_, text, _ := strings.Cut(c.Ended, ": ")
	if text == "" {
		return nil
	}
	var out []reason
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
			out, tails = append(out, reason{Text: said}), append(tails, tail)
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
