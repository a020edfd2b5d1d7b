package campaign

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"weir"
)

// spoil changes something in a value of JSON, somewhere.
func spoil(r *rand.Rand, v any) any {
	switch is := v.(type) {
	case map[string]any:
		if len(is) > 0 && r.IntN(6) > 0 {
			keys := make([]string, 0, len(is))
			for k := range is {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			k := keys[r.IntN(len(keys))]
			if r.IntN(8) == 0 {
				delete(is, k)
			} else {
				is[k] = spoil(r, is[k])
			}
			return is
		}
	case []any:
		if len(is) > 0 && r.IntN(6) > 0 {
			i := r.IntN(len(is))
			switch r.IntN(8) {
			case 0:
				return append(is[:i:i], is[i+1:]...)
			case 1:
				return append(is, is[i])
			}
			is[i] = spoil(r, is[i])
			return is
		}
	}
	return []any{nil, -1.0, 0.0, 1.0, 1e15, 0.5, "", "x", "throughput", true, false, []any{}, map[string]any{}, []any{nil}}[r.IntN(14)]
}

// A campaign of which somebody has changed something goes on, or is refused, and ends nobody's
// weir.
func TestResumeOfWhatWasChanged(t *testing.T) {
	times := uint64(1000)
	if testing.Short() {
		times = 200
	}
	for name, text := range map[string]string{"searches": limited, "rounds": rounded} {
		p := parsed(t, text)
		whole := &mortal{lives: -1}
		if _, err := Run(t.Context(), p, simulated(t), whole, nil); err != nil {
			t.Fatal(err)
		}
		for seed := range times {
			r := rand.New(rand.NewPCG(seed, 1))
			m := whole.killed(t, 1+r.IntN(len(whole.log)-1))
			data, err := json.Marshal(m.disk)
			if err != nil {
				t.Fatal(err)
			}
			var tree any
			if err := json.Unmarshal(data, &tree); err != nil {
				t.Fatal(err)
			}
			for range 1 + r.IntN(3) {
				tree = spoil(r, tree)
			}
			if data, err = json.Marshal(tree); err != nil {
				t.Fatal(err)
			}
			var c weir.Campaign
			if json.Unmarshal(data, &c) != nil {
				continue // which is told when it is read
			}
			func() {
				defer func() {
					if why := recover(); why != nil {
						t.Errorf("%s, %d: %v\n%s", name, seed, why, debug.Stack())
					}
				}()
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				if _, err := Resume(ctx, c, p, simulated(t), &mortal{lives: -1}, nil); err != nil {
					_ = err.Error()
				}
			}()
		}
	}
}
