//go:build linux || darwin || freebsd

package endhost

import "weir/internal/agent"

// fileRoles are those of systems that can be told to have a file out of memory.
var fileRoles = map[string]agent.Role{
	"disk":         agent.Task(timeDisk),
	"files-check":  agent.Task(checkFiles),
	"files-forget": agent.Task(forgetFiles),
	"files-make":   agent.Task(makeFiles),
	"files-room":   agent.Task(filesRoom),
	"files-sync":   agent.Task(syncFiles),
}
