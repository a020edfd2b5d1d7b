package weir

// LimitedBy is what keeps a DUT from forwarding more than a result says.
type LimitedBy string

// What may limit a result.
const (
	ByCPU     LimitedBy = "cpu"     // a CPU of the DUT has no time left
	ByQueue   LimitedBy = "queue"   // a ring, queue or table of the DUT drops frames while its CPUs have time left
	ByPolicer LimitedBy = "policer" // a bucket of tokens
	ByShaper  LimitedBy = "shaper"  // a queue that is emptied at a rate
	ByMedium  LimitedBy = "medium"  // the link carries no more
	ByTester  LimitedBy = "tester"  // it sends no more
	ByPlan    LimitedBy = "plan"    // it asks for no more
	ByHost    LimitedBy = "host"    // a program of an end host has no CPU time left
	ByStorage LimitedBy = "storage" // what files are read from or written to is no faster
	ByUnknown LimitedBy = "unknown" // nothing that weir sees shows it
)

// Limit is what keeps a DUT from forwarding more than a result says, with what shows it.
type Limit struct {
	By   LimitedBy `json:"by"`
	Rate float64   `json:"rate,omitempty"` // what medium, tester or plan allow, frames/s over all ports; 0 of a transfer
	End  Side      `json:"end,omitempty"`  // of a transfer, whose program or storage it is: Busy is what the program used of a CPU, and may be more than 1; "": all CPUs of both ends were busy

	// Of the trial in which the DUT was busiest of those that lost frames; CPU is "" where
	// nothing is known of its CPUs.
	CPU  string    `json:"cpu,omitempty"`  // "CPU 1", or "CPUs" of several of which each is not known
	Busy float64   `json:"busy,omitempty"` // share of its time, 0 to 1
	Work []CPUWork `json:"work,omitempty"` // what it did in that time, the most first

	// Of all trials that lost frames; Place is "" where no counter has counted half of them.
	Place   string  `json:"place,omitempty"`   // as of Drop
	Counted float64 `json:"counted,omitempty"` // share of the lost frames, 0 to 1
}

// CPUWork is a kind of work that a CPU does.
type CPUWork struct {
	Kind  string  `json:"kind"`  // "system", "softirq", "irq", "user", "nice"
	Share float64 `json:"share"` // of the CPU's time, 0 to 1
}
