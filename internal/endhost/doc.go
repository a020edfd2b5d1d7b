// Package endhost holds the roles of weir's own program at an end host of a
// transfer: it sends and takes streams, makes and checks files, times a disk,
// probes a path, is an end of the access line that leads there,
// or many subscribers of one. Each is a process of its own, by the protocol of package agent.
//
// The package knows no lab and no other program; who starts the roles, and what
// is made of what they tell, is workload's business.
package endhost
