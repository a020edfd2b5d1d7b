// Package weir is the vocabulary of a router benchmark: what is asked of a
// tester, what came of it, and what may be said about it. Names and meanings
// are those of RFC 1242, RFC 2285 and RFC 2544.
//
// Units are base units everywhere: frames per second, octets, seconds or
// time.Duration. Frame sizes count the octets of an Ethernet frame with its
// 4-octet FCS. Scaling (kpps, Mbit/s) belongs to the reports.
//
// The package does no I/O and knows no network, no store and no kernel; it
// depends on the standard library only.
package weir

// Version is the version of weir that wrote a result. It is recorded in every
// manifest.
const Version = "0.1.0"
