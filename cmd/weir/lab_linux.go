package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"weir/internal/lab"
	"weir/internal/netif"
	"weir/internal/testbed"
)

func labVerb(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Make, list, enter and remove labs of network namespaces",
		Long: `A lab is a tester and a DUT, each a network namespace with two ports, joined
by veth links. "weir bench" makes one of its own and removes it; a lab made by
"weir lab up" stays until "weir lab down".`,
		Args: knownVerb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.labUp(), a.labDown(), a.labRestore(), a.labList(), a.labShell())
	return cmd
}

func (a *app) labUp() *cobra.Command {
	cmd := &cobra.Command{
		Use: "up", Short: "Make a lab that stays, forwarding", Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := lab.NeedSpaces(); err != nil {
				return err
			}
			if err := testbed.Sweep(cmd.Context()); err != nil {
				return err
			}
			bed, err := lab.Keep(cmd.Context())
			if err != nil {
				return err
			}
			if a.format == "json" {
				return a.printJSON(map[string]any{"id": bed.ID, "ports": bed.DUT().Ports, "cpus": bed.CPUs()})
			}
			fmt.Fprintf(a.out, "lab %s is up\n", bed.ID)
			for i, p := range bed.DUT().Ports {
				fmt.Fprintf(a.out, "  port %d: tester %s (%s) - DUT %s (%s)\n", i, p.Tester, p.TesterMAC, p.DUT, p.DUTMAC)
			}
			near, far := bed.DUT().Ports[0], bed.DUT().Ports[1]
			in := "weir lab shell tester --lab " + bed.ID + " -- weir"
			fmt.Fprintf(a.out, "send:      %s send --dev %s --dst-mac %s --rate 100k --seconds 5\nreceive:   %s recv --dev %s --seconds 10\n", in, near.Tester, near.DUTMAC, in, far.Tester)
			fmt.Fprintf(a.out, "enter it:  weir lab shell dut --lab %s\nremove it: weir lab down %s\n", bed.ID, bed.ID)
			return nil
		},
	}
	a.printsJSON(cmd, "a lab is")
	return cmd
}

func (a *app) labDown() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "down [LAB]", Short: "Remove a lab, or with --all everything that is not in use", Args: takes(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeLabs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := lab.NeedRoot(); err != nil {
				return err
			}
			if all == (len(args) == 1) {
				return usageError{errors.New("name one lab, or --all")}
			}
			id := ""
			if len(args) == 1 {
				id = args[0]
			}
			gone, err := testbed.Down(cmd.Context(), id, all)
			if a.format == "json" {
				return errors.Join(err, a.printJSON(map[string]any{"removed": append([]string{}, gone...)}))
			}
			for _, id := range gone {
				fmt.Fprintf(a.out, "lab %s is removed\n", id)
			}
			return err
		},
	}
	a.printsJSON(cmd, "what was removed is")
	cmd.Flags().BoolVar(&all, "all", false, "all labs, also what killed processes left; not those of running ones")
	return cmd
}

