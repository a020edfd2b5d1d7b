package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// sent has the program that compares generators measure weir's and the bare
// program that redirects, in turn.
func sent() promise {
	const enough = .85
	return promise{
		group: "send",
		name:  "weir's generator and a bare program that redirects",
		asked: fmt.Sprintf("at least %g %% of it", 100*enough),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			dir, err := os.MkdirTemp("", "truth-")
			if err != nil {
				return "", false, err
			}
			defer os.RemoveAll(dir)
			file := filepath.Join(dir, "peers.json")
			if _, err := program(ctx, planLimit, s.peers, "-only", "weir,bare_redirect", "-rounds", strconv.Itoa(s.often(15)), "-o", file); err != nil {
				return "", false, err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return "", false, err
			}
			var medians struct {
				Weir float64 `json:"weir"`
				Bare float64 `json:"bare_redirect"`
			}
			if err := json.Unmarshal(text, &medians); err != nil {
				return "", false, err
			}
			if medians.Bare == 0 {
				return "", false, errors.New("the bare program could not be measured")
			}
			share := medians.Weir / medians.Bare
			return fmt.Sprintf("%.1f %%: %.0f of %.0f frames/s, medians", 100*share, medians.Weir, medians.Bare), share >= enough, nil
		},
	}
}
