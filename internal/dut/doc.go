// Package dut knows how the operating system of a device under test is told to
// forward frames, and what its counters say. It speaks to a weir.Host only, so
// it works in a namespace, over SSH and in a replayed transcript alike.
package dut