func (a *app) labRestore() *cobra.Command {
	var forget bool
	cmd := &cobra.Command{
		Use: "restore", Short: "Undo what killed processes left changed at this machine", Args: takes(cobra.NoArgs),
		Long: `Each change at this machine outside of a lab is on disk before it is made, and
undone at the end. What a process that was killed (SIGKILL) could not undo is undone
here, or when the next weir begins, the last change first. What is not as weir left it,
or cannot be undone, is named with the command that does it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := lab.NeedRoot(); err != nil {
				return err
			}
			r, err := lab.Restore(cmd.Context(), forget, a.sayStep)
			if err == nil {
				err = testbed.Sweep(cmd.Context())
			}
			switch {
			case a.format == "json":
				err = errors.Join(err, a.printJSON(r))
			case r.Undone+r.Gone+len(r.Forgotten) > 0:
				fmt.Fprintf(a.out, "%s undone", number(float64(r.Undone), "change"))
				if r.Gone > 0 {
					fmt.Fprintf(a.out, "; %d more gone with what had been changed", r.Gone)
				}
				if n := len(r.Forgotten); n > 0 {
					fmt.Fprintf(a.out, "; %d more forgotten, as each line above says why", n)
				}
				fmt.Fprintln(a.out)
			case err == nil:
				fmt.Fprintln(a.out, "nothing was left changed")
			}
			return err
		},
	}
	a.printsJSON(cmd, "what was undone is")
	cmd.Flags().BoolVar(&forget, "forget", false, "forget what cannot be undone")
	return cmd
}

// labState says what becomes of a lab.
func labState(e testbed.Entry) string {
	switch {
	case e.Kept:
		return "kept"
	case e.Running:
		return fmt.Sprintf("in use by process %d", e.PID)
	}
	return "left behind"
}

func (a *app) labList() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List the labs of this machine", Args: takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			labs, err := testbed.Labs()
			if err != nil {
				return err
			}
			if a.format == "json" {
				return a.printJSON(append([]testbed.Entry{}, labs...))
			}
			if len(labs) == 0 {
				fmt.Fprintln(a.out, "no labs")
				return nil
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "LAB\tSTATE\tMADE\tTESTER PORTS\tDUT PORTS")
			for _, e := range labs {
				var near, far []string
				for _, p := range e.Ports {
					near, far = append(near, p.Tester), append(far, p.DUT)
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.ID, labState(e), e.Made.Format(time.DateTime), strings.Join(near, " "), strings.Join(far, " "))
			}
			return w.Flush()
		},
	}
	a.printsJSON(cmd, "a list is")
	return cmd
}

func (a *app) labShell() *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use:   "shell {dut|tester} [--lab LAB] [-- COMMAND...]",
		Short: "Run a shell, or a command, in a lab's namespace",
		Args:  takes(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := lab.NeedRoot(); err != nil {
				return err
			}
			path, err := namespaceOf(args[0], id)
			if err != nil {
				return err
			}
			argv := args[1:]
			if len(argv) == 0 {
				if argv = []string{os.Getenv("SHELL")}; argv[0] == "" {
					argv[0] = "/bin/sh"
				}
			}
			return a.enter(cmd.Context(), path, argv)
		},
	}
	cmd.Flags().StringVar(&id, "lab", "", "which lab; may be left out where there is one only")
	cmd.RegisterFlagCompletionFunc("lab", completeLabs)
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return []string{"dut", "tester"}, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	return cmd
}

// completeLabs proposes the labs of this machine.
func completeLabs(*cobra.Command, []string, string) (out []string, _ cobra.ShellCompDirective) {
	labs, _ := testbed.Labs()
	for _, e := range labs {
		out = append(out, cobra.CompletionWithDesc(e.ID, labState(e)))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// portHere is an error where this namespace has no port of that name: it says where
// there is one.
func portHere(name string) error {
	if _, err := net.InterfaceByName(name); err == nil {
		return nil
	}
	labs, err := testbed.Labs()
	if err != nil {
		return err
	}
	for _, e := range labs {
		for _, p := range e.Ports {
			if role := map[string]string{p.Tester: "tester", p.DUT: "dut"}[name]; role != "" {
				return fmt.Errorf("port %s is in a lab: put this before the command: weir lab shell %s --lab %s --", name, role, e.ID)
			}
		}
	}
	return fmt.Errorf("there is no port %q in this network namespace: ip -br link shows those there are; those of a lab are seen from within: weir lab shell tester", name)
}

// namespaceOf is the file of one side of a lab.
func namespaceOf(role, id string) (string, error) {
	labs, err := testbed.Labs()
	if err != nil {
		return "", err
	}
	var found []testbed.Entry
	for _, e := range labs {
		if (id == "" || e.ID == id) && (e.Kept || e.Running) {
			found = append(found, e)
		}
	}
	switch {
	case len(found) == 0 && id == "":
		return "", errors.New("there is no lab; make one with: weir lab up")
	case len(found) == 0:
		return "", fmt.Errorf("there is no lab %q; weir lab list shows those there are", id)
	case len(found) > 1:
		return "", usageError{fmt.Errorf("there are %d labs; choose one with --lab, weir lab list shows them", len(found))}
	}
	switch role {
	case "dut":
		return found[0].DUT, nil
	case "tester":
		return found[0].Tester, nil
	}
	return "", usageError{fmt.Errorf("a lab has a dut and a tester, no %q", role)}
}

// enter runs a command in a namespace, on this terminal. Its exit code becomes
// weir's.
func (a *app) enter(ctx context.Context, path string, argv []string) error {
	ns, err := netif.OpenNamespace(path)
	if err != nil {
		return err
	}
	defer ns.Close()
	err = ns.Do(func() error { return testbed.Attached(ctx, a.in, a.bare.out, a.bare.err, argv) })
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exitStatus(exit.ExitCode())
	}
	return err
}
