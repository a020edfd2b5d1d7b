package workload

import (
	"testing"
	"time"

	"weir"
)

func TestDiskBound(t *testing.T) {
	disks := func(rates ...float64) (out []weir.DiskRate) { // of a source and a destination by turns: what it reads, what it writes
		for i := 0; i < len(rates); i += 2 {
			out = append(out, weir.DiskRate{Side: weir.Source, Read: rates[i], Write: 1}, weir.DiskRate{Side: weir.Destination, Read: 1, Write: rates[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		name  string
		rate  float64 // of the transfer, in Mbit/s
		disks []weir.DiskRate
		want  weir.Side // "": none
	}{
		{"a network slower than disks", 94, disks(900e6, 800e6), ""},
		{"just below 10 %", 89, disks(100e6, 800e6), ""},
		{"within 10 % of what is read", 91, disks(100e6, 800e6), weir.Source},
		{"within 10 % of what is written", 91, disks(800e6, 100e6), weir.Destination},
		{"above what is written", 300, disks(800e6, 100e6), weir.Destination},
		{"above both, the writing slower", 900, disks(800e6, 700e6), weir.Destination},
		{"above both, the reading slower", 900, disks(700e6, 800e6), weir.Source},
		{"not measured", 900, nil, ""},
		{"two directions, each within its half", 170, disks(100e6, 900e6, 100e6, 900e6), ""},
		{"two directions, together as fast as the disks", 190, disks(100e6, 900e6, 100e6, 900e6), weir.Source},
	} {
		t.Run(c.name, func(t *testing.T) {
			side, bound := DiskBound(weir.Transferred{Octets: uint64(c.rate * 1e6 / 8), Took: time.Second, Disks: c.disks})
			if side != c.want || bound != (c.want != "") {
				t.Errorf("got %q, %v; want %q", side, bound, c.want)
			}
		})
	}
}
