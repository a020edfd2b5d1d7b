package report

import (
	"encoding/json"
	"io"
	"math"
	"slices"

	"weir"
)

// jsonCampaign is a weir.Campaign for scripts: no field is null, and the drops
// of a ledger are an object. docs/result.schema.json describes it.
type jsonCampaign struct {
	weir.Campaign
	Results []jsonResult `json:"results"`
}

type jsonResult struct {
	weir.Result
	Ledger jsonLedger `json:"ledger"`
}

type jsonLedger struct {
	Offered     uint64            `json:"offered"`
	Received    uint64            `json:"received"`
	Drops       map[string]uint64 `json:"drops"` // by counter
	Unexplained int64             `json:"unexplained"`
}

func writeJSON(w io.Writer, c weir.Campaign) error {
	doc := jsonCampaign{Campaign: c, Results: make([]jsonResult, len(c.Results))}
	if c.Manifest.Settings == nil {
		doc.Manifest.Settings = []weir.Setting{}
	}
	if e := c.Manifest.Experiment; e != nil {
		whole := *e
		whole.Factors, whole.Arms = listed(e.Factors), listed(e.Arms)
		doc.Manifest.Experiment = &whole
	}
	for i, r := range c.Results {
		doc.Results[i] = jsonOf(r)
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(doc)
}

func jsonOf(r weir.Result) jsonResult {
	// JSON has no word for a figure that is not finite; 0 means unknown.
	figures := []*float64{&r.Value, &r.Lower, &r.Upper, &r.LossRatio, &r.ExceedRatio, &r.Width,
		&r.TrialSeconds, &r.SearchTime, &r.CPUPerFrame, &r.CPUShare, &r.MeanSize}
	r.Rates = slices.Clone(r.Rates)
	for i := range r.Rates {
		figures = append(figures, &r.Rates[i])
	}
	r.Figures = slices.Clone(r.Figures)
	for i := range r.Figures {
		figures = append(figures, &r.Figures[i].Value)
	}
	for _, v := range figures {
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			*v = 0
		}
	}
	if r.Warnings == nil {
		r.Warnings = []weir.Warning{}
	}
	if r.Factors == nil {
		r.Factors = weir.Factors{}
	}
	l := jsonLedger{Offered: r.Ledger.Offered, Received: r.Ledger.Received, Drops: make(map[string]uint64), Unexplained: r.Ledger.Unexplained}
	for _, d := range r.Ledger.Drops {
		l.Drops[d.Place] += d.Count
	}
	return jsonResult{Result: r, Ledger: l}
}
