package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// sent has the program that compares generators measure weir's and the bare
// program that redirects, in turn. The promise is about the whole interval of their ratio.
func sent() promise {
	const enough = .85
	return promise{
		group: "send",
		name:  "weir's generator and a bare program that redirects",
		asked: fmt.Sprintf("at least %g %% of it, with the 95 %% interval", 100*enough),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			dir, err := os.MkdirTemp("", "truth-")
			if err != nil {
				return "", false, err
			}
			defer os.RemoveAll(dir)
			file := filepath.Join(dir, "peers.json")
			if _, err := program(ctx, planLimit, s.peers, "-only", "weir,bare_redirect", "-rounds", strconv.Itoa(s.often(25)), "-o", file); err != nil {
				return "", false, err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return "", false, err
			}
			return judgeSent(text, enough)
		},
	}
}

// judgeSent judges the ratio in the JSON of the program that compares generators. It does
// not judge a ratio without an interval, or with one that has what is asked inside.
func judgeSent(text []byte, enough float64) (string, bool, error) {
	var of struct {
		Over map[string]struct {
			Ratio, Lower, Upper float64
			Blocks              int
		} `json:"weir_over"`
		Without map[string]string
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return "", false, err
	}
	r := of.Over["bare_redirect"]
	switch {
	case r.Blocks == 0:
		return "", false, fmt.Errorf("the bare program and weir were not measured in one block: %v", of.Without)
	case r.Blocks == 1:
		return "", false, fmt.Errorf("one block gives no interval: %.1f %%", 100*r.Ratio)
	}
	found := fmt.Sprintf("%.1f %% (%.1f to %.1f), of %d blocks", 100*r.Ratio, 100*r.Lower, 100*r.Upper, r.Blocks)
	if r.Lower < enough && r.Upper >= enough {
		return "", false, fmt.Errorf("the interval is too wide to say: %s", found)
	}
	return found, r.Lower >= enough, nil
}
