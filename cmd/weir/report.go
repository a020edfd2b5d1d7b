package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weir/internal/report"
)

func reportVerb(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report [CAMPAIGN]",
		Short: "Render what was measured",
		Long: `Render a campaign from the store: the one whose id begins with the given
letters, or the latest. "weir list campaigns" shows which there are.`,
		Args: takes(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := "latest"
			if len(args) > 0 {
				id = args[0]
			}
			store, err := a.readStore(cmd.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			c, err := store.Campaign(cmd.Context(), id)
			if err != nil {
				return err
			}
			if output == "" {
				return report.Write(a.out, a.format, c)
			}
			format := a.format
			if !cmd.Flags().Changed("format") {
				format = formatOf(output)
			}
			return writeReport(output, format, c)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this file; its ending chooses the format where --format does not")
	return cmd
}

// formatOf is the format that a file's ending asks for.
func formatOf(path string) string {
	switch ext := strings.TrimPrefix(filepath.Ext(path), "."); ext {
	case "html", "csv", "json":
		return ext
	case "htm":
		return "html"
	case "md":
		return "markdown"
	}
	return "text"
}
