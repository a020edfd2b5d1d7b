package main

import (
	"encoding/json"
	"math"
	"os"
)

// summary is what scripts read: medians, to the frame or turn.
type summary struct {
	Weir  float64            `json:"weir"`           // frames/s
	Loop  float64            `json:"drop_only_loop"` // turns/s
	Bare  float64            `json:"bare_redirect"`  // frames/s
	Peers map[string]float64 `json:"peers"`          // frames/s, of those that could be measured
}

func summarise(rows []row) summary {
	s := summary{Peers: map[string]float64{}}
	for i, r := range rows {
		if len(r.rates) == 0 {
			continue
		}
		rate := math.Round(median(r.rates))
		switch i {
		case weirRow:
			s.Weir = rate
		case loopRow:
			s.Loop = rate
		case bareRow:
			s.Bare = rate
		default:
			s.Peers[r.name] = rate
		}
	}
	return s
}

func writeJSON(file string, rows []row) error {
	text, err := json.MarshalIndent(summarise(rows), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
