package claim

import "time"

// Filters is how many there are in the larger case of RFC 2544 section 11.4,
// and PermitPosition which of them permits the test frames, from 1: see Faults.
const (
	Filters        = 25
	PermitPosition = 25
)

// RecoveryTime is the time from the reduction of an overload until the last
// frame was lost, both since the start of sending; 0 where none was lost after
// it (RFC 2544 section 26.5: see Faults).
func RecoveryTime(reduced, lastLoss time.Duration) time.Duration { return max(0, lastLoss-reduced) }

// A Fault is a place of a text that cannot be followed as it is written.
type Fault struct {
	Section string `json:"section"` // "RFC 2544 section 26.5"
	Says    string `json:"says"`    // the text
	Wrong   string `json:"wrong"`   // why it cannot be followed
	Does    string `json:"does"`    // what weir does
	Why     string `json:"why"`
}
