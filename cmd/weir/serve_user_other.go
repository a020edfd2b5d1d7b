//go:build !linux

package main

import (
	"errors"
	"os"
)

// becomeOrdinary refuses to serve as root.
func becomeOrdinary(string) error {
	if os.Geteuid() == 0 {
		return errors.New("weir serve does not run as root: run it as a user who may read the store")
	}
	return nil
}
