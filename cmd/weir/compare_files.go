package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/figures"
	"weir/internal/importer"
	"weir/internal/infile"
	"weir/internal/proof"
	"weir/stats"
)

// standardInput is the name of what comes through it, and mostInput how many
// octets of it are read at most.
const (
	standardInput = "-"
	mostInput     = 64 << 20
)

// fileSet is what one file holds.
type fileSet struct {
	path     string
	values   []float64
	scale    float64       // what a value of 1 is in the unit of like
	like     weir.Result   // what all of plain numbers are, but for the value
	results  []weir.Result // of another format; nil: plain numbers
	imported weir.Imported
}

// fileSet reads a file, or standard input.
func (a *app) fileSet(ctx context.Context, path string, o comparison) (fileSet, error) {
	f := fileSet{path: path}
	options := importer.Options{Column: o.column}
	var text []byte
	if path == standardInput {
		read, err := infile.ReadAll(ctx, "standard input", a.in, mostInput)
		if err != nil {
			return f, fmt.Errorf("read standard input: %w", err)
		}
		path, text = "standard input", append([]byte{}, read...)
	}
	c, sets, err := importer.Sets(path, text, options)
	switch {
	case err != nil:
		return f, err
	case sets != nil:
		f.values, f.scale, f.like = sets[0].Values, sets[0].Scale, like(sets[0])
	case text != nil:
		c, err = importer.Given(path, text, options)
	default:
		var cs []weir.Campaign
		if cs, err = importer.Import("", []string{path}, options); err == nil {
			c = cs[0]
		}
	}
	if err != nil {
		return f, err
	}
	f.imported, f.results = *c.Manifest.Imported, c.Results
	kind := ""
	for _, r := range f.results {
		if name, _ := r.Claim.Published(); name == importer.InDoubt {
			// It is of the same kind as the others, and has a warning.
		} else if kind = cmp.Or(kind, r.Claim.Name); r.Claim.Name != kind {
			return f, fmt.Errorf("%s holds two kinds of numbers (%s; %s): import it, and compare the campaign", f.path, kind, r.Claim.Name)
		}
		f.values = append(f.values, r.Value)
	}
	return f, nil
}

// like is the result that each number of a set would be, but for its value.
func like(s importer.Set) weir.Result {
	return weir.Result{Method: importer.Method, Claim: weir.PublishedAs(importer.NumbersClaim), Unit: s.Unit,
		Factors: weir.Factors{"frame_size": weir.NotSaid}}
}

// comparable is an error of a set that weir's verdicts cannot be about.
func (f fileSet) comparable() error {
	if n := len(f.values); n < stats.FewestRuns {
		return fmt.Errorf("%s holds %d of the at least %d numbers, one of each run, that a comparison takes of each set: fewer do not say how much runs differ by chance", f.path, n, stats.FewestRuns)
	}
	if v := slices.Min(f.values); v < 0 {
		return fmt.Errorf("%s holds %v: differences are told in percent, which takes numbers above 0; --style ministat knows differences themselves", f.path, v)
	}
	return nil
}

// compareFiles compares files, each of which is a set, or describes a single one.
func (a *app) compareFiles(ctx context.Context, paths []string, o comparison) error {
	var files []fileSet
	plain := true
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			return usageError{fmt.Errorf("%s is there twice", path)}
		}
		f, err := a.fileSet(ctx, path, o)
		if err == nil && o.style != styleMinistat {
			err = f.comparable()
		}
		if err != nil {
			return err
		}
		files = append(files, f)
		plain = plain && f.results == nil
	}
	if len(files) == 1 {
		return stats.Ministat(a.out, []stats.Set{{Name: paths[0], Values: files[0].values}}, o.ministat)
	}
	if err := alike(files, o); err != nil {
		return err
	}
	c := weir.Campaign{Name: strings.Join(paths, ", ")}
	c.Manifest.Experiment = ofSets(paths)
	c.Manifest.Imported = &files[len(files)-1].imported
	c.Manifest.Imported.Source = c.Name
	if plain {
		var sets []stats.Set
		for _, f := range files {
			sets = append(sets, stats.Set{Name: f.path, Values: f.values})
		}
		return a.compareSets(c, sets, files[0].like, o)
	}
	varied, run := variedWithin(files), 0
	for _, f := range files {
		if f.results == nil {
			f.results = slices.Repeat([]weir.Result{f.like}, len(f.values))
		}
		for i, r := range f.results {
			r.Value = f.values[i]
			if r.Run.Number == 0 || i == 0 || f.results[i].Run.Number != f.results[i-1].Run.Number {
				run++
			}
			r.Run = weir.Run{Number: run, Arm: f.path}
			factors := weir.Factors{"set": f.path, "frame_size": r.Factors["frame_size"]}
			for _, name := range varied {
				factors[name] = r.Factors[name]
			}
			r.Factors = factors
			c.Results = append(c.Results, r)
		}
	}
	c = figures.Printable(c)
	o.set(&c)
	return a.compareOne(c, o)
}

