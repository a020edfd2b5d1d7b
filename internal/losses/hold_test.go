package losses

import (
	"testing"

	"weir"
)

func TestLimitOf(t *testing.T) {
	const rate = 1e6
	per := func(size weir.Size, octets, off float64) float64 { return rate * off / (float64(size) + octets) }
	for name, c := range map[string]struct {
		octets, off float64
		name        string
	}{
		"packets": {-18, 1, "octets of IP packets"}, "frames without FCS": {-4, 1, "octets of frames without their FCS"}, "frames": {0, .995, "octets of frames"},
		"wire": {20, 1.01, "octets on the wire"}, "between": {-4, .97, "octets, with some headers or without,"}, "nothing": {60, 1, ""},
	} {
		l, perSecond, ok := LimitOf(per(512, c.octets, 1), per(64, c.octets, c.off), 512, 64)
		if l.Name != c.name || ok != (c.name != "") || ok && (perSecond < .95*rate || perSecond > 1.05*rate) {
			t.Errorf("%s: %q, %v a second", name, l.Name, perSecond)
		}
	}
	if l, perSecond, ok := LimitOf(2000, 2040, 512, 64); l.Name != Frames || perSecond != 2000 || !ok {
		t.Errorf("a limit of frames is %q, %v a second", l.Name, perSecond)
	}
}
