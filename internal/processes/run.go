package processes

import "os/exec"

// Run starts a program as Start does, and waits until it has ended.
func Run(cmd *exec.Cmd) error {
	if err := Start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}
