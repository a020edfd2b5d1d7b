// Command leftovers prints what weir left behind on this machine, a line each.
// It removes nothing: `weir lab down --all` does.
package main

import (
	"fmt"

	"weir/internal/testenv"
)

func main() {
	for _, line := range testenv.Leftovers() {
		fmt.Println(line)
	}
}
