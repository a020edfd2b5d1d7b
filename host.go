package weir

import (
	"context"
	"io"
)

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

// FilesReader is a Host that reads many small files of text at once, for less than one
// after the other costs. What is not there, or empty, is left out.
type FilesReader interface {
	ReadFiles(ctx context.Context, paths []string) (map[string]string, error)
}

// Starter is a Host that can also run programs beside what else happens.
type Starter interface {
	// Start starts a program and returns at once. It outlives ctx, and no
	// longer than the host and weir itself, however these end.
	Start(ctx context.Context, p Program) (*Process, error)
}

// Program is what a Starter runs. It has to stay in the foreground: what it
// leaves behind as a daemon is not known to the host.
type Program struct {
	Argv []string
	Dir  string   // where it runs; "": where weir does
	Env  []string // NAME=VALUE, beside weir's own
	CPUs []int    // where it may run; none: where commands of the host do
	// Family says that it starts programs of its own, which are killed when it
	// ends, however it ends. Of those it is the first, process 1.
	Family bool
}

// Process is a program that was started.
type Process struct {
	PID    int
	Stdin  io.WriteCloser
	Stdout io.ReadCloser // has to be read, or closed: a program waits when nobody takes what it says
	// Wait waits for the end of the program. The error says how it failed,
	// with the last lines of its standard error.
	Wait func() error
	// Stop asks the program to end (SIGTERM) and waits for that; when ctx ends
	// before, it is killed, which is an error. It is none that it had ended.
	Stop func(ctx context.Context) error
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
// has enough, and where the DUT is on it.
type CPUs struct {
	Generator []int `json:"generator"`
	Receiver  []int `json:"receiver"`
	DUT       []int `json:"dut"`
	Elsewhere bool  `json:"elsewhere,omitempty"` // the DUT's are those of another machine
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
