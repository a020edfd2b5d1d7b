package weir

import "strings"

// Imported says where results come from that weir did not measure.
type Imported struct {
	Format string   `json:"format"` // "netbenches", "ministat", "iperf3", "pkt-gen", "trex", "csit"
	Source string   `json:"source"` // the file or folder
	What   string   `json:"what"`   // what the number is that was published: "FRMOL: packets/s received at the highest load that pkt-gen sent"
	Notes  []string `json:"notes,omitempty"`
}

// What stands where whoever published has said nothing.
const (
	NotSaid     = "not said"        // for a level
	UnknownUnit = "(unit not said)" // for a unit
)

// published is the label of a claim that weir has not looked into.
const published = "published"

// PublishedAs is the claim of a result that others have called by a name.
func PublishedAs(name string) Claim {
	return Claim{Name: name + ", " + published, Earned: Earned{What: name, Label: published}}
}

// Published is what others have called a result; false of a claim that is weir's own.
func (c Claim) Published() (string, bool) {
	if c.Earned.Label == published {
		return c.Earned.What, true
	}
	return strings.CutSuffix(c.Name, ", "+published) // of a store of before
}
