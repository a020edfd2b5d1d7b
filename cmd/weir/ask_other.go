//go:build !linux

package main

import "os"

// forget would drop what was typed at a terminal and not read.
func forget(*os.File) {}
