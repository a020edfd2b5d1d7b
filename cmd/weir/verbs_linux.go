package main

import (
	"github.com/spf13/cobra"

	"weir/internal/lab"
	"weir/internal/xdp"
)

// linuxVerbs are the commands that need this kernel's packet path.
var linuxVerbs = []func(*app) *cobra.Command{
	sendVerb,
	recvVerb,
	labVerb,
	doctorVerb,
	auditVerb,
	agentVerb,
}

// kernelBuild is what a build has for Linux alone.
type kernelBuild struct {
	BPF      []xdp.Object  `json:"bpf"`
	Features []lab.Feature `json:"features"`
}

func describeKernel() kernelBuild { return kernelBuild{xdp.Objects(), lab.Features()} }

// obstacles are what keeps weir from measuring here, and the command that mends it.
func obstacles() (what []string, remedy string) { return lab.Obstacles() }
