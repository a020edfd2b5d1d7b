package main

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"weir"
)

func versionVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if a.format == "json" {
				return json.NewEncoder(a.out).Encode(map[string]string{
					"weir": weir.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(a.out, "weir %s (%s, %s/%s)\n", weir.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
