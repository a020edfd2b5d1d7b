package frame

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func TestMix(t *testing.T) {
	for _, c := range []struct {
		name   string
		shares []Share
		want   []weir.Size
	}{
		{"one", []Share{{64, 9}}, []weir.Size{64}},
		{"equal", []Share{{64, 2}, {1518, 2}}, []weir.Size{64, 1518}},
		{"three to one", []Share{{64, 3}, {512, 1}}, []weir.Size{64, 64, 512, 64}},
		{"simple IMIX", []Share{{64, 70}, {594, 40}, {1518, 10}}, SimpleIMIX()},
	} {
		got, err := Mix(c.shares...)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", c.name, err, diff)
		}
	}
	for want, shares := range map[string][]Share{
		"empty":                           nil,
		"frame size 63":                   {{63, 1}},
		"size 64 has weight 0":            {{64, 0}},
		"size 64 has weight -1":           {{64, -1}},
		"frame size 64 is in the mix twi": {{64, 1}, {65, 1}, {64, 2}},
		"more than 16384 frames":          {{64, 16384}, {65, 1}},
	} {
		if _, err := Mix(shares...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one with %q", shares, err, want)
		}
	}
}

// Each part of a sequence has of each size what it should have, within one.
func TestSpreadEvenly(t *testing.T) {
	counts := []int{17, 1, 30, 6, 3}
	order := spread(counts)
	if len(order) != 57 {
		t.Fatalf("%d places, want 57", len(order))
	}
	seen := make([]float64, len(counts))
	for i, k := range order {
		seen[k]++
		for j, n := range counts {
			if want := float64((i+1)*n) / 57; math.Abs(seen[j]-want) > 1.5 {
				t.Errorf("after %d places there are %g of index %d, want %.1f: %v", i+1, seen[j], j, want, order)
			}
		}
	}
	for j, n := range counts {
		if int(seen[j]) != n {
			t.Errorf("index %d is there %g times, want %d", j, seen[j], n)
		}
	}
}

func TestRandomSizes(t *testing.T) {
	got, err := RandomSizes(350, 550, 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := RandomSizes(350, 550, 1000, 1)
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("the same seed draws other sizes: %s", diff)
	}
	// They must not change from one release to the next.
	if diff := cmp.Diff([]weir.Size{504, 480, 505, 362}, got[:4]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sum, seen := 0, make(map[weir.Size]bool)
	for _, s := range got {
		if s < 350 || s > 550 {
			t.Errorf("size %d is out of bounds", s)
		}
		sum += int(s)
		seen[s] = true
	}
	if mean := float64(sum) / 1000; math.Abs(mean-450) > 4.5 {
		t.Errorf("the mean is %.1f, want 450", mean)
	}
	if len(seen) < 180 {
		t.Errorf("%d of 201 sizes are there", len(seen))
	}
	other, _ := RandomSizes(350, 550, 1000, 2)
	if cmp.Equal(got, other) {
		t.Error("another seed draws the same sizes")
	}
	for _, c := range []struct {
		low, high weir.Size
		n         int
	}{{550, 350, 10}, {63, 100, 10}, {64, 65536, 10}, {64, 100, 0}, {64, 100, MaxSizes + 1}} {
		if _, err := RandomSizes(c.low, c.high, c.n, 1); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
