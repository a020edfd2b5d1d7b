package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/importer"
	"weir/internal/infile"
	"weir/internal/report"
	"weir/stats"
)

// standardInput is the name of what comes through it, and mostInput how many
// octets of it are read at most.
const (
	standardInput = "-"
	mostInput     = 64 << 20
)

// withoutOrder is a campaign whose runs have no numbers, where it is of others who
// have not said in which order they measured.
func withoutOrder(c weir.Campaign) weir.Campaign {
	e := c.Manifest.Experiment
	if c.Manifest.Imported == nil || e != nil && e.Schedule != "" {
		return c
	}
	c.Results = slices.Clone(c.Results)
	for i := range c.Results {
		c.Results[i].Run.Number = 0
	}
	return c
}

// ofFile is the campaign that a file or standard input makes.
func (a *app) ofFile(ctx context.Context, path string, o importer.Options) (weir.Campaign, error) {
	if path == standardInput {
		text, err := infile.ReadAll(ctx, "standard input", a.in, mostInput)
		if err != nil {
			return weir.Campaign{}, fmt.Errorf("read standard input: %w", err)
		}
		return importer.Given("standard input", text, o)
	}
	cs, err := importer.Import("", []string{path}, o)
	if err != nil {
		return weir.Campaign{}, err
	}
	return cs[0], nil
}

// ofFiles is a campaign whose arms are files.
func (a *app) ofFiles(ctx context.Context, paths []string, o comparison) (weir.Campaign, error) {
	c := weir.Campaign{Name: strings.Join(paths, ", ")}
	e := weir.Experiment{Factors: []weir.Factor{{Name: "set", Levels: paths}}}
	for _, path := range paths {
		if slices.Contains(e.Arms, path) {
			return c, usageError{fmt.Errorf("%s is there twice", path)}
		}
		set, err := a.ofFile(ctx, path, importer.Options{Column: o.column})
		if err != nil {
			return c, err
		}
		if n := len(set.Results); n < stats.FewestRuns && o.style != styleMinistat {
			return c, fmt.Errorf("%s holds %d of the at least %d numbers, one of each run, that a comparison takes of each set: fewer do not say how much runs differ by chance", path, n, stats.FewestRuns)
		}
		e.Arms = append(e.Arms, path)
		for _, r := range set.Results {
			if claim := set.Results[0].Claim.Name; r.Claim.Name != claim {
				return c, fmt.Errorf("%s holds two kinds of numbers (%s; %s): import it, and compare the campaign", path, claim, r.Claim.Name)
			}
			if r.Value < 0 && o.style != styleMinistat {
				return c, fmt.Errorf("%s holds %v: differences are told in percent, which takes numbers above 0; --style ministat knows differences themselves", path, r.Value)
			}
			r.Run = weir.Run{Number: len(c.Results) + 1, Arm: path}
			r.Factors = weir.Factors{"set": path, "frame_size": r.Factors["frame_size"]}
			c.Results = append(c.Results, r)
		}
		in := *set.Manifest.Imported
		in.Source = c.Name
		c.Manifest.Imported = &in
	}
	c.Manifest.Experiment = &e
	c = report.Printable(c)
	o.set(&c)
	return c, nil
}

// set puts what the flags say into the experiment of a campaign, and has imported
// results called by what was published, as several things may have been: their
// method is the same, and a level that nobody has said tells nothing apart.
func (o comparison) set(c *weir.Campaign) {
	if c.Manifest.Imported != nil {
		c.Results = slices.Clone(c.Results)
		for i := range c.Results {
			r := &c.Results[i]
			r.Method = strings.TrimSuffix(r.Claim.Name, ", published")
			if r.Unit == importer.UnknownUnit {
				r.Unit = ""
			}
			r.Factors = maps.Clone(r.Factors)
			maps.DeleteFunc(r.Factors, func(_ string, level any) bool { return level == importer.NotSaid })
		}
	}
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
