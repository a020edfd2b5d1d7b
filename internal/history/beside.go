package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// Own is a number of the user's to put beside the others.
type Own struct {
	What  string  `json:"what"` // "throughput, forwarding xdp"
	Claim string  `json:"claim"`
	Value float64 `json:"value"` // the median of its runs
	Unit  string  `json:"unit"`  // "kpps" or "Mbit/s"
	Loss  float64 `json:"loss_ratio"`
	Runs  int     `json:"runs"`

	Simulated bool `json:"simulated"` // a model's, not a machine's
}

// smallest is the frame size at which rates are compared, in octets with FCS.
const smallest = "64"

// OwnOf are the numbers of a campaign that could stand in the table: rates of
// 64-octet frames, and rates of bits that its results are in themselves. A rate
// of frames is not turned into one of bits, as nobody there measured that.
func OwnOf(c weir.Campaign) []Own {
	type kind struct{ what, unit string }
	var order []kind
	of := map[kind][]weir.Result{}
	for _, r := range c.Results {
		k := kind{what: r.Method}
		switch {
		case r.Run.Again:
			continue
		case r.Unit == "frames/s" && (fmt.Sprint(r.Factors["frame_size"]) == smallest || r.MeanSize == 64):
			k.unit = "kpps"
		case r.Unit == "bit/s":
			k.unit = "Mbit/s"
		default:
			continue
		}
		if r.Run.Arm != "" {
			k.what += ", " + r.Run.Arm
		} else if r.LossRatio > 0 && r.Width > 0 {
			k.what += fmt.Sprintf(", %g %% loss", r.LossRatio*100)
		}
		if of[k] == nil {
			order = append(order, k)
		}
		of[k] = append(of[k], r)
	}
	var out []Own
	for _, k := range order {
		list := of[k]
		slices.SortStableFunc(list, func(a, b weir.Result) int { return cmp.Compare(a.Value, b.Value) })
		n := len(list)
		median := (list[(n-1)/2].Value + list[n/2].Value) / 2
		scale := map[string]float64{"kpps": 1e3, "Mbit/s": 1e6}[k.unit]
		out = append(out, Own{k.what, list[n/2].Claim.Name, median / scale, k.unit, list[n/2].LossRatio, n, list[n/2].Simulated})
	}
	return out
}

// Comparable reports whether a number may stand beside the user's own, and says
// what differs all the same, or why it may not.
func (r Row) Comparable(o Own) (bool, string) {
	if r.Unit != o.Unit {
		return false, fmt.Sprintf("it is in %s, and yours in %s", r.Unit, o.Unit)
	}
	if r.Unit == "kpps" {
		var but []string
		if r.Frame == 0 {
			but = append(but, "its frame size was not said")
		}
		if o.Loss == 0 {
			but = append(but, "its loss was not said, and yours is none: a rate with loss may be higher")
		} else {
			but = append(but, fmt.Sprintf("its loss was not said, and yours is %.3g %%", o.Loss*100))
		}
		return true, strings.Join(but, "; ")
	}
	return true, "TCP of other hosts: their ends may have been the limit, not the router"
}
