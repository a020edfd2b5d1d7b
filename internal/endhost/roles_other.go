//go:build unix && !linux

package endhost

// Roles are those of an end host, by name.
var Roles = roles(plain)
