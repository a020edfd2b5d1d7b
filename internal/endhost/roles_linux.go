package endhost

import "weir/internal/agent"

// Roles are those of an end host, by name.
var Roles = linuxRoles()

func linuxRoles() map[string]agent.Role {
	all := roles(ofLinux)
	all["http-serve"] = agent.Server(serveHTTP)
	all["pppoe-client"] = agent.Opening(openAccessClient)
	all["pppoe-concentrator"] = agent.Opening(openAccessConcentrator)
	return all
}
