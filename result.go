package weir

import "time"

// Factors are the levels at which a result was measured, by factor:
// "frame_size" is there always.
type Factors map[string]any

// Result is what one method found at one combination of levels.
type Result struct {
	Method       string        `json:"method"`
	Claim        Claim         `json:"claim"`
	Simulated    bool          `json:"simulated"`
	Factors      Factors       `json:"factors"`
	Value        float64       `json:"value"`
	Unit         string        `json:"unit"`  // "frames/s" or "s"
	Lower        float64       `json:"lower"` // highest load that met the goal
	Upper        float64       `json:"upper"` // lowest load that did not
	LossRatio    float64       `json:"loss_ratio"`
	ExceedRatio  float64       `json:"exceed_ratio"` // share of the trials at one load that may miss the goal
	Width        float64       `json:"width"`        // relative, that the search was asked for
	TrialSeconds float64       `json:"trial_seconds"`
	Trials       int           `json:"trials"`
	SearchTime   float64       `json:"search_seconds"` // sum of all trial durations spent
	Latency      *Latency      `json:"latency_seconds,omitempty"`
	CPUPerFrame  float64       `json:"dut_cpu_seconds_per_frame"`
	CPUShare     float64       `json:"dut_cpu_share"` // of the DUT's CPUs, 0 to 1, at the load of the result
	MeanSize     float64       `json:"mean_frame_size"`
	Warnings     []Warning     `json:"warnings"`
	Ledger       Ledger        `json:"ledger"`
	Took         time.Duration `json:"-"`
}
