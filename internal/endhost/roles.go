//go:build unix

package endhost

import (
	"maps"

	"weir/internal/agent"
)

// Portable are the roles that an end host of any of the systems can play, by name.
func Portable() map[string]agent.Role { return roles(plain) }

// roles are those that a system can play with what it has.
func roles(k kernel) map[string]agent.Role {
	all := map[string]agent.Role{
		"connections-make":  agent.Task(k.makeConnections),
		"connections-serve": agent.Opening(serveConnections),
		"echo-send":         agent.Task(sendEchoes),
		"echo-serve":        agent.Server(serveEchoes),
		"path-probe":        agent.Task(probePath),
		"stream-connect":    agent.Opening(k.connectStreams),
		"stream-serve":      agent.Opening(k.serveStreams),
	}
	maps.Copy(all, fileRoles)
	return all
}
