//go:build unix && !(linux || darwin || freebsd)

package endhost

import "weir/internal/agent"

// fileRoles are none: the system cannot be told to have a file out of memory.
var fileRoles map[string]agent.Role
