package main

import (
	"fmt"
	"strings"

	"weir/internal/history"
)

// welcome is what weir says where no verb is given: what one may want to do, and what is
// missing for that on this machine.
const welcome = `weir measures how fast a router forwards packets, at what loss, latency and CPU cost.

  weir bench                       how fast is this machine's kernel? in a lab that weir makes
  weir bench --ports eth1,eth2     how fast is the box that is connected to these two ports?
  weir versus "" firewall.nft      what does this rule set cost, and is that proven?
`

// printWelcome prints that.
func (a *app) printWelcome() error {
	text := welcome
	if what, remedy := obstacles(); len(what) > 0 {
		text += "\n" + strings.Join(history.Wrapped(strings.Join(what, ". ")+":", history.PageWidth), "\n") + "\n  " + remedy + "\n"
	}
	_, err := fmt.Fprint(a.out, text+"\nAll commands: weir --help. A command: weir help bench.\n")
	return err
}
