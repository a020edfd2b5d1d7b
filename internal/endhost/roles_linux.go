package endhost

import "weir/internal/agent"

// Roles are those of an end host, by name.
var Roles = map[string]agent.Role{
	"connections-make":   agent.Task(makeConnections),
	"connections-serve":  agent.Opening(serveConnections),
	"disk":               agent.Task(timeDisk),
	"echo-send":          agent.Task(sendEchoes),
	"echo-serve":         agent.Server(serveEchoes),
	"files-check":        agent.Task(checkFiles),
	"files-forget":       agent.Task(forgetFiles),
	"files-make":         agent.Task(makeFiles),
	"files-room":         agent.Task(filesRoom),
	"files-sync":         agent.Task(syncFiles),
	"http-serve":         agent.Server(serveHTTP),
	"path-probe":         agent.Task(probePath),
	"pppoe-client":       agent.Opening(openAccessClient),
	"pppoe-concentrator": agent.Opening(openAccessConcentrator),
	"stream-connect":     agent.Opening(connectStreams),
	"stream-serve":       agent.Opening(serveStreams),
}
