//go:build !linux

package main

import "github.com/spf13/cobra"

// linuxVerbs need Linux: send, recv, lab and doctor are absent here.
var linuxVerbs []func(*app) *cobra.Command
