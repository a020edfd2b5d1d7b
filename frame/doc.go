// Package frame is what is known about test frames without a kernel: sizes and
// rates, mixes, addresses, headers, checksums and the signature; a builder that
// makes the frames of a weir.Traffic and a parser that recognises them. Frames
// to replay come from a capture file.
//
// Most traffic is homogeneous: its frames differ in size and flow alone. Where
// there are more kinds of them (two families, extension headers, the frames of
// a capture) a cycle says which kind comes next, and the n-th frame of a kind
// has the n-th of its sizes and flows.
//
// The packet path makes the same frames from the same tables (Kind, SizeEntry,
// FlowEntry); Builder is its reference in plain Go. The 20 octets that a frame
// costs on the wire besides its own and the 4 of its FCS appear in this package
// only.
//
// It does not send or receive, keeps no time, counts nothing, and makes neither
// ARP nor Neighbor Discovery.
package frame
