package importer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"weir"
)

// csit is the info output of FD.io's CSIT, model 1: one object for each test.
var csit = Format{
	Name: "csit", Summary: "results of FD.io's CSIT, model 1 (*.info.json): each test is a run",
	Recognise: func(f File) bool {
		return f.isJSON("dut_type") && (f.isJSON("dut_version") || f.isJSON("test_id"))
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("csit", "packets/s of both directions together: NDR and PDR are lower bounds of a search (MLRsearch), MRR is what came through at line rate", files, o)
		var times []time.Time
		for _, f := range files {
			tests, err := objects[csitTest](f, &c)
			if err != nil {
				return weir.Campaign{}, err
			}
			for _, t := range tests {
				if t.Passed != nil && !*t.Passed {
					note(&c, "%s was left out: the test failed (%s)", f.base(), shortened(t.Message))
					continue
				}
				results, err := t.results()
				if err != nil {
					return weir.Campaign{}, fmt.Errorf("%s: %w", f.Path, err)
				}
				for i := range results {
					judge(&results[i], t.medium(results[i]))
				}
				add(&c, t.name(), results...)
				times = append(times, t.Began)
			}
		}
		if len(c.Results) == 0 {
			return weir.Campaign{}, fmt.Errorf("%s: none of the tests passed, so that there is no result", files[0].Path)
		}
		note(&c, "frames that the generator did not send count as lost; how long the trials were was not said")
		began(&c, times)
		finish(&c, "version", "test")
		return c, nil
	},
}

// csitTest is what is taken of one object.
type csitTest struct {
	Model   string     `json:"version"`
	Began   time.Time  `json:"start_time"`
	Ended   time.Time  `json:"end_time"`
	Passed  *bool      `json:"passed"`
	Message string     `json:"message"`
	Kind    string     `json:"dut_type"`
	Version string     `json:"dut_version"`
	ID      string     `json:"test_id"`
	Long    string     `json:"test_name_long"`
	Result  csitResult `json:"result"`
}

type csitResult struct {
	Type     string `json:"type"`
	NDR      csitBounds
	PDR      csitBounds
	Critical csitBounds `json:"critical_rate"`
	Receive  struct {
		Rate struct {
			Values []float64
			Avg    float64
			StDev  float64
			Unit   string
		}
	} `json:"receive_rate"`
	Lost     float64  `json:"packet_loss"`
	LostTime float64  `json:"time_loss"`
	Load     csitRate `json:"packet_rate"`
}

type csitBounds struct{ Lower, Upper csitRate }

type csitRate struct {
	Rate struct {
		Value float64
		Unit  string
	}
}

// The goals of the searches (CSIT's model).
const (
	pdrRatio  = 0.005
	soakRatio = 1e-7
)

// results are those of one test.
func (t csitTest) results() ([]weir.Result, error) {
	r := t.Result
	switch {
	case t.Model != "" && !strings.HasPrefix(t.Model, "1."):
		return nil, fmt.Errorf("the model is %s, and weir knows 1", t.Model)
	case r.Type == "ndrpdr":
		return []weir.Result{t.bounds("NDR, MLRsearch", r.NDR, 0), t.bounds("PDR, MLRsearch", r.PDR, pdrRatio)}, nil
	case r.Type == "soak":
		return []weir.Result{t.bounds("critical rate, PLRsearch", r.Critical, soakRatio)}, nil
	case r.Type == "mrr":
		m := r.Receive.Rate
		one := t.result("MRR", m.Avg, m.Unit)
		one.Trials = len(m.Values)
		one.Figures = []weir.Figure{{Name: "deviation of its trials", Value: m.StDev, Unit: one.Unit}}
		return []weir.Result{one}, nil
	case r.Type == "reconf":
		one := t.result("time lost in a reconfiguration", r.LostTime, "s")
		one.Figures = []weir.Figure{{Name: weir.OfferedLoad, Value: r.Load.Rate.Value, Unit: csitUnit(r.Load.Rate.Unit)}, {Name: "frames lost", Value: r.Lost, Unit: "frames"}}
		return []weir.Result{one}, nil
	}
	return nil, fmt.Errorf("a result of type %q holds no rate that weir knows: it knows ndrpdr, mrr, soak and reconf", r.Type)
}

// bounds is the result of a search: the number is its lower bound, as CSIT
// reports it.
func (t csitTest) bounds(name string, b csitBounds, loss float64) weir.Result {
	r := t.result(name, b.Lower.Rate.Value, b.Lower.Rate.Unit)
	r.Lower, r.Upper, r.LossRatio = b.Lower.Rate.Value, b.Upper.Rate.Value, loss
	return r
}

func (t csitTest) result(name string, value float64, unit string) weir.Result {
	f := weir.Factors{"test": t.name(), "dut": t.Kind, "version": t.Version}
	r := weir.Result{Claim: weir.PublishedAs(name), Value: value, Unit: csitUnit(unit), Factors: f}
	if m := csitSize.FindStringSubmatch(t.Long); m != nil {
		f["frame_size"] = strings.ToLower(m[1])
		if size, err := strconv.Atoi(m[1]); err == nil {
			f["frame_size"], r.MeanSize = size, float64(size)
		}
	}
	return r
}

// csitPorts finds the speed and the number of the ports in the name of a test: 10ge2p1x710.
var csitPorts = regexp.MustCompile(`(?i)(?:^|-)(\d+)ge(\d)p`)

// Octets around a frame on Ethernet: preamble, start delimiter and gap.
const aroundFrame = 20

// medium is what the ports that the name of a test has can carry together, and whether the
// test's time runs backwards.
func (t csitTest) medium(r weir.Result) (f facts) {
	if !t.Ended.IsZero() && t.Ended.Before(t.Began) {
		f.backwards = fmt.Sprintf("it began at %s and ended at %s", t.Began.Format(time.RFC3339), t.Ended.Format(time.RFC3339))
	}
	m := csitPorts.FindStringSubmatch(t.Long)
	if m == nil || r.Unit != "frames/s" || r.MeanSize == 0 {
		return f
	}
	speed, err := strconv.Atoi(m[1])
	ports, also := strconv.Atoi(m[2])
	if err == nil && also == nil {
		f.medium = float64(ports) * float64(speed) * 1e9 / (8 * (r.MeanSize + aroundFrame))
		f.carrier = fmt.Sprintf("%d ports of %d Gbit/s", ports, speed)
	}
	return f
}

// csitSize finds the frame size in NIC-SIZE-CORES-SUITE: 64b, 9000b or imix.
var csitSize = regexp.MustCompile(`(?i)-(\d+|imix)b?-`)

// name is that of the test, without the suite where there is a short one.
func (t csitTest) name() string {
	if t.Long != "" {
		return t.Long
	}
	return t.ID
}

func csitUnit(unit string) string {
	switch unit {
	case "pps":
		return "frames/s"
	case "cps":
		return "connections/s"
	}
	return unit
}
