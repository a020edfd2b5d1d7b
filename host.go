package weir

import "context"

// Host is a place where commands run and files are read: this machine, a
// network namespace, an SSH peer, a virtual machine.
type Host interface {
	Name() string
	// Run runs a command to its end with the given standard input and returns
	// its standard output. The error carries what it said on standard error.
	Run(ctx context.Context, stdin string, argv ...string) (string, error)
	ReadFile(ctx context.Context, path string) (string, error)
	WriteFile(ctx context.Context, path, data string) error
}

// Port is one interface of the DUT with the tester's port at its other end.
type Port struct {
	DUT       string `json:"dut"`        // device name at the DUT
	DUTMAC    string `json:"dut_mac"`    //
	Tester    string `json:"tester"`     // device name at the tester
	TesterMAC string `json:"tester_mac"` //
	MTU       int    `json:"mtu"`
	Queues    int    `json:"queues"`
}

// CPUs says which processors do what; the sets are disjoint where the machine
// has enough.
type CPUs struct {
	Generator []int `json:"generator"`
	Receiver  []int `json:"receiver"`
	DUT       []int `json:"dut"`
}

// DUT is the device under test as a platform and telemetry see it: a host and
// the ports that forward.
type DUT struct {
	Host  Host
	Ports []Port
}

// Testbed is a DUT, the tester's ports and the links between them. Close
// undoes whatever opening it changed.
type Testbed interface {
	DUT() DUT
	CPUs() CPUs
	Close() error
}
