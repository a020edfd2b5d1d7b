package agent

import (
	"fmt"
	"os"
)

// Self is the file from which this program can be started: its own, or, where that was replaced
// or removed meanwhile, the one that Linux keeps while this process lives. So a campaign ends
// with the program that it began with.
func Self() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find weir's own program: %w", err)
	}
	kept := fmt.Sprintf("/proc/%d/exe", os.Getpid())
	running, err := os.Stat(kept)
	if err != nil { // another system than Linux
		return path, nil
	}
	if there, err := os.Stat(path); err == nil && os.SameFile(there, running) {
		return path, nil
	}
	return kept, nil
}
