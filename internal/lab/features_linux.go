package lab

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"weir/internal/agent"
	"weir/internal/xdp"
)

// Feature is something that this kernel can do for a tester, or cannot.
type Feature struct {
	Name string `json:"name"`
	Has  string `json:"has"`           // "yes", "no"; "unknown": it cannot be asked for without root
	Why  string `json:"why,omitempty"` // not
}

// features are the table of them; probe returns nil where the kernel has it.
var features = []struct {
	name  string
	root  bool // whether asking takes root
	probe func() error
}{
	{"XDP on live frames (Linux 5.18)", true, xdp.ProbeLiveFrames},
	{"polling of NAPI instances through io_uring (Linux 6.13)", false, agent.CanPoll},
	{"PPP over Ethernet", false, kernelPPP},
}

// Features asks this kernel for each.
func Features() (out []Feature) {
	for _, f := range features {
		one := Feature{Name: f.name, Has: "yes"}
		switch err := f.probe(); {
		case err == nil:
		case f.root && (os.Geteuid() != 0 || errors.Is(err, unix.EPERM)):
			one.Has, one.Why = "unknown", "asking takes root"
		default:
			one.Has, one.Why = "no", err.Error()
		}
		out = append(out, one)
	}
	return out
}
