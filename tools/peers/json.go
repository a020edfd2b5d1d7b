package main

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
)

// summary is what scripts read: medians, to the frame or turn, and what they
// are from.
type summary struct {
	Weir    float64            `json:"weir"`           // frames/s
	Loop    float64            `json:"drop_only_loop"` // turns/s
	Bare    float64            `json:"bare_redirect"`  // frames/s
	Peers   map[string]float64 `json:"peers"`          // frames/s, of those that could be measured
	Over    map[string]ratio   `json:"weir_over"`      // weir's rate in terms of each sender's
	OfBare  map[string]ratio   `json:"of_bare"`        // each sender's in terms of the bare program's
	Without map[string]string  `json:"without"`        // why a sender has no rate
	Turns   []turn             `json:"turns"`          // in the order in which they were taken
}

func (r results) summarise() summary {
	s := summary{Peers: map[string]float64{}, Over: map[string]ratio{}, OfBare: map[string]ratio{},
		Without: map[string]string{}, Turns: r.turns}
	for _, name := range r.senders {
		if reason, failed := r.trouble(name); failed {
			s.Without[name] = reason
			continue
		}
		rate := math.Round(median(slices.Collect(maps.Values(r.rates(name)))))
		switch name {
		case weirName:
			s.Weir = rate
		case loopName:
			s.Loop = rate
		case bareName:
			s.Bare = rate
		default:
			s.Peers[name] = rate
		}
		if q := r.ratio(weirName, name); name != weirName && q.Blocks > 0 {
			s.Over[name] = q
		}
		if q := r.ratio(name, bareName); name != bareName && q.Blocks > 0 {
			s.OfBare[name] = q
		}
	}
	return s
}

func writeJSON(file string, r results) error {
	text, err := json.MarshalIndent(r.summarise(), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
