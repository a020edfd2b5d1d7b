package proof

import (
	"fmt"
	"math"
	"slices"

	"weir"
)

// referred has the rates of DUTs side by side in campaigns in terms of their
// references: an arm's rate of each build, times what the references of all campaigns
// forward on average over that of its own build. What the machine did differently on
// those days is in all of them. Those of the references themselves are left out. It
// returns the campaigns as they are, and false, where one has none.
func referred(cs []weir.Campaign) (terms []weir.Campaign, told string, ok bool) {
	var rates []map[build]float64
	var logs []float64
	forwarded := ""
	for i, c := range cs {
		of := referenceRates(c)
		if len(of) == 0 {
			return cs, "", false
		}
		rates, logs = append(rates, of), append(logs, meanLog(of))
		switch rate := math.Exp(meanLog(of)) / 1e3; i {
		case 0:
			forwarded = fmt.Sprintf("%.0f kpps in the first campaign", rate)
		case 1:
			forwarded += fmt.Sprintf(" and %.0f in the second", rate)
		default:
			forwarded += fmt.Sprintf(", %.0f in the %dth", rate, i+1)
		}
	}
	for i, c := range cs {
		terms = append(terms, inTermsOf(c, rates[i], math.Exp(mean(logs))))
	}
	told = fmt.Sprintf("rates of DUTs side by side are in terms of plain forwarding beside them (%s), which forwarded %s: what the machine did differently is in %s",
		cs[0].Manifest.Experiment.Reference, forwarded, map[bool]string{true: "both", false: "all"}[len(cs) == 2])
	return terms, told, true
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
		if r.Run.Arm == e.Reference && r.Value > 0 && doubtOfArm(&r) == "" {
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
