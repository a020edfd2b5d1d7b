package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// becomeOrdinary gives up all rights of root for those of a user: the named one, or who called
// sudo. Who is no root stays who they are.
func becomeOrdinary(name string) error {
	if os.Geteuid() != 0 {
		if name != "" {
			return usageError{errors.New("--user is for root: you serve as yourself")}
		}
		return nil
	}
	find, who := user.Lookup, name
	if name == "" {
		find, who = user.LookupId, os.Getenv("SUDO_UID")
	}
	if who == "" || who == "0" {
		return errors.New("weir serve does not run as root: say who serves (--user nobody), somebody who may read the store")
	}
	u, err := find(who)
	if err != nil {
		return fmt.Errorf("serve as user %s: %w", who, err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil || uid == 0 {
		return fmt.Errorf("user %s is root: name another one with --user", who)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return fmt.Errorf("group of user %s: %w", who, err)
	}
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(gid), syscall.Setuid(uid)); err != nil {
		return fmt.Errorf("serve as user %s: %w", who, err)
	}
	return nil
}
