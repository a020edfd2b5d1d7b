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
	var file unix.Stat_t
	if err := unix.Stat(store, &file); err != nil {
		return nil, fmt.Errorf("reserve campaign %s: the store %s: %w", id, store, err)
	}
	l, err := net.Listen("unix", fmt.Sprintf("@weir store %d:%d campaign %s", file.Dev, file.Ino, id))
	if errors.Is(err, unix.EADDRINUSE) {
		return nil, fmt.Errorf("campaign %s is being measured by another process", id)
	}
	if err != nil {
		return nil, fmt.Errorf("reserve campaign %s: %w", id, err)
	}
	return l.Close, nil
}
