package importer

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"weir"
)

// Method is the name of the method of all results that weir has not measured.
const Method = "imported"

// set is the factor of results of which only the names of their files tell what
// was varied.
const set = "set"

// begin is an empty campaign of files that one format has.
func begin(format, what string, files []File, o Options) weir.Campaign {
	source := files[0].Path
	if len(files) > 1 {
		source = filepath.Dir(source)
	}
	if abs, err := filepath.Abs(source); err == nil {
		source = abs
	}
	return weir.Campaign{
		Name: filepath.Base(source) + ", imported",
		Manifest: weir.Manifest{
			Weir: weir.Version, Started: o.Now, Testbed: Method, Backend: format,
			Imported: &weir.Imported{Format: format, Source: source, What: what},
		},
		Ended: weir.EndedComplete,
	}
}

// note adds something that a reader has to know.
func note(c *weir.Campaign, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(c.Manifest.Imported.Notes, text) {
		c.Manifest.Imported.Notes = append(c.Manifest.Imported.Notes, text)
	}
}

// add enters a run of an arm: its results share its number.
func add(c *weir.Campaign, arm string, results ...weir.Result) {
	number := 1
	if n := len(c.Results); n > 0 {
		number = c.Results[n-1].Run.Number + 1
	}
	for _, r := range results {
		r.Method = Method
		r.Run = weir.Run{Number: number, Arm: arm}
		if _, ok := r.Factors["frame_size"]; !ok {
			r.Factors["frame_size"] = weir.NotSaid
		}
		c.Results = append(c.Results, r)
	}
}

// began notes when the earliest of the results was measured, where that is
// known.
func began(c *weir.Campaign, times []time.Time) {
	times = slices.DeleteFunc(times, time.Time.IsZero)
	if len(times) > 0 {
		c.Manifest.Started = slices.MinFunc(times, time.Time.Compare).UTC()
		return
	}
	note(c, "when it was measured was not said; the time of this campaign is that of the import")
}

// finish makes an experiment of what the results vary: the factors in the order
// given, and the arms in the order of appearance. One arm is no experiment.
func finish(c *weir.Campaign, factors ...string) {
	e := weir.Experiment{}
	for _, r := range c.Results {
		if !slices.Contains(e.Arms, r.Run.Arm) {
			e.Arms = append(e.Arms, r.Run.Arm)
		}
	}
	if len(e.Arms) < 2 {
		return
	}
	for _, name := range factors {
		f := weir.Factor{Name: name}
		for _, r := range c.Results {
			if level, ok := r.Factors[name].(string); ok && !slices.Contains(f.Levels, level) {
				f.Levels = append(f.Levels, level)
			}
		}
		if len(f.Levels) > 1 {
			e.Factors = append(e.Factors, f)
		}
	}
	counts, last := map[string]int{}, 0
	for _, r := range c.Results {
		if r.Run.Number != last { // its results share it
			last = r.Run.Number
			counts[r.Run.Arm]++
			e.Runs = max(e.Runs, counts[r.Run.Arm])
		}
	}
	c.Manifest.Experiment = &e
}

// numbered is a name that ends in the number of a run: "udp.3", "udp-03", "udp_3".
var numbered = regexp.MustCompile(`^(.+)[._-](\d{1,4})$`)

// armOf is the set that a file of one run belongs to, which is its name without
// the ending and the number of the run.
func armOf(f File) string {
	name := f.base()
	for _, ending := range []string{".json", ".log", ".txt", ".info", ".csv", ".out"} {
		name = strings.TrimSuffix(name, ending)
	}
	if m := numbered.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}
