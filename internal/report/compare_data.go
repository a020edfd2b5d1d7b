package report

import (
	"encoding/csv"
	"encoding/json"
	"io"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/stats"
)

// compareCSV writes a row for each effect, A/A included, in base units; changes
// are relative. What is not known is empty.
func compareCSV(w io.Writer, all []study, _ Compared) error {
	out := csv.NewWriter(w)
	for i, s := range all {
		var list []effectRow
		for _, c := range s.Comparisons {
			if c.Same != nil {
				list = append(list, effectRow{c, *c.Same})
			}
			list = append(list, effectsOf([]proof.Comparison{c})...)
		}
		rows := document.Records(s.verdictColumns(s.Comparisons), list)
		if i > 0 {
			rows = rows[1:]
		}
		out.WriteAll(rows)
	}
	return out.Error()
}

// written64 is a number for a program; empty where it is not finite.
func written64(v float64) string {
	if !figures.Finite(v) {
		return ""
	}
	return figures.Exact(v)
}

// jsonProof is a proof.Proof for scripts: no field is null but a number that is
// not finite.
type jsonProof struct {
	Answer      string           `json:"answer"`
	Experiment  weir.Experiment  `json:"experiment"`
	Vetoes      []weir.Warning   `json:"vetoes"`
	Comparisons []jsonComparison `json:"comparisons"`
	Effects     []jsonEffects    `json:"effects"`
	Differences []jsonDifference `json:"manifest_differences"`
}

type jsonComparison struct {
	Method    string         `json:"method"`
	Claim     string         `json:"claim"`
	LossRatio float64        `json:"loss_ratio"`
	Figure    string         `json:"figure"`
	Unit      string         `json:"unit"`
	Traffic   string         `json:"traffic"`
	Factors   weir.Factors   `json:"factors"`
	Baseline  string         `json:"baseline"`
	Blocks    int            `json:"blocks"`
	LeftOut   int            `json:"left_out"`
	Deviation *float64       `json:"deviation"`
	Drift     jsonInterval   `json:"drift"`
	Stretch   *stats.Stretch `json:"stretch,omitempty"`
	Arms      []jsonArm      `json:"arms"`
	Effects   []jsonEffect   `json:"effects"`
	Same      *jsonEffect    `json:"same,omitempty"`
	Vetoes    []weir.Warning `json:"vetoes"`
	Warnings  []weir.Warning `json:"warnings"`
	Runs      []jsonRun      `json:"runs"`
}

type jsonArm struct {
	Arm       string       `json:"arm"`
	N         int          `json:"n"`
	Min       *float64     `json:"min"`
	Max       *float64     `json:"max"`
	Median    *float64     `json:"median"`
	Mean      *float64     `json:"mean"`
	Deviation *float64     `json:"deviation"`
	Interval  jsonInterval `json:"interval"`
}

type jsonEffect struct {
	Arm      string        `json:"arm"`
	Change   jsonInterval  `json:"change"`
	P        *float64      `json:"p"`
	Adjusted *float64      `json:"p_holm"`
	RankP    *float64      `json:"p_rank"`
	Welch    jsonInterval  `json:"welch"`
	Verdict  stats.Verdict `json:"verdict"`
	More     int           `json:"more_runs"`
}

type jsonInterval struct {
	Estimate *float64 `json:"estimate"`
	Lower    *float64 `json:"lower"`
	Upper    *float64 `json:"upper"`
}

type jsonRun struct {
	weir.Run
	Value *float64 `json:"value"`
	Doubt string   `json:"doubt"`
}

type jsonEffects struct {
	Method    string     `json:"method"`
	LossRatio float64    `json:"loss_ratio"`
	Unit      string     `json:"unit"`
	Terms     []jsonTerm `json:"terms"`
}

type jsonTerm struct {
	Factors []string     `json:"factors"`
	Levels  []string     `json:"levels"`
	Change  jsonInterval `json:"change"`
	P       *float64     `json:"p"`
}

