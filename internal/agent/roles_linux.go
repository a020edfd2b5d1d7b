package agent

// Roles are those beside the DUT's forwarding, by name.
var Roles = map[string]Role{
	"heartbeat": openHeartbeat,
	"bgp":       openSpeaker,
	"poll":      openPoll,
	"snmp":      openManager,
	"watch":     openWatch,
}
