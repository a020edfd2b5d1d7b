package importer

import (
	"fmt"
	"strings"

	"weir"
)

// csitOld is the output of CSIT before its model 1.
var csitOld = Format{
	Name: "csit-0", Summary: "results of FD.io's CSIT, model 0: each test is a run",
	Recognise: func(f File) bool { return f.isJSON("test-id", "test-type", "results") },
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("csit-0", "packets/s or connections/s of both directions together: NDR and PDR are lower bounds of a search (MLRsearch), MRR is what came through at line rate", files, o)
		for _, f := range files {
			tests, err := objects[csitOldTest](f, &c)
			if err != nil {
				return weir.Campaign{}, err
			}
			for _, t := range tests {
				if s := t.Test.Execution.Status; s != "" && s != "PASS" {
					note(&c, "%s was left out: its status is %s", t.Test.ID, shortened(s))
					continue
				}
				results := t.results()
				if len(results) == 0 {
					return weir.Campaign{}, fmt.Errorf("%s: a result of type %q holds no rate that weir knows: it knows NDRPDR, MRR and SOAK", f.Path, shortened(t.Test.Type))
				}
				add(&c, t.Test.ID, results...)
			}
		}
		if len(c.Results) == 0 {
			return weir.Campaign{}, fmt.Errorf("%s: none of the tests passed, so that there is no result", files[0].Path)
		}
		note(&c, "frames that the generator did not send count as lost; how long the trials were was not said")
		began(&c, nil)
		finish(&c, "version", "test")
		return c, nil
	},
}

// csitOldTest is what is taken of one object.
type csitOldTest struct {
	Test struct {
		ID        string `json:"test-id"`
		Type      string `json:"test-type"`
		Execution struct{ Status string }
		Results   struct {
			Throughput csitOldRates
			Critical   csitOldBounds `json:"critical-rate"`
		}
	}
	Meta struct {
		Version string `json:"sut-version"`
	} `json:"metadata"`
}

type csitOldRates struct {
	Unit string
	NDR  csitOldBounds
	PDR  csitOldBounds
	MRR  struct{ Average, Avg, Value float64 } `json:"receive-rate"`
}

type csitOldBounds struct {
	Value struct{ Lower, Upper float64 }
}

// results are those of one test.
func (t csitOldTest) results() (out []weir.Result) {
	rates := t.Test.Results.Throughput
	r := csitTest{Long: t.Test.ID, Kind: "csit", Version: t.Meta.Version, ID: t.Test.ID}
	enter := func(name string, b csitOldBounds, loss float64) {
		if b.Value.Lower == 0 && b.Value.Upper == 0 {
			return
		}
		one := r.result(name, b.Value.Lower, strings.TrimSpace(rates.Unit))
		one.Lower, one.Upper, one.LossRatio = b.Value.Lower, b.Value.Upper, loss
		judge(&one, r.medium(one))
		out = append(out, one)
	}
	enter("NDR, MLRsearch", rates.NDR, 0)
	enter("PDR, MLRsearch", rates.PDR, pdrRatio)
	enter("critical rate, PLRsearch", t.Test.Results.Critical, soakRatio)
	if m := rates.MRR; m.Average+m.Avg+m.Value > 0 {
		one := r.result("MRR", max(m.Average, m.Avg, m.Value), rates.Unit)
		judge(&one, r.medium(one))
		out = append(out, one)
	}
	return out
}
