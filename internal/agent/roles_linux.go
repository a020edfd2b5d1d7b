package agent

// Roles are those beside the DUT's forwarding, by name.
var Roles = map[string]Role{
	"heartbeat": Opening(openHeartbeat),
	"bgp":       Opening(openSpeaker),
	"poll":      Opening(openPoll),
	"snmp":      Opening(openManager),
	"watch":     Opening(openWatch),
}
