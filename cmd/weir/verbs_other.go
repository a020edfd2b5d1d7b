//go:build !linux

package main

import (
	"runtime"

	"github.com/spf13/cobra"
)

// linuxVerbs need Linux: send, recv, lab and doctor are absent here.
var linuxVerbs []func(*app) *cobra.Command

// kernelBuild is what a build has for Linux alone.
type kernelBuild struct{}

func describeKernel() kernelBuild { return kernelBuild{} }

// obstacles are what keeps weir from measuring here, and the command to take in place.
func obstacles() (what []string, remedy string) {
	return []string{"Weir measures on Linux alone, and this is " + runtime.GOOS + ": take the simulated router"}, "weir bench --testbed sim"
}
