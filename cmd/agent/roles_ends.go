//go:build unix && (!linux || ends)

package main

import (
	"maps"

	"weir/internal/agent"
	"weir/internal/endhost"
)

// roles are those for DUTs and for end hosts. Tests build them for Linux, too, with the tag.
func roles() map[string]agent.Role {
	all := agent.Portable()
	maps.Copy(all, endhost.Portable())
	return all
}
