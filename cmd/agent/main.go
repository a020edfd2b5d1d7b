// Command agent is the part of weir that reads a DUT which SSH reaches (`weir agent look`),
// and on systems that have no other part of weir also plays the roles of an end host. It is
// small enough to be copied there, and built as weir-agent-SYSTEM-ARCHITECTURE, beside weir,
// which copies it and starts it. People have no use for it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"weir"
	"weir/internal/agent"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	var err error
	switch {
	case len(args) == 1 && args[0] == "version":
		_, err = fmt.Fprintf(out, "weir-agent %s (%s, %s/%s)\n", weir.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	case len(args) == 2 && args[0] == agent.Verb:
		err = agent.Run(ctx, roles(), args[1], in, out)
	default:
		err = fmt.Errorf("weir copies this program to a DUT or an end host and starts it there: weir-agent version, or weir-agent %s ROLE", agent.Verb)
	}
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}
