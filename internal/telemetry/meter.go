package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
)

// Meter reads all sources of a machine.
type Meter struct {
	host    weir.Host
	matches map[string][]string // of patterns, as they were found first
	silent  map[string]bool     // commands that could not be run
}

// NewMeter reads at a host: the place where the DUT forwards, since some of what
// a kernel counts is that of a network namespace.
func NewMeter(host weir.Host) *Meter {
	return &Meter{host: host, matches: make(map[string][]string), silent: make(map[string]bool)}
}

// Snapshot is what a machine said at one time.
type Snapshot struct {
	sources []sourceSamples
}

type sourceSamples struct {
	source  string
	samples []sample
}

// Read reads what there is. What a machine does not have is left out; the error
// is that of texts which are not as the kernel writes them, or of the context.
// Files that several sources want are read once.
func (m *Meter) Read(ctx context.Context, what Subject) (Snapshot, error) {
	a := answers{texts: make(map[string]string), matches: m.matches}
	all := make([]wants, 0, len(Sources()))
	for _, s := range Sources() {
		all = append(all, s.wants(what))
	}
	if err := m.look(ctx, all); err != nil {
		return Snapshot{}, err
	}
	if err := m.readFiles(ctx, all, a.texts); err != nil {
		return Snapshot{}, err
	}
	for _, w := range all {
		for _, c := range w.commands {
			if m.silent[c.key()] || len(m.paths(c.where)) == 0 {
				continue
			}
			text, err := m.host.Run(ctx, "", c.argv...)
			m.silent[c.key()] = err != nil && ctx.Err() == nil
			a.texts[c.key()] = text
		}
	}
	var snap Snapshot
	var err error
	for _, s := range Sources() {
		samples, wrong := s.parse(what, a)
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", s.Name, wrong))
		}
		snap.sources = append(snap.sources, sourceSamples{s.Name, samples})
	}
	return snap, errors.Join(err, ctx.Err())
}

// readFiles reads the files that are wanted, as many of them as there are.
func (m *Meter) readFiles(ctx context.Context, all []wants, into map[string]string) error {
	var paths []string
	for _, w := range all {
		for _, path := range w.files {
			paths = append(paths, m.paths(path)...)
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	if many, ok := m.host.(weir.FilesReader); ok {
		texts, err := many.ReadFiles(ctx, paths)
		maps.Copy(into, texts)
		return err
	}
	for _, p := range paths {
		if text, err := m.host.ReadFile(ctx, p); err == nil {
			into[p] = text
		}
	}
	return nil
}

// paths are those that a path or pattern stands for.
func (m *Meter) paths(pattern string) []string {
	if found, looked := m.matches[pattern]; looked {
		return found
	}
	return []string{pattern}
}

// look finds what patterns stand for that have not been looked for yet. Files
// without a pattern are not looked for: reading them says whether they are there.
func (m *Meter) look(ctx context.Context, all []wants) error {
	var patterns []string
	for _, w := range all {
		for _, f := range w.files {
			if strings.Contains(f, "*") {
				patterns = append(patterns, f)
			}
		}
		patterns = append(patterns, w.names...)
		for _, c := range w.commands {
			patterns = append(patterns, c.where)
		}
	}
	patterns = slices.DeleteFunc(patterns, func(p string) bool {
		_, known := m.matches[p]
		return known
	})
	if len(patterns) == 0 {
		return nil
	}
	// One line for each match, after its pattern.
	const script = `for p; do for f in $p; do if [ -e "$f" ]; then echo "$p $f"; fi; done; done`
	out, err := m.host.Run(ctx, "", append([]string{"sh", "-c", script, "sh"}, patterns...)...)
	if err != nil {
		return fmt.Errorf("look for what there is to be read: %w", err)
	}
	for _, p := range patterns {
		m.matches[p] = nil
	}
	for line := range strings.Lines(out) {
		pattern, match, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && !slices.Contains(m.matches[pattern], match) {
			m.matches[pattern] = append(m.matches[pattern], match)
		}
	}
	return nil
}

// Bounds of the readings of a trial, so that records stay small.
const (
	mostReadings = 200
	mostOfSource = 60
)

// Since is what was read during the time between two snapshots: counters by how
// much they grew, gauges as they stand. What is 0 is left out, and so are counters
// that are new. Of more readings than a source may have, those go first that
// tell of trouble, then the largest ones; how many were left out is a reading,
// too.
func (s Snapshot) Since(before Snapshot) []weir.Reading {
	was := make(map[[2]string]sample)
	for _, src := range before.sources {
		for _, x := range src.samples {
			was[[2]string{src.source, x.name}] = x
		}
	}
	var out []weir.Reading
	left := 0
	for _, src := range s.sources {
		var found []weir.Reading
		for _, x := range src.samples {
			r := weir.Reading{Source: src.source, Name: x.name, Value: x.value, Unit: x.unit}
			if !x.gauge {
				old, known := was[[2]string{src.source, x.name}]
				if !known {
					continue
				}
				r.Value = growth(old, x)
			}
			if r.Value == 0 {
				continue
			}
			found = append(found, r)
		}
		kept := weightiest(found, min(mostOfSource, mostReadings-1-len(out)))
		left += len(found) - len(kept)
		out = append(out, kept...)
	}
	if left > 0 {
		out = append(out, weir.Reading{Source: "telemetry", Name: "readings left out", Value: float64(left), Unit: "count"})
	}
	return out
}

// weightiest are n of the readings, in their order.
func weightiest(all []weir.Reading, n int) []weir.Reading {
	if len(all) <= n {
		return all
	}
	at := make([]int, len(all))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int {
		if x, y := trouble(all[a].Name), trouble(all[b].Name); x != y {
			return cmp.Compare(y, x)
		}
		return cmp.Compare(all[b].Value, all[a].Value)
	})
	at = at[:n]
	slices.Sort(at)
	out := make([]weir.Reading, n)
	for i, j := range at {
		out[i] = all[j]
	}
	return out
}

// trouble is 1 for the name of a counter of what should not happen, else 0.
func trouble(name string) int {
	for _, word := range []string{"drop", "err", "miss", "discard", "fail", "fault", "overflow", "squeeze", "full", "pause", "lost"} {
		if strings.Contains(strings.ToLower(name), word) {
			return 1
		}
	}
	return 0
}
