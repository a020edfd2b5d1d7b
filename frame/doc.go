// Package frame is what is known about test frames without a kernel: sizes and
// rates, mixes, addresses, headers, checksums and the signature; a builder that
// makes the frames of a weir.Traffic and a parser that recognises them.
//
// The packet path makes the same frames from the same tables (Template,
// SizeEntry, FlowEntry); Builder is its reference in plain Go. The 20 octets
// that a frame costs on the wire besides its own and the 4 of its FCS appear in
// this package only.
//
// It does not send or receive, keeps no time, counts nothing, and makes neither
// ARP nor Neighbor Discovery.
package frame
