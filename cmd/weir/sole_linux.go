package main

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// sole makes sure that no other process measures a campaign of a store for as
// long as this one does. It takes a name that the kernel gives to one process at
// a time, and gives back when the process is killed. The store is known by its
// file, whatever path leads there: another one may have a campaign of this id.
func sole(store, id string) (release func() error, err error) {
	name, err := reservation(store, id)
	if err != nil {
		return nil, fmt.Errorf("reserve campaign %s: %w", id, err)
	}
	l, err := net.Listen("unix", name)
	if errors.Is(err, unix.EADDRINUSE) {
		return nil, fmt.Errorf("campaign %s is being measured by another process", id)
	}
	if err != nil {
		return nil, fmt.Errorf("reserve campaign %s: %w", id, err)
	}
	return l.Close, nil
}

// reservation is the name that stands for a campaign of a store.
func reservation(store, id string) (string, error) {
	var file unix.Stat_t
	if err := unix.Stat(store, &file); err != nil {
		return "", fmt.Errorf("the store %s: %w", store, err)
	}
	return fmt.Sprintf("@weir store %d:%d campaign %s", file.Dev, file.Ino, id), nil
}

// unended says of a campaign that has no end in its store whether a process
// measures it. It takes no reservation, which might be in somebody's way.
func unended(store, id string) string {
	name, err := reservation(store, id)
	if err != nil {
		return stateUnknown
	}
	c, err := net.Dial("unix", name)
	switch {
	case err == nil:
		c.Close()
		return stateUnderWay
	case errors.Is(err, unix.ECONNREFUSED):
		return stateKilled
	case errors.Is(err, unix.EAGAIN): // many have asked before
		return stateUnderWay
	}
	return stateUnknown
}
