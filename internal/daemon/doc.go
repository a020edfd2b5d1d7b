// Package daemon runs the programs of a DUT's control plane beside its
// forwarding: the routing daemon BIRD and the SNMP agent of Net-SNMP. It
// configures them, waits until they are ready, notices when they end, and
// leaves nothing behind.
//
// It speaks to a weir.Host that is a weir.Starter. It speaks no BGP and no
// SNMP: who talks to the daemons is another's business.
package daemon
