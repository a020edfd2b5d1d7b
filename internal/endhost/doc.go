// Package endhost holds the parts that weir's own program plays at an end host
// of a transfer: it sends and takes streams, makes and checks files, times a
// disk, probes a path. A part is a command, "weir end PART SETTINGS": settings
// are JSON, and so is each line that it prints.
//
// The package knows no lab and no other program; who starts the parts, and what
// is made of what they say, is workload's business.
package endhost
