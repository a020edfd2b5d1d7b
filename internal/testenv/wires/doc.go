// Package wires captures what passes the interfaces of a namespace, and finds what
// of it is weir's: a lab's traffic is not to be seen on the machine's own.
package wires
