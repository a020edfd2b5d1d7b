// Package agent has weir's own program do something in a process of its own: in
// the namespace of the DUT, of the tester or of an end host. Such a process has
// its own CPUs, priority and namespace, and the thread that measures knows
// nothing of it.
//
// What a process does is its role. Run plays one and needs a stream each way: a
// request is a line of JSON, and so is its answer, in the order of the requests.
// The first request opens the role, with its settings. A process ends when its
// input does. Whoever started it holds that open, so no process outlives its
// starter.
//
// The package also has the roles beside the DUT's forwarding: a program with a
// heartbeat, one that watches it, a BGP neighbour, an SNMP manager, one that
// polls the DUT's ports, one that times a cache line between two CPUs; and one that
// reads a host, which every system can play.
// It starts no routing daemon and does not know what a trial is.
package agent
