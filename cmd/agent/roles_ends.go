//go:build unix && !linux

package main

import (
	"maps"

	"weir/internal/agent"
	"weir/internal/endhost"
)

// roles are those for DUTs and for end hosts.
func roles() map[string]agent.Role {
	all := agent.Portable()
	maps.Copy(all, endhost.Roles)
	return all
}
