// Package shell makes a host of a POSIX shell at the other end of a stream: a
// connection of SSH, the console of a virtual machine. All that it takes of the other
// side is sh with printf, cat, grep, ps and kill.
//
// Commands run one after the other in one shell, so that each takes one turn of the
// stream and no connection of its own. The package does not know how a stream comes
// about.
package shell
