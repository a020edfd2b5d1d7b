package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"weir/internal/lab"
	"weir/internal/plan"
	"weir/internal/sqlite"
)

func doctorVerb(a *app) *cobra.Command {
	var ports []string
	var layer int
	var fix bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Can this machine be a tester, and what is missing?",
		Long: `Check what a tester needs: kernel features, capabilities, CPUs, quiet. It makes
a small lab in network namespaces and removes it; no frame leaves the machine.
With --ports it also says what these ports can be used for, and sends a few frames
to the box behind them.
With --fix it first installs what weir bench takes and is not here, with what this
distribution installs packages with (apt-get, dnf, apk, pacman).
The exit code is 1 when something is missing.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if fix {
				if err := lab.Fix(cmd.Context(), a.err); err != nil {
					return err
				}
			}
			found := append(lab.Examine(cmd.Context()), a.checkStore(cmd.Context()))
			if len(ports) > 0 {
				p, err := plan.Bench(true).AtPorts(ports, layer)
				if err != nil {
					return usageError{fmt.Errorf("--ports %s: %w", strings.Join(ports, ","), err)}
				}
				found = append(found, lab.ExaminePorts(cmd.Context(), p)...)
			}
			able := !slices.ContainsFunc(found, func(f lab.Finding) bool { return f.Status == lab.Missing })
			if err := a.printFindings(able, found); err != nil {
				return err
			}
			if !able {
				return exitStatus(exitError)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "install the programs that are missing")
	a.printsJSON(cmd, "what was found is")
	portsFlags(cmd, &ports, &layer, "say what these ports can be used for")
	return cmd
}

func (a *app) printFindings(able bool, found []lab.Finding) error {
	if a.format == "json" {
		return a.printJSON(map[string]any{"tester": able, "checks": found})
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, f := range found {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Status, f.Check, f.Found)
		if f.Remedy != "" {
			fmt.Fprintf(w, "\t\t  -> %s\n", f.Remedy)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	verdict := "\nThis machine can be a tester.\n"
	if !able {
		verdict = "\nThis machine cannot be a tester as it is; a simulated DUT can be tried with: weir bench --testbed sim\n"
	}
	_, err := fmt.Fprint(a.out, verdict)
	return err
}

// checkStore looks whether a store that is there is one, and whether it can be
// written to.
func (a *app) checkStore(ctx context.Context) (f lab.Finding) {
	defer func() { f.Check = "store" }()
	path, err := a.storePath()
	if err != nil {
		return lab.Lacking(err)
	}
	if err := mayRecord(path); err != nil {
		return lab.Lacking(err)
	}
	if _, err := os.Stat(path); err == nil {
		store, err := sqlite.OpenExisting(ctx, path)
		if err != nil {
			return lab.Lacking(err)
		}
		if err := store.Close(); err != nil {
			return lab.Lacking(err)
		}
		if unix.Access(path, unix.W_OK) != nil {
			return lab.Finding{Status: lab.Missing, Found: path + " may be read only", Remedy: "name another file with --store"}
		}
	}
	dir := filepath.Dir(path)
	for dir != "/" && dir != "." {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	probe, err := os.CreateTemp(dir, ".weir-*")
	if err != nil {
		return lab.Finding{Status: lab.Missing, Found: fmt.Sprintf("the store %s cannot be written: %v", path, err), Remedy: "name another file with --store"}
	}
	probe.Close()
	os.Remove(probe.Name())
	return lab.Finding{Status: lab.Fine, Found: path}
}
