package dut

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
)

// bounds remembers how long each command of a user may take.
type bounds struct {
	*recorded
	limits []time.Duration
}

func (b *bounds) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	if argv[0] == "env" && argv[len(argv)-2] == "-c" {
		end, ok := ctx.Deadline()
		if !ok {
			end = time.Now().Add(math.MaxInt64)
		}
		b.limits = append(b.limits, time.Until(end))
	}
	return b.recorded.Run(ctx, stdin, argv...)
}

// A command and its undo are not waited for for ever. One that fails is undone
// all the same, as it may have done a part.
func TestCommandIsBounded(t *testing.T) {
	for _, fails := range []string{"", "do it"} {
		r := &recorded{fail: fails}
		d, s := tunable(r)
		b := &bounds{recorded: r}
		d.Host = b
		undo, err := linux{}.Apply(t.Context(), d, s, weir.Condition{Tunings: []weir.Tuning{{Name: "command", Value: "do it", Undo: "take it back"}}})
		if (err != nil) != (fails != "") {
			t.Fatalf("%v", err)
		}
		if err == nil {
			if err := undo(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(b.limits) != 2 || slices.Max(b.limits) > 15*time.Minute || slices.Min(b.limits) < 14*time.Minute {
			t.Errorf("commands may take %v", b.limits)
		}
		if last := r.told[len(r.told)-1]; last != "env WEIR_PORT0=d0 WEIR_PORT1=d1 sh -c take it back" {
			t.Errorf("the last command is %q", last)
		}
	}
}

// Frames are not steered to CPUs on which the DUT is not to forward.
func TestSteeredOutside(t *testing.T) {
	r := &recorded{}
	d, s := tunable(r)
	s.CPUs = []int{1, 2, 3}
	s.Spread = func(int) (func() error, error) { return nil, nil }
	for rps, want := range map[string]string{"1": "", "1,2": "", "off": "", "2-3": "the DUT is to forward on [1 2] alone, and CPU 3 is not one of these"} {
		err := linux{}.Cannot(t.Context(), d, s, weir.Condition{Tunings: []weir.Tuning{{Name: "rps", Value: rps}, {Name: "cpus", Value: "2"}}})
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("rps %s: %v, want %q", rps, err, want)
		}
	}
}
