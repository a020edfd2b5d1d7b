package proof

import (
	"fmt"
	"math"
	"slices"

	"weir"
)

// referred has the rates of DUTs side by side in two campaigns in terms of their
// references: an arm's rate of each build, times what the references of both
// campaigns forward on average over that of its own build. What the machine did
// differently on the two days is in both. Those of the references themselves are left
// out. It returns the campaigns as they are, and false, where one has none.
func referred(a, b weir.Campaign) (x, y weir.Campaign, told string, ok bool) {
	ra, rb := referenceRates(a), referenceRates(b)
	if len(ra) == 0 || len(rb) == 0 {
		return a, b, "", false
	}
	level := math.Exp((meanLog(ra) + meanLog(rb)) / 2)
	told = fmt.Sprintf("rates of DUTs side by side are in terms of plain forwarding beside them (%s), which forwarded %.0f kpps in the first campaign and %.0f in the second: what the machine did differently is in both",
		a.Manifest.Experiment.Reference, math.Exp(meanLog(ra))/1e3, math.Exp(meanLog(rb))/1e3)
	return inTermsOf(a, ra, level), inTermsOf(b, rb, level), told, true
}

// build is one method in one block.
type build struct {
	method string
	block  int
}

// referenceRates are what the reference of a campaign forwarded in each build that
// counts.
func referenceRates(c weir.Campaign) map[build]float64 {
	e := c.Manifest.Experiment
	if e == nil || e.Reference == "" || e.Schedule != weir.Abreast {
		return nil
	}
	logs := map[build][]float64{}
	for _, r := range c.Results {
		if r.Run.Arm == e.Reference && r.Value > 0 && doubtBeside(&r) == "" {
			k := build{r.Method, r.Run.Block}
			logs[k] = append(logs[k], math.Log(r.Value))
		}
	}
	out := map[build]float64{}
	for k, all := range logs {
		out[k] = math.Exp(mean(all))
	}
	return out
}

func meanLog(rates map[build]float64) float64 {
	var logs []float64
	for _, r := range rates {
		logs = append(logs, math.Log(r))
	}
	slices.Sort(logs) // so that the sum is the same each time
	return mean(logs)
}

func mean(values []float64) float64 {
	sum := 0.
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// inTermsOf is a campaign whose rates of DUTs side by side are as if its reference had
// forwarded so much in each build.
func inTermsOf(c weir.Campaign, reference map[build]float64, level float64) weir.Campaign {
	c.Results = slices.DeleteFunc(slices.Clone(c.Results), func(r weir.Result) bool {
		return r.Run.Number > 0 && r.Run.Arm == c.Manifest.Experiment.Reference
	})
	for i := range c.Results {
		r := &c.Results[i]
		if r.Run.Number == 0 {
			continue
		}
		if rate := reference[build{r.Method, r.Run.Block}]; rate > 0 {
			r.Value *= level / rate
		} else {
			r.Value, r.Unmeasured = 0, "plain forwarding beside it found nothing that counts"
		}
	}
	return c
}
