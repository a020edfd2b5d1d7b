//go:build !linux

package sqlite

import (
	"fmt"
	"os"
)

// LockCampaign would keep other processes from measuring the same campaign; only Linux
// has the means for that.
func LockCampaign(string, string) (release func() error, err error) {
	return func() error { return nil }, nil
}

// StateOf would say whether a process measures a campaign.
func StateOf(string, string) string { return StateUnknown }

// tightenFile takes the right to read a file from those who may not write to it.
func tightenFile(path string) error {
	is, err := os.Lstat(path)
	if err == nil && !is.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		return err
	}
	if mode := is.Mode().Perm(); tighter(mode) != mode {
		return os.Chmod(path, tighter(mode))
	}
	return nil
}
