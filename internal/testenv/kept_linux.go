package testenv

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// Kept is how threads were kept from CPUs while something was measured, as the
// kernel counts it: it takes no time of its own from what is measured.
type Kept struct {
	For  time.Duration // in which a thread somewhere waited for a CPU, or the hypervisor gave one to others
	Over time.Duration // how long was counted
}

// Share is that of the time, 1 at most.
func (k Kept) Share() float64 { return min(1, k.For.Seconds()/k.Over.Seconds()) }

// Least is what of a rate, or of a number, must have come about: no more is
// missing than the share of the time in which threads were kept from CPUs. Where
// that was half of it or more it is 0, and the test's log says so.
func (k Kept) Least(t testing.TB, rate float64) float64 {
	t.Helper()
	if k.Share() >= .5 {
		t.Logf("not judged against %g: threads were kept from CPUs for %v of %v", rate, k.For, k.Over)
		return 0
	}
	return rate * (1 - k.Share())
}

// Most is by how much a rate over a time may be above what a link carries: what
// a receiver that was kept from its CPU had not read before counts as well.
func (k Kept) Most(over time.Duration) float64 { return 1 + k.For.Seconds()/over.Seconds() }

// Attend notes from now on how threads are kept from CPUs, until the function
// is called that it returns. What the kernel does not count is 0.
func Attend(t testing.TB) (until func() Kept) {
	t.Helper()
	before, began := waited("/"), time.Now()
	return func() Kept { return Kept{For: waited("/") - before, Over: time.Since(began)} }
}

// tick is the unit of /proc/stat.
const tick = 10 * time.Millisecond

// waited is how long some thread waited for a CPU since the machine below root
// started, and how long its CPUs were given to others.
func waited(root string) time.Duration {
	var sum time.Duration
	pressure, _ := os.ReadFile(root + "proc/pressure/cpu")
	for line := range strings.Lines(string(pressure)) {
		if kind, total, ok := strings.Cut(line, " total="); ok && strings.HasPrefix(kind, "some ") {
			var us int64
			if _, err := fmt.Sscan(total, &us); err == nil {
				sum += time.Duration(us) * time.Microsecond
			}
		}
	}
	stat, _ := os.ReadFile(root + "proc/stat")
	if fields := strings.Fields(strings.SplitN(string(stat), "\n", 2)[0]); len(fields) > 8 {
		var steal int64
		if _, err := fmt.Sscan(fields[8], &steal); err == nil {
			sum += time.Duration(steal) * tick
		}
	}
	return sum
}
