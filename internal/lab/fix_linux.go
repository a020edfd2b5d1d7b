package lab

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"weir/internal/packages"
	"weir/internal/processes"
)

// Obstacles are what keeps weir from measuring here, a sentence each without its full stop, and
// the command to begin with.
func Obstacles() (what []string, remedy string) {
	if release, old := olderThan(5, 12); old {
		return []string{"A lab takes Linux 5.12, which serves the ports of a DUT by threads, and this is " + release + ". What remains is the simulated router, and what others have measured (weir import)"}, "weir bench --testbed sim"
	}
	sudo := ""
	if os.Geteuid() != 0 {
		sudo = "sudo "
		what, remedy = append(what, "A lab takes the rights of root"), "sudo weir bench"
	} else if err := NeedSpaces(); err != nil {
		what, remedy = append(what, err.Error()), "weir doctor"
	}
	if missing := missingTools(func(t Tool) bool { return t.Basic }); len(missing) > 0 {
		var names []string
		for _, t := range missing {
			names = append(names, t.Name)
		}
		what, remedy = append(what, "These programs are missing: "+strings.Join(names, ", ")), sudo+"weir doctor --fix"
	}
	return what, remedy
}

// missingTools are those of some tools that are not installed.
func missingTools(of func(Tool) bool) (out []Tool) {
	for _, t := range Tools {
		if of(t) && !t.Present() {
			out = append(out, t)
		}
	}
	return out
}

// packagesOf are the packages of some tools, each once.
func packagesOf(tools []Tool) (out []string) {
	for _, t := range tools {
		if !slices.Contains(out, t.Package) {
			out = append(out, t.Package)
		}
	}
	return out
}

// Fix installs the packages of the basic tools that are missing, with what this distribution
// installs packages with, and writes the command and what it prints to out. Tools that plans
// may ask for besides, some of which are servers that begin to run where they are installed,
// are left to the user. It does nothing where nothing is missing.
//
// The error says the command where weir may not run it, and the packages where it does not
// know one.
func Fix(ctx context.Context, out io.Writer) error {
	lacking := packagesOf(missingTools(func(t Tool) bool { return t.Basic }))
	if len(lacking) == 0 {
		_, err := fmt.Fprintln(out, "Nothing is missing that weir can install.")
		return err
	}
	manager := packages.Here()
	if manager == nil {
		return fmt.Errorf("weir does not know how packages are installed here: %s", packages.Advice(lacking...))
	}
	names, unknown := manager.Names(lacking...)
	if len(unknown) > 0 {
		return fmt.Errorf("%s has no package that weir knows for some of it: %s", manager.Program, packages.Advice(lacking...))
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("installing takes root: sudo %s", packages.Advice(lacking...))
	}
	command := slices.Concat(manager.Unattended, names)
	err := runShown(out, command)
	if err != nil && manager.Refresh != nil && ctx.Err() == nil { // lists that are old, or not there
		if err = runShown(out, manager.Refresh); err == nil {
			err = runShown(out, command)
		}
	}
	return err
}

// runShown runs a command to its end, and writes it and what it prints to out: a package manager
// that is killed leaves its database half done. A terminal interrupts it by itself.
func runShown(out io.Writer, argv []string) error {
	fmt.Fprintln(out, "+", strings.Join(argv, " "))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdout, cmd.Stderr = out, out
	if err := processes.Run(cmd); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return nil
}
