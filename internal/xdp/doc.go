// Package xdp is the packet path: eBPF programs that build and pace test
// frames (generator, and assorted where these are of several kinds), count and
// time them (receiver), or do neither (plain), one that forwards packets in a DUT
// (forwarder), and some that move the data frames of PPPoE sessions (access), with
// what loads, runs and reads them. Only this package speaks BPF.
//
// It does not make interfaces or namespaces, does not know what a trial means,
// and decides nothing about loss.
package xdp

//go:generate ./generate generator
//go:generate ./generate assorted
//go:generate ./generate receiver
//go:generate ./generate plain
//go:generate ./generate forwarder
//go:generate ./generate access
//go:generate ./generate preempt
