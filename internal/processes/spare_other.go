//go:build !linux

package processes

import "os/exec"

// Start starts a program.
func Start(cmd *exec.Cmd) error { return cmd.Start() }
