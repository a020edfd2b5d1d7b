// Package service runs the programs of others beside what else happens: it finds
// and configures them, waits until they are ready, notices when they end, says
// why, and leaves nothing behind. Those of a DUT's control plane are here too: the
// routing daemon BIRD and the SNMP agent of Net-SNMP; and so are the programs that
// people have at the ends of a PPPoE line, each with a configuration made of one
// description.
//
// It speaks to a weir.Host that is a weir.Starter. It speaks no BGP, no SNMP and no PPP,
// and moves no octets: who talks to the programs is another's business.
package service
