package agent

import "maps"

// Roles are those of this package, by name.
func Roles() map[string]Role {
	all := Portable()
	maps.Copy(all, map[string]Role{
		"heartbeat": Opening(openHeartbeat),
		"exchange":  Opening(openExchange),
		"bgp":       Opening(openSpeaker),
		"poll":      Opening(openPoll),
		"snmp":      Opening(openManager),
		"watch":     Opening(openWatch),
	})
	return all
}
