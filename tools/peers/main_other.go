//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "peers: XDP and network namespaces are Linux's: run it there")
	os.Exit(1)
}
