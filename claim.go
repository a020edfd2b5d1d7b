package weir

// Claim is the strongest name that a result has earned, from the ladder
// FRMOL, loss curve, throughput with short trials, RFC 2544 throughput.
type Claim struct {
	Name   string   `json:"name"`             // "RFC 2544 throughput", "throughput, short trials", "FRMOL"
	Missed []string `json:"missed,omitempty"` // the MUSTs and SHOULDs that keep it from a stronger name, with RFC and section
}
