package audit

import "weir/internal/settings"

// Severity is what a finding does to a measurement.
type Severity string

// The severities, the worst first.
const (
	Spoils   Severity = "spoils"   // the result would be of something else than the DUT's forwarding
	Doubtful Severity = "doubtful" // the result may be wrong, or differ from run to run
	Note     Severity = "note"     // the result is right, and holds for this setting only
)

// Finding is one thing on a machine that is not as a measurement wants it.
type Finding struct {
	Check    string   `json:"check"`            // its name in the table
	Severity Severity `json:"severity"`         //
	Where    string   `json:"where"`            // a device, CPUs, or "machine"
	What     string   `json:"what"`             // was looked at, for people
	Found    string   `json:"found"`            //
	Brief    string   `json:"-"`                // what works on the machine now, in a clause; "": nothing, or it is no matter of that
	Wanted   string   `json:"wanted"`           //
	Reason   string   `json:"reason"`           // one sentence
	Source   string   `json:"source"`           // the document that says so
	Remedy   []string `json:"remedy"`           // command lines that mend it, in order; empty where no command does
	Advice   string   `json:"advice,omitempty"` // what to do where no command mends it, or beside it
	Mendable bool     `json:"mendable"`         // Apply can mend it, and Undo restores it
	ByName   bool     `json:"by_name"`          // it is mended only when it is asked for by the name of its check

	mends []mend
}

// mend is a setting and the value that it should have.
type mend struct {
	setting settings.Setting
	value   string
}

// Unread is a check that could not be made, wholly or in part.
type Unread struct {
	Check string `json:"check"`
	Why   string `json:"why"`
}

// Report is what an audit found.
type Report struct {
	Host     string    `json:"host"`
	Role     Role      `json:"role"`
	Devices  []string  `json:"devices"`  // the ports that were looked at
	Guarded  []string  `json:"guarded"`  // of all devices of the host those that lead to the networks it lives on
	Findings []Finding `json:"findings"` // the worst first
	Unread   []Unread  `json:"unread"`   // what nothing can be said of
	Passed   []string  `json:"passed"`   // the checks that were made and found nothing
	Absent   []string  `json:"absent"`   // the checks of what there is none of: bridges, ports, a plan
	// Fingerprints are short names of what is to be the same on two machines
	// that are compared, by what it is: "mitigations".
	Fingerprints map[string]string `json:"fingerprints"`
}

// Count is the number of findings of a severity.
func (r Report) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}
