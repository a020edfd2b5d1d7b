package main

import "github.com/spf13/cobra"

// linuxVerbs are the commands that need this kernel's packet path.
var linuxVerbs = []func(*app) *cobra.Command{
	sendVerb,
	recvVerb,
	labVerb,
	doctorVerb,
	auditVerb,
	agentVerb,
}
