package main

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// sole makes sure that no other process measures a campaign for as long as this
// one does. It takes a name that the kernel gives to one process at a time, and
// gives back when the process is killed.
func sole(id string) (release func() error, err error) {
	l, err := net.Listen("unix", "@weir campaign "+id)
	if errors.Is(err, unix.EADDRINUSE) {
		return nil, fmt.Errorf("campaign %s is being measured by another process", id)
	}
	if err != nil {
		return nil, fmt.Errorf("reserve campaign %s: %w", id, err)
	}
	return l.Close, nil
}
