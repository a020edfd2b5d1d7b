package main

import (
	"fmt"
	"os/exec"
	"syscall"
)

// beside runs the program that takes 2 ms of every 20 ms of each CPU until the
// function that it returns is called.
func (s setup) beside() (stop func(), err error) {
	cmd := exec.Command(s.disturb)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start what disturbs (-disturb): %w", err)
	}
	return func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}, nil
}
