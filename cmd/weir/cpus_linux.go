package main

import (
	"fmt"
	"runtime"
	"slices"

	"weir"
	"weir/internal/testbed"
)

// nameCPUs is an error when --cpu names a CPU that is not there, or one twice.
func nameCPUs(cpus []int) error {
	for i, c := range cpus {
		if _, err := testbed.PlaceCPUs(runtime.NumCPU(), weir.CPUs{Generator: []int{c}}); err != nil {
			return fmt.Errorf("--cpu: %w", err)
		}
		if slices.Contains(cpus[:i], c) {
			return fmt.Errorf("--cpu names CPU %d twice: leave one out", c)
		}
	}
	return nil
}
