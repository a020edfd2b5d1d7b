package report

import (
	"encoding/json"
	"io"
	"slices"

	"weir"
	"weir/internal/figures"
	"weir/internal/method"
	"weir/internal/proof"
	"weir/stats"
)

// jsonCampaign is a weir.Campaign for scripts: no field is null, and the drops
// of a ledger are an object. docs/result.schema.json describes it.
type jsonCampaign struct {
	weir.Campaign
	Results     []figures.JSONResult `json:"results"`
	Comparisons []Difference         `json:"comparisons,omitzero"` // nil: it is no experiment
	Trials      []figures.JSONTrial  `json:"trials,omitzero"`      // nil: they were not asked for
}

func writeJSON(w io.Writer, c weir.Campaign, o Options) error {
	doc := jsonCampaign{Campaign: c, Results: make([]figures.JSONResult, len(c.Results))}
	if c.Manifest.Settings == nil {
		doc.Manifest.Settings = []weir.Setting{}
	}
	if e := c.Manifest.Experiment; e != nil {
		experiment := *e
		experiment.Factors, experiment.Arms = listed(e.Factors), listed(e.Arms)
		doc.Manifest.Experiment = &experiment
	}
	readings := figures.ResultReadings(c)
	for i, r := range c.Results {
		doc.Results[i] = figures.JSONOf(r)
		doc.Results[i].Readings = readings[i]
	}
	doc.Comparisons = Differences(c)
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

// Difference is one difference that an experiment looked at: an arm against the baseline, or the
// baseline against itself. Changes are shares of the baseline's value; one that is not known is
// absent.
type Difference struct {
	Secondary bool          `json:"-"`      // it is one of another figure than the value that was looked for
	Metric    string        `json:"metric"` // what was compared: the method's name, "knee" of a sweep, or a metric other than the value
	Method    string        `json:"method"`
	LossRatio float64       `json:"loss_ratio"` // that the method's goal allows
	Unit      string        `json:"unit"`
	By        string        `json:"by,omitempty"` // the factor that an imported campaign is looked at along
	Factors   weir.Factors  `json:"factors"`      // that both sides share
	Baseline  string        `json:"baseline"`
	Arm       string        `json:"arm"`
	Again     bool          `json:"again"` // the baseline against itself (A/A)
	Effect    *float64      `json:"effect,omitempty"`
	Lower     *float64      `json:"lower,omitempty"`
	Upper     *float64      `json:"upper,omitempty"`
	Verdict   stats.Verdict `json:"verdict"`
	Runs      int           `json:"runs"`           // that count, of the side that has fewer
	Veto      string        `json:"veto,omitempty"` // why there is no verdict
}

// Differences returns those of an experiment; nil of a campaign that is none.
func Differences(c weir.Campaign) []Difference {
	if c.Manifest.Experiment == nil && c.Manifest.Imported == nil {
		return nil
	}
	out := []Difference{}
	_, c = splitRuns(figures.WithTransfers(c))
	for _, s := range studiesOf(c) {
		for _, v := range s.Comparisons {
			if len(s.noise()) == 0 || v.Same != nil {
				out = append(out, s.comparedOf(v)...)
			}
		}
	}
	return out
}

func (s study) comparedOf(c proof.Comparison) []Difference {
	one := Difference{Secondary: c.Figure != "", Metric: metric(c), Method: c.Method, LossRatio: c.LossRatio, Unit: c.Unit, By: s.by, Factors: c.Factors, Baseline: c.Baseline}
	if one.Factors == nil {
		one.Factors = weir.Factors{}
	}
	if len(c.Vetoes) > 0 {
		one.Veto = texts(c.Vetoes)
	}
	var out []Difference
	add := func(e stats.Effect, again bool) {
		v := one
		v.Arm, v.Again, v.Verdict = e.Arm, again, e.Verdict
		if again {
			v.Arm = c.Baseline
		}
		v.Effect, v.Lower, v.Upper = known64(e.Change.Estimate), known64(e.Change.Lower), known64(e.Change.Upper)
		if e.AtLeast {
			v.Upper = nil
		}
		if e.AtMost {
			v.Lower = nil
		}
		v.Runs = min(counted(c, c.Baseline), counted(c, e.Arm))
		if v.Verdict != stats.Vetoed {
			v.Veto = ""
		}
		out = append(out, v)
	}
	if c.Same != nil {
		add(*c.Same, true)
	}
	for _, e := range c.Effects {
		add(e, false)
	}
	for _, arm := range s.Experiment.Arms { // of which nothing could be compared
		if arm == c.Baseline || slices.ContainsFunc(c.Effects, func(e stats.Effect) bool { return e.Arm == arm }) {
			continue
		}
		v := one
		v.Arm, v.Verdict = arm, stats.Vetoed
		if v.Veto == "" {
			v.Veto = "no run of it found anything that could be compared"
		}
		out = append(out, v)
	}
	return out
}

// metric names what is compared.
func metric(c proof.Comparison) string {
	switch {
	case c.Figure != "":
		return c.Figure
	case method.KindOf(c.Method) == method.Knee:
		return "knee"
	}
	return c.Method
}
