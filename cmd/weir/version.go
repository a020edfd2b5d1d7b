package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"weir"
)

// commit is the one that this program was built from; "": nobody said. The Makefile sets it.
var commit string

// build is what is known of this program and of what it can do here.
type build struct {
	Weir   string `json:"weir"`
	Commit string `json:"commit,omitempty"`
	Go     string `json:"go"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	kernelBuild
}

func versionVerb(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version. As JSON it also says the commit that weir was built from, the
checksums of its BPF programs, and which features this kernel has that a tester uses.`,
		Args: takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if asJSON || a.format == "json" {
				return a.printJSON(build{weir.Version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, describeKernel()})
			}
			_, err := fmt.Fprintf(a.out, "weir %s (%s, %s/%s)\n", weir.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	a.printsJSON(cmd, "the version is")
	return cmd
}
