// Package pppoe is the protocol of an access line: discovery by PPPoE (RFC
// 2516, with the PPP-Max-Payload of RFC 4638) and PPP inside of it (RFC 1661:
// LCP; PAP, RFC 1334; CHAP with MD5, RFC 1994; IPCP, RFC 1332, with the name
// servers of RFC 1877; IPv6CP, RFC 5072), both ends of each. Link is an end of
// a PPP link; Client and Concentrator are the ends of a PPPoE session, and
// Subscribers many clients at one port.
//
// It does no I/O, starts no goroutine and has no clock: octets and the time go
// in, octets, events and the time of the next timer come out. Random octets are
// the system's, unless others are given. It sends no datagrams, does no
// compression, no multilink and no VLAN tags, and no Echo-Request of the size of
// the MRU (RFC 4638 section 5.2); what is discarded is counted, and Log has lines
// about it for whoever writes a log.
//
// No library does this. gopacket's layers have the headers alone, and what is
// in the tags and options not at all: they check the framing in the tests.
// github.com/katalix/go-l2tp/pppoe (MIT) has the packets of discovery: it takes
// any version, reads on behind the End-Of-List and into padding, knows no
// PPP-Max-Payload, and a PADS of an AC-System-Error alone is no packet to it.
// zouppp is a client, under a licence (GPL-3.0) that weir cannot take.
package pppoe
