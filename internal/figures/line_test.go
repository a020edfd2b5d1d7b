package figures

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"testing"

	"weir"
	"weir/frame"
	"weir/internal/claim"
	"weir/internal/document"
	"weir/internal/result"
)

// onLink is a campaign whose result is half of what a link of some bit/s carries.
func onLink(bits, size, ports float64) weir.Campaign {
	line := ports * frame.LineRate(bits, size)
	return weir.Campaign{Results: []weir.Result{{
		Method: "throughput", Unit: "frames/s", Value: line / 2, MeanSize: size, Factors: weir.Factors{"frame_size": int(size)},
		Figures: []weir.Figure{{Name: claim.TheoreticalMaximum, Value: line, Unit: "frames/s"}},
	}}}
}

// Where the link is known a rate stands beside what that carries, in every format, and
// the medium of the charts is that link; where it is not, there is no such column.
func TestLineRate(t *testing.T) {
	column := func(c weir.Campaign) string {
		table := ResultsTable(GridOf(c))
		for i, h := range table.Columns {
			if h.Unit == "% of line rate" {
				return table.Rows[0][i].Text
			}
		}
		return "none"
	}
	field := func(c weir.Campaign) string {
		var b bytes.Buffer
		if err := CSVOf(&b, c); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.Index(lines[0], "line_rate_share"); i >= 0 {
			return lines[1][i]
		}
		return "none"
	}
	for _, l := range []struct {
		bits, ports float64
		name        string
	}{
		{100e6, 1, "100MbE"}, {1e9, 1, "1GbE"}, {2.5e9, 1, "2.5GbE"}, {5e9, 1, "5GbE"}, {10e9, 1, "10GbE"}, {25e9, 1, "25GbE"},
		{40e9, 1, "40GbE"}, {100e9, 1, "100GbE"}, {10e9, 2, "20.0 Gbit/s"},
	} {
		for _, size := range []float64{64, 1518} {
			c := onLink(l.bits, size, l.ports)
			if m, known := mediumFor(GridOf(c)); !known || m.name != l.name || math.Abs(m.bits-l.bits*l.ports) > 1 {
				t.Errorf("%v bit/s: the medium is %+v", l.bits, m)
			}
			if cell, text, share := column(c), field(c), JSONOf(c.Results[0]).LineShare; cell != "50.0" || text != "0.5" || share != .5 {
				t.Errorf("%v bit/s: half of it is %q %%, %q in CSV and %v in JSON", l.bits, cell, text, share)
			}
			c.Results[0].Figures = nil
			if cell, text, share := column(c), field(c), JSONOf(c.Results[0]).LineShare; cell != "none" || text != "none" || share != 0 {
				t.Errorf("no link: %q %%, %q in CSV and %v in JSON", cell, text, share)
			}
		}
	}
}

// A sweep's knee is a rate, too; the tester alone is none of the DUT.
func TestLineRateOfOthers(t *testing.T) {
	c := onLink(2.5e9, 64, 1)
	r := &c.Results[0]
	r.Method, r.LossRatio, r.Sweep, r.Lower, r.Upper = "sweep", .005, &weir.Sweep{Rounds: 3}, r.Value, r.Value
	table := SweptTable(GridOf(c))
	at := slices.IndexFunc(table.Columns, func(h document.Heading) bool { return h.Unit == "% of line rate" })
	if at < 0 || table.Rows[0][at].Text != "50.0" {
		t.Errorf("the table of sweeps is %+v", table)
	}
	if r.Method = "self-test"; result.LineShare(r) != 0 {
		t.Errorf("the tester alone has %v of its link", result.LineShare(r))
	}
}
