package agent

// roles are those that Run can play, by name.
var roles = map[string]opener{
	"beat":  openBeat,
	"bgp":   openSpeaker,
	"poll":  openPoll,
	"snmp":  openManager,
	"watch": openWatch,
}
