//go:build !unix || (linux && !ends)

package main

import "weir/internal/agent"

// roles are those for DUTs: an end host with Linux gets the whole of weir.
func roles() map[string]agent.Role { return agent.Portable() }
