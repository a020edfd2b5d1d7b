package lab

import (
	"testing"
	"time"

	"weir/internal/testenv"
)

// Before and after the trials of a sweep a cache line is passed between the CPUs of the
// generator and the DUT; those of other methods do without, and so do machines with one CPU.
func TestExchanged(t *testing.T) {
	t.Parallel()
	for of, want := range map[string]bool{"sweep": true, "frmol": false} {
		l, open := openFrameLab(t, "{traffic: {sizes: [64]}, methods: ["+of+"]}")
		cpus := l.bed.CPUs()
		want = want && cpus.Generator[0] != cpus.DUT[0]
		var seen [2]time.Duration
		testenv.Await(t, of+" knows what it is to know", func() bool {
			done, err := open.Observe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all, err := done(time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			seen = all.Host.Exchange
			return !want || seen[0] > 0 && seen[1] > 0
		})
		if !want && seen != [2]time.Duration{} {
			t.Errorf("%s: exchanges of %v", of, seen)
		}
	}
}
