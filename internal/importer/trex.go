package importer

import (
	"encoding/json"
	"fmt"
	"math"

	"weir"
)

// trex is what TRex's stateless client leaves: the object of STLClient.get_stats
// as JSON, or what ndr_bench writes with --output json.
var trex = Format{
	Name: "trex", Summary: "JSON of TRex: the counters of STLClient.get_stats, or the results of ndr_bench",
	Recognise: func(f File) bool {
		return f.isJSON("opackets", "ipackets") || f.isJSON("results", "drop_rate_percentage")
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("trex", "packets/s over all ports that TRex received at one load, or sent at the highest load whose loss stayed within its limit", files, o)
		for _, f := range files {
			reports, err := objects[trexReport](f, &c)
			if err != nil {
				return weir.Campaign{}, err
			}
			for _, t := range reports {
				r, err := t.result()
				if err != nil {
					return weir.Campaign{}, fmt.Errorf("%s: %w", f.Path, err)
				}
				r.Factors = weir.Factors{set: armOf(f)}
				add(&c, armOf(f), r)
			}
		}
		note(&c, "the frame size was not said")
		began(&c, nil)
		finish(&c, set)
		return c, nil
	},
}

// trexReport is either of the two.
type trexReport struct {
	Total  trexPort    `json:"total"`
	Global trexPort    `json:"global"`
	NDR    *trexNDR    `json:"results"`
	Config *trexConfig `json:"config"`
}

// trexPort is what is taken of one port, of all of them, or of the program.
type trexPort struct {
	Sent     float64 `json:"opackets"`
	Received float64 `json:"ipackets"`
	SendRate float64 `json:"tx_pps"`
	Rate     float64 `json:"rx_pps"`
	Full     float64 `json:"queue_full"`
}

// trexNDR is what ndr_bench found.
type trexNDR struct {
	Title      string          `json:"title"`
	SendRate   float64         `json:"tx_pps"`
	Rate       float64         `json:"rx_pps"`
	Dropped    float64         `json:"drop_rate_percentage"`
	Queue      float64         `json:"queue_full_percentage"`
	Share      float64         `json:"rate_p"`
	Iterations json.RawMessage `json:"total_iterations"`
}

type trexConfig struct {
	Limit    float64 `json:"pdr"`       // percent
	Error    float64 `json:"pdr_error"` // percent of that
	Duration float64 `json:"iteration_duration"`
}

func (t trexReport) result() (weir.Result, error) {
	if t.NDR != nil {
		return t.ndr()
	}
	if t.Total.Sent == 0 {
		return weir.Result{}, fmt.Errorf("no packet was sent: total.opackets is missing or 0")
	}
	r := weir.Result{
		LossRatio: 1 - t.Total.Received/t.Total.Sent,
		Figures: []weir.Figure{
			{Name: weir.OfferedLoad, Value: t.Global.SendRate, Unit: "frames/s"},
			{Name: figureSent, Value: t.Total.Sent, Unit: "frames"}, {Name: figureReceived, Value: t.Total.Received, Unit: "frames"},
		},
	}
	if t.Total.Received < 0 || r.LossRatio < 0 {
		r.LossRatio = 0 // the counters have a warning of their own
	}
	if t.Global.Full > 0 {
		r.Warnings = append(r.Warnings, weir.Warn(weir.TesterLimited, "the queues of the generator were full %.0f times: it sent less than it was asked", t.Global.Full))
	}
	if t.Global.Rate == 0 { // the counters were read when all was over: rates are those of the last second
		r.Claim, r.Value, r.Figures = weir.PublishedAs("loss ratio"), r.LossRatio, r.Figures[1:]
		return r, nil
	}
	r.Claim, r.Value, r.Unit = weir.PublishedAs("forwarding rate at one load"), t.Global.Rate, "frames/s"
	return r, nil
}

// ndr is the result of a search for the highest load within a loss.
func (t trexReport) ndr() (weir.Result, error) {
	if t.NDR.SendRate == 0 || math.IsNaN(t.NDR.SendRate) {
		return weir.Result{}, fmt.Errorf("results.tx_pps, the load that was found, is missing or 0")
	}
	name := "highest load within a loss that was not said"
	r := weir.Result{Value: t.NDR.SendRate, Unit: "frames/s", LossRatio: t.NDR.Dropped / 100, Lower: t.NDR.SendRate}
	if t.Config != nil {
		name = fmt.Sprintf("PDR at %g %% loss", t.Config.Limit)
		if t.Config.Limit == 0 {
			name = "NDR"
		}
		if within := t.Config.Limit * (1 + t.Config.Error/100); t.NDR.Dropped > within && t.NDR.Dropped <= 100 {
			name = fmt.Sprintf("a load with a loss of %g %%, above the limit of %g %%", t.NDR.Dropped, t.Config.Limit)
		}
		// The program keeps twice of what it was asked for, and measures half of it.
		r.TrialSeconds = t.Config.Duration / 2
	}
	r.Claim = weir.PublishedAs(name)
	r.Figures = []weir.Figure{{Name: "received", Value: t.NDR.Rate, Unit: "frames/s"}, {Name: "share of the highest load", Value: t.NDR.Share / 100}}
	if t.NDR.Queue > 0 {
		r.Warnings = append(r.Warnings, weir.Warn(weir.TesterLimited, "the queues of the generator were full for %g %% of the packets", t.NDR.Queue))
	}
	return r, nil
}
