package sandbox

import (
	"fmt"
	"os"
)

// Role makes a program of tests one that plays a role where its arguments are the verb and
// the role's name, as weir does: play is called with the name, and the process ends.
func Role(verb string, play func(name string) error) func() {
	return func() {
		if len(os.Args) != 3 || os.Args[1] != verb {
			return
		}
		if err := play(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}
