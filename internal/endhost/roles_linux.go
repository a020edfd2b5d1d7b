package endhost

import "weir/internal/agent"

// Roles are those of an end host, by name.
var Roles = linuxRoles()

func linuxRoles() map[string]agent.Role {
	all := roles(ofLinux)
	all["http-serve"] = agent.Server(serveHTTP)
	all["padi-flood"] = agent.Task(floodPADIs)
	all["pppoe-client"] = agent.Opening(openAccessClient)
	all["pppoe-concentrator"] = agent.Opening(openAccessConcentrator)
	all["subscribers"] = agent.Opening(openSubscribers)
	all["subscribers-serve"] = agent.Opening(serveSubscribers)
	return all
}
