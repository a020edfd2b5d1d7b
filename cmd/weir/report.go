package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"weir/internal/report"
)

func reportVerb(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report [CAMPAIGN]",
		Short: "Render what was measured",
		Long: `Render a campaign from the store: the one whose id begins or ends with
the given letters, or the latest. "weir list campaigns" shows which there are.`,
		Args:              takes(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeCampaigns(1, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := "latest"
			if len(args) > 0 {
				id = args[0]
			}
			format := a.format
			if output != "" && !cmd.Flags().Changed("format") {
				var err error
				if format, err = formatOf(output); err != nil {
					return err
				}
			}
			store, err := a.readStore(cmd.Context())
			if err != nil {
				return err
			}
			defer store.Close()
			find := findAbridged
			if a.shown.Trials {
				find = findCampaign
			}
			c, err := find(cmd.Context(), store, id)
			if err != nil {
				return err
			}
			if output == "" {
				return a.options().Write(a.out, format, c)
			}
			return a.writeReport(output, format, c)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this file; its ending chooses the format where --format does not")
	a.shownFlags(cmd)
	return cmd
}

// formatOf is the format that a file's ending asks for; without one it is text.
func formatOf(path string) (string, error) {
	switch ext := strings.TrimPrefix(filepath.Ext(path), "."); ext {
	case "", "txt":
		return "text", nil
	case "htm":
		return "html", nil
	case "md":
		return "markdown", nil
	default:
		if slices.Contains(report.Formats(), ext) {
			return ext, nil
		}
		return "", usageError{fmt.Errorf("no format has files that end in .%s: choose one with --format (%s)", ext, strings.Join(report.Formats(), ", "))}
	}
}
