// Package fib makes up routing tables that look like those of the Internet
// (RFC 3222): so many prefixes, as long as today's are, drawn with a seed. The
// same set is the same table everywhere.
//
// It installs nothing and speaks no routing protocol.
package fib
