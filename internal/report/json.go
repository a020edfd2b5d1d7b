package report

import (
	"encoding/json"
	"io"

	"weir"
	"weir/internal/figures"
)

// jsonCampaign is a weir.Campaign for scripts: no field is null, and the drops
// of a ledger are an object. docs/result.schema.json describes it.
type jsonCampaign struct {
	weir.Campaign
	Results     []figures.JSONResult `json:"results"`
	Comparisons []jsonCompared       `json:"comparisons,omitzero"` // nil: it is no experiment
	Trials      []figures.JSONTrial  `json:"trials,omitzero"`      // nil: they were not asked for
}

func writeJSON(w io.Writer, c weir.Campaign, o Options) error {
	doc := jsonCampaign{Campaign: c, Results: make([]figures.JSONResult, len(c.Results))}
	if c.Manifest.Settings == nil {
		doc.Manifest.Settings = []weir.Setting{}
	}
	if e := c.Manifest.Experiment; e != nil {
		whole := *e
		whole.Factors, whole.Arms = listed(e.Factors), listed(e.Arms)
		doc.Manifest.Experiment = &whole
	}
	said := figures.ResultReadings(c)
	for i, r := range c.Results {
		doc.Results[i] = figures.JSONOf(r)
		doc.Results[i].Readings = said[i]
	}
	doc.Comparisons = comparisonsOf(c)
	if o.Trials {
		doc.Trials = []figures.JSONTrial{}
		for _, t := range c.Trials {
			doc.Trials = append(doc.Trials, figures.JSONTrialOf(t))
		}
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(doc)
}