type jsonDifference struct {
	Where  string `json:"where"`
	Name   string `json:"name"`
	First  string `json:"first"`
	Second string `json:"second"`

	Further []string `json:"further,omitempty"` // of a third campaign, and more
}

// compareJSON writes an object; of several views one that has them by their factors.
func compareJSON(w io.Writer, all []study, of Compared) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if len(all) == 1 {
		return out.Encode(jsonProofOf(all[0], of))
	}
	by := map[string]jsonProof{}
	for _, s := range all {
		by[s.by] = jsonProofOf(s, Compared{})
	}
	return out.Encode(map[string]any{"factors": by})
}

func jsonProofOf(s study, of Compared) jsonProof {
	doc := jsonProof{Answer: s.answer(), Experiment: s.Experiment, Vetoes: listed(s.Vetoes), Comparisons: []jsonComparison{}, Effects: []jsonEffects{}, Differences: []jsonDifference{}}
	doc.Experiment.Factors, doc.Experiment.Arms = listed(s.Experiment.Factors), listed(s.Experiment.Arms)
	for _, c := range s.Comparisons {
		doc.Comparisons = append(doc.Comparisons, jsonComparisonOf(c))
	}
	for _, e := range s.Effects {
		out := jsonEffects{Method: e.Method, LossRatio: e.LossRatio, Unit: e.Unit, Terms: []jsonTerm{}}
		for _, t := range e.Terms {
			out.Terms = append(out.Terms, jsonTerm{listed(t.Factors), listed(t.Levels), jsonIntervalOf(t.Change), known64(t.P)})
		}
		doc.Effects = append(doc.Effects, out)
	}
	for _, d := range manifestDifferences(of.Manifests) {
		doc.Differences = append(doc.Differences, jsonDifference{d.Where, d.Name, d.Values[0], d.Values[1], d.Values[2:]})
	}
	return doc
}

func jsonComparisonOf(c proof.Comparison) jsonComparison {
	out := jsonComparison{Method: c.Method, Claim: c.Claim, LossRatio: c.LossRatio, Figure: c.Figure, Unit: c.Unit, Traffic: c.Traffic, Factors: c.Factors,
		Baseline: c.Baseline, Blocks: c.Blocks, LeftOut: c.LeftOut, Deviation: known64(c.Deviation), Drift: jsonIntervalOf(c.Drift), Stretch: c.Stretch,
		Arms: []jsonArm{}, Effects: []jsonEffect{}, Vetoes: listed(c.Vetoes), Warnings: listed(c.Warnings), Runs: []jsonRun{}}
	if out.Factors == nil {
		out.Factors = weir.Factors{}
	}
	for _, a := range c.Arms {
		out.Arms = append(out.Arms, jsonArm{a.Arm, a.N, known64(a.Min), known64(a.Max), known64(a.Median), known64(a.Mean), known64(a.Deviation), jsonIntervalOf(a.Interval)})
	}
	for _, e := range c.Effects {
		out.Effects = append(out.Effects, jsonEffectOf(e))
	}
	if c.Same != nil {
		e := jsonEffectOf(*c.Same)
		out.Same = &e
	}
	for _, r := range c.Runs {
		out.Runs = append(out.Runs, jsonRun{r.Run, known64(r.Value), r.Doubt})
	}
	return out
}

func jsonEffectOf(e stats.Effect) jsonEffect {
	return jsonEffect{e.Arm, jsonIntervalOf(e.Change), known64(e.P), known64(e.Adjusted), known64(e.RankP), jsonIntervalOf(e.Welch), e.Verdict, e.More}
}

func jsonIntervalOf(i stats.Interval) jsonInterval {
	return jsonInterval{known64(i.Estimate), known64(i.Lower), known64(i.Upper)}
}

// known64 is a number; nil where it is not finite, for which JSON has no word.
func known64(v float64) *float64 {
	if !figures.Finite(v) {
		return nil
	}
	return &v
}

// listed is a list that is never null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