// alike has all files of plain numbers in one unit: that of what is measured, or that of
// the first file where the style prints numbers as they stand. It is an error of those
// whose units differ.
func alike(files []fileSet, o comparison) error {
	for i := range files {
		f, first := &files[i], files[0]
		if f.results != nil || first.results != nil {
			continue
		}
		if f.like.Unit != first.like.Unit {
			return fmt.Errorf("the numbers of %s are %s, and those of %s %s: only numbers of one unit are compared; write it behind each number, or in no file",
				first.path, inUnit(first.like.Unit), f.path, inUnit(f.like.Unit))
		}
		turn := f.scale
		if o.style == styleMinistat {
			turn /= first.scale
		}
		if turn == 1 {
			continue
		}
		f.values = slices.Clone(f.values)
		for k := range f.values {
			f.values[k] *= turn
		}
	}
	return nil
}

// inUnit says in which unit numbers are.
func inUnit(unit string) string {
	if unit == weir.UnknownUnit {
		return "without a unit"
	}
	return "in " + unit
}

// variedWithin are the factors of which one file holds several levels, as the direction:
// these are never pooled. What differs between files alone is part of what they are.
func variedWithin(files []fileSet) (names []string) {
	for _, f := range files {
		for _, r := range f.results {
			for name, level := range r.Factors {
				if name != "set" && name != "frame_size" && level != f.results[0].Factors[name] && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// plainFolder compares the sets of a folder of plain numbers alone; false where it
// holds something else, or one set.
func (a *app) plainFolder(path string, o comparison) (bool, error) {
	c, found, err := importer.Sets(path, nil, importer.Options{Column: o.column})
	if err != nil || len(found) < 2 {
		return false, err
	}
	var sets []stats.Set
	var names []string
	runs := 0
	for _, s := range found {
		if s.Unit != found[0].Unit || o.style == styleMinistat && s.Scale != found[0].Scale || slices.Contains(names, s.Name) {
			return false, nil
		}
		names = append(names, s.Name)
		values := s.Values
		if s.Scale != 1 && o.style != styleMinistat {
			values = slices.Clone(values)
			for i := range values {
				values[i] *= s.Scale
			}
		}
		sets = append(sets, stats.Set{Name: s.Name, Values: values})
		runs = max(runs, len(s.Values))
	}
	c.Manifest.Experiment = ofSets(names)
	c.Manifest.Experiment.Runs = runs
	return true, a.compareSets(c, sets, like(found[0]), o)
}

// ofSets is the experiment whose arms are sets.
func ofSets(names []string) *weir.Experiment {
	return &weir.Experiment{Arms: names, Factors: []weir.Factor{{Name: "set", Levels: names}}}
}

// compareSets compares sets of plain numbers, of which there may be a million.
func (a *app) compareSets(c weir.Campaign, sets []stats.Set, like weir.Result, o comparison) error {
	c.Results = []weir.Result{like}
	c = figures.Printable(c)
	o.set(&c)
	for i, name := range c.Manifest.Experiment.Arms {
		sets[i].Name = name
	}
	p := proof.Numbers(sets, c.Results[0], *c.Manifest.Experiment)
	return a.compareViews(c, []proof.View{{Proof: p}}, o)
}

// set puts what the flags say into the experiment of a campaign, and has imported
// results called by what was published.
func (o comparison) set(c *weir.Campaign) {
	*c = proof.Published(*c)
	if c.Manifest.Experiment == nil {
		return
	}
	e := *c.Manifest.Experiment
	e.Confidence = o.level / 100
	if o.margin > 0 {
		e.Margin = o.margin
	}
	if o.smallest > 0 {
		e.Detect = o.smallest
	}
	c.Manifest.Experiment = &e
}
