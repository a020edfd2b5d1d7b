package weir

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Factors are the levels at which a result was measured, by factor:
// "frame_size" is there always.
type Factors map[string]any

// Result is what one method found at one combination of levels.
type Result struct {
	Method       string        `json:"method"`
	Claim        Claim         `json:"claim"`
	Simulated    bool          `json:"simulated"`
	Factors      Factors       `json:"factors"`
	Run          Run           `json:"run,omitzero"`
	Value        float64       `json:"value"`
	Unit         string        `json:"unit"`  // "frames/s", "bit/s", "transactions/s", "connections/s", "sessions/s", "s", "frames", or "" for a ratio
	Lower        float64       `json:"lower"` // highest load that met the goal
	Upper        float64       `json:"upper"` // lowest load that did not
	LossRatio    float64       `json:"loss_ratio"`
	ExceedRatio  float64       `json:"exceed_ratio"` // share of the trials at one load that may miss the goal
	Width        float64       `json:"width"`        // relative, that the search was asked for
	TrialSeconds float64       `json:"trial_seconds"`
	Trials       int           `json:"trials"`
	SearchTime   float64       `json:"search_seconds"`               // sum of all trial durations spent, of Trials likewise in all rounds
	Latency      *Latency      `json:"latency_seconds,omitempty"`    // one way, but for end hosts
	RoundTrip    *Latency      `json:"round_trip_seconds,omitempty"` // of test frames, where sender and receiver have no common clock; nil: not known
	CPUPerFrame  float64       `json:"dut_cpu_seconds_per_frame"`
	CPUShare     float64       `json:"dut_cpu_share"` // of the DUT's CPUs, 0 to 1, at the load of the result
	MeanSize     float64       `json:"mean_frame_size"`
	Warnings     []Warning     `json:"warnings"`
	Ledger       Ledger        `json:"ledger"`
	Took         time.Duration `json:"-"`

	Sum        float64   `json:"duration_sum_seconds,omitempty"` // of an MLRsearch goal (RFC 9971 section 4.6)
	Irregular  bool      `json:"irregular,omitempty"`            // an MLRsearch goal that has no lower bound, or no upper one
	Finding    *Finding  `json:"finding,omitempty"`              // a loss that the load does not cause, in place of a rate; nil: none was found
	Limit      *Limit    `json:"limit,omitempty"`                // what keeps the DUT from more; nil: nobody looked
	Verdict    string    `json:"verdict,omitempty"`              // in a word or two: "graceful", "degrading", "livelock"
	Figures    []Figure  `json:"figures,omitempty"`              // what else was found, in order
	Curve      []Point   `json:"curve,omitempty"`                // in the order of measuring
	Basis      *Basis    `json:"basis,omitempty"`                // the throughput that its load is a share of; nil: of none
	Machine    *Machine  `json:"machine,omitempty"`              // what disturbed its trials; nil: not known
	Transfer   *Transfer `json:"transfer,omitempty"`             // what end hosts did; nil: test frames were sent
	Rates      []float64 `json:"rates,omitempty"`                // of its transfer, in bit/s: the whole seconds that count, one after the other, on the link to the receiving end (Transferred.Rates has all)
	Server     Side      `json:"server,omitempty"`               // which side of its transfer the server was
	Unmeasured string    `json:"unmeasured,omitempty"`           // why there is no value: "netperf is not installed ..."; "": there is
	BrokeOff   string    `json:"broke_off,omitempty"`            // what the program of its transfer said when it ended early, which is why there is no value; "": it did not
	Round      int       `json:"round,omitempty"`                // of a campaign that goes round, from 1: it replaces those of the rounds before, with what these found; 0: there are no rounds
	First      int       `json:"first_trial"`                    // number of its first trial, of a campaign that goes round in this round; 0: of none
	Last       int       `json:"last_trial"`                     // number of its last trial

	*Sweep // of a sweep, and of an overload; nil: there was none
}

// Latest are the results without those that one of a later round has replaced,
// in their order.
func Latest(results []Result) []Result {
	newest := make(map[string]int)
	key := func(r Result) string {
		levels, _ := json.Marshal(r.Factors)
		return fmt.Sprint(r.Method, r.Run.Number, r.LossRatio, string(levels))
	}
	for i := range results {
		if results[i].Round > 0 {
			newest[key(results[i])] = i
		}
	}
	if len(newest) == 0 {
		return slices.Clone(results)
	}
	var out []Result
	for i, r := range results {
		if r.Round == 0 || newest[key(r)] == i {
			out = append(out, r)
		}
	}
	return out
}

// Machine is what the machine did beside the trials of a result, as shares of the
// time of all its CPUs, 0 to 1.
type Machine struct {
	Stolen float64 `json:"stolen"` // by the hypervisor, for others
	Busy   float64 `json:"busy"`   // with processes that are not part of the trials
}

// Basis is the throughput that the load of another result is a share of.
type Basis struct {
	Claim string `json:"claim"`           // the name that it has earned
	Unfit string `json:"unfit,omitempty"` // why it is not the fastest rate without loss: "its search had not ended"; "": it is
}

// Figure is a number that a method found beside its value.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // "frames/s", "s", "frames", "octets", "prefixes/s", or "" for a ratio
}

// Figure is the value of the figure with that name; false when there is none.
func (r Result) Figure(name string) (float64, bool) {
	for _, f := range r.Figures {
		if f.Name == name {
			return f.Value, true
		}
	}
	return 0, false
}

// Point is one load of a curve.
type Point struct {
	Trial     int     `json:"trial"`            // its number
	Branch    string  `json:"branch"`           // "up" or "down": which way the load went
	Intended  float64 `json:"intended"`         // frames/s over all ports; 0 for the maximum
	Offered   float64 `json:"offered"`          // frames/s over all ports
	Forwarded float64 `json:"forwarded"`        // frames/s over all ports
	LossRatio float64 `json:"loss_ratio"`       // of what was offered
	Unsent    float64 `json:"unsent,omitempty"` // share of the intended frames that the tester did not send
	CPUShare  float64 `json:"dut_cpu_share"`    // of the DUT's CPUs, 0 to 1; this and the next are 0 of a load that had windows alone
	IdleShare float64 `json:"dut_idle_share"`   // of the DUT's CPUs that other work could have, 0 to 1
	Drops     []Drop  `json:"drops,omitempty"`
	Probe     *Probe  `json:"probe,omitempty"`

	*WindowPoint // of a sweep, or of an overload; nil: it is one trial
}
