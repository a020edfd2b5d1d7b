package weir

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Setting is one line of a manifest.
type Setting struct {
	Where string `json:"where"` // "host", "dut", "tester", or a device
	Name  string `json:"name"`
	Value string `json:"value"`
	Brief string `json:"brief,omitempty"` // the value in a clause, of what was seen of a machine before the start (BeforeStart)
}

// NoDUT is the platform of a campaign without a DUT: its end hosts are on one cable.
const NoDUT = "none"

// BeforeStart ends the Setting.Name of what was seen of a machine before a campaign.
const BeforeStart = " before the start"

// Manifest is the environment of a campaign: whatever a reader needs to know
// before comparing a number with another.
type Manifest struct {
	Weir      string    `json:"weir"` // version
	Started   time.Time `json:"started"`
	Kernel    string    `json:"kernel"`
	CPUModel  string    `json:"cpu_model"`
	CPUs      int       `json:"cpus"`
	Testbed   string    `json:"testbed"`  // kind
	Platform  string    `json:"platform"` // of the DUT, or NoDUT
	Backend   string    `json:"backend"`  // tester
	Simulated bool      `json:"simulated"`
	Seed      uint64    `json:"seed"`
	// Ceiling is what the tester alone could send and receive, in frames/s by
	// frame size or mix, measured without the DUT before the first trial.
	Ceiling  map[string]float64 `json:"tester_ceiling,omitempty"`
	Settings []Setting          `json:"settings"` // offloads, queues, qdisc, sysctls, CPU placement
	Plan     string             `json:"plan"`     // the plan's text

	Place      string      `json:"place,omitempty"`      // name of the testbed; "": it has none
	Notes      []Note      `json:"notes,omitempty"`      // of the author, for whoever reads the results
	Experiment *Experiment `json:"experiment,omitempty"` // nil: everything was measured once
	Imported   *Imported   `json:"imported,omitempty"`   // nil: weir measured it
	Failures   []Reason    `json:"failures,omitempty"`   // why it failed; none: it did not, or is of a store of before
}

// Note is a remark of a plan's author on its results.
type Note struct {
	Text string `json:"text"`
	// Of are levels by their factor (and the name of a method as "method") that a
	// result has which the note is about; none: it is about the campaign.
	Of map[string]string `json:"of,omitempty"`
}

// About reports whether a note is about a result, and not about all of its campaign.
func (n Note) About(r Result) bool {
	for factor, level := range n.Of {
		have, there := r.Factors[factor]
		if v, number := have.(float64); number { // a store has whole numbers so, too
			have = strconv.FormatFloat(v, 'f', -1, 64)
		}
		if factor == "method" {
			have, there = r.Method, true
		}
		if !there || fmt.Sprint(have) != level {
			return false
		}
	}
	return len(n.Of) > 0
}

// VirtualMachine is the name of the Setting of a machine that runs on another one,
// beside others.
const VirtualMachine = "virtual machine"

// Virtual reports whether a campaign was measured on a virtual machine, which is
// faster or slower from minute to minute as others beside it let it be.
func (m Manifest) Virtual() bool {
	return slices.ContainsFunc(m.Settings, func(s Setting) bool { return s.Name == VirtualMachine })
}

// Like reports whether another campaign measured the same plan on the same machine.
func (m Manifest) Like(o Manifest) bool {
	return m.Plan == o.Plan && m.Place == o.Place && m.Testbed == o.Testbed && m.Platform == o.Platform && m.Backend == o.Backend &&
		m.Kernel == o.Kernel && m.CPUModel == o.CPUModel && m.CPUs == o.CPUs && m.Simulated == o.Simulated
}

// Campaign is an ordered, recorded set of results with their trials.
type Campaign struct {
	ID       string        `json:"campaign"`
	Name     string        `json:"name"`
	Manifest Manifest      `json:"manifest"`
	Results  []Result      `json:"results"`
	Trials   []TrialResult `json:"-"`     // in the order of measuring
	Omitted  int           `json:"-"`     // how many more trials there are, of which none was read
	Ended    string        `json:"ended"` // "complete", "interrupted", "failed: ...", or "" while it runs
}

// Recorder keeps what was measured, at once: what it has returned nil for is
// on disk.
type Recorder interface {
	RecordManifest(context.Context, Manifest) error
	RecordTrial(context.Context, TrialResult) error
	RecordResult(context.Context, Result) error
}
