package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// bound is within what a figure of a result has to be.
type bound struct {
	figure      string // "": the result's own value
	least, most float64
	unit        string // as it is told
}

// bounded is a promise about the only result of a plan, by bounds of its figures.
func bounded(group, name, asked, plan string, bounds []bound) promise {
	return promise{group: group, name: name, asked: asked, measure: func(ctx context.Context, s setup) (string, bool, error) {
		r, err := s.planned(ctx, plan)
		if err != nil {
			return "", false, err
		}
		if r.Value <= 0 {
			return "", false, errors.New("no number: " + r.Unmeasured)
		}
		found, kept := r.within(s, bounds)
		return found, kept, nil
	}}
}

// within tells the figures that are bounded, and whether all are there and within.
func (r result) within(s setup, bounds []bound) (found string, kept bool) {
	kept = true
	var all []string
	for _, b := range bounds {
		v, there := r.Value, r.Value > 0
		if b.figure != "" {
			v, there = r.figure(b.figure)
		}
		if !there || v < b.least || v > b.most {
			kept = false
			s.say("%s: %v, there: %v; asked for from %v to %v", b.figure, v, there, b.least, b.most)
		}
		text := fmt.Sprintf("%.3g", v)
		if v >= 100 {
			text = fmt.Sprintf("%.0f", v)
		}
		all = append(all, text+" "+b.unit)
	}
	return strings.Join(all, ", "), kept
}
