// Package agent holds the roles that weir plays as processes of their own,
// inside the namespace of the DUT or of the tester: a program whose heart is
// listened to, one that watches it, a BGP neighbour, an SNMP manager, one that
// polls the DUT's ports. A process of its own has its own CPUs, its own priority
// and its own namespace, and the thread that measures knows nothing of it.
//
// A role takes requests as lines of JSON on its standard input and answers them
// in order on its standard output; Start starts one and Ask asks it. It ends
// with its standard input. While nothing was begun a role sleeps.
//
// The package starts no routing daemon and does not know what a trial is.
package agent
