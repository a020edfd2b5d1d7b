package figures

import (
	"testing"

	"weir"
	"weir/internal/testenv/samples"
)

// A machine has forwarded more before where an earlier interval lies above the new one.
func TestFasterBefore(t *testing.T) {
	of := func(id string, value float64) weir.Campaign {
		c := samples.OneSweep(func(r *weir.Result) { r.Value, r.Lower, r.Upper = value, .95*value, 1.05*value })
		c.ID, c.Manifest.Testbed = id, "netns"
		return c
	}
	slow := of("new", 7e5)
	if got := FasterBefore(slow, []weir.Campaign{of("a", 7.4e5)}); got != "" {
		t.Errorf("within the interval it says %q", got)
	}
	want := "this machine has forwarded more before: 64: 1,010 kpps in campaign b"
	if got := FasterBefore(slow, []weir.Campaign{of("a", 7.4e5), of("b", 1.01e6), of("c", 9e5)}); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	other := of("b", 1.01e6)
	other.Results[0].Factors = weir.Factors{"frame_size": 512}
	if got := FasterBefore(slow, []weir.Campaign{other}); got != "" {
		t.Errorf("of another size it says %q", got)
	}
}
