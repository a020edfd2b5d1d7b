// Command peers sends the same 64-octet frames over the same veth pair to the
// same XDP sink with weir's generator and with other packet generators, in
// turn, and prints how many a second arrived.
//
// Every sender runs on one CPU, the sink on another. What counts is what the
// sink saw while the sender was running steadily, not what the sender says of
// itself. Everything happens in network namespaces that die with the program.
//
// Two rows are no generators but limits: the kernel's empty loop, and a bare
// program that redirects a page to the sink and looks at nothing.
//
// It measures no router, paces nothing and keeps no history.
package main
