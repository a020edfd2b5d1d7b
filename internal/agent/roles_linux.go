package agent

// roles are those that Run can play, by name.
var roles = map[string]opener{
	"heartbeat": openHeartbeat,
	"bgp":       openSpeaker,
	"poll":      openPoll,
	"snmp":      openManager,
	"watch":     openWatch,
}
