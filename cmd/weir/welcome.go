package main

import (
	"fmt"
	"strings"

	"weir/internal/history"
)

// welcome is what weir says where no verb is given: what one may want to do, and what is
// missing for that on this machine.
const welcome = `weir measures how fast a router forwards packets, at what loss, latency and CPU cost.

` + firstExamples

// printWelcome prints that.
func (a *app) printWelcome() error {
	text := welcome
	if what, remedy := obstacles(); len(what) > 0 {
		text += "\n" + strings.Join(history.Wrapped(strings.Join(what, ". ")+":", history.PageWidth), "\n") + "\n  " + remedy + "\n"
	}
	_, err := fmt.Fprint(a.out, text+"\nAll commands: weir help. One of them: weir help bench.\n")
	return err
}
