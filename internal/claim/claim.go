// Package claim decides which name a result has earned, and which demands of
// the RFCs it keeps and misses: one checklist for each procedure.
//
// A claim follows from what was done: from the trials as they were recorded,
// and from the bounds that a search was left with. What a plan asked for is
// not looked at. The package does no I/O, and performs and orders no trial.
//
// What a text demands in a definition or a procedure, without one of the words
// of RFC 2119, counts as a MUST: without it the name would mean something else.
package claim

import "weir"

// checklists has a checklist for each method.
var checklists = []struct {
	method string
	check  func(evidence) weir.Claim
}{
	{"self-test", selfTest},
	{"sweep", windows},
	{"saturated", saturated},
	{"frmol", frmol},
	{"throughput", throughput},
	{"mfr", mfr},
	{"mlrsearch", mlrSearch},
	{"rfc8219-latency", typicalLatency},
	{"pdv", pdv},
	{"ipdv", ipdv},
	{"jitter", jitter},
	{"fib-learning", fibLearning},
	{"bgp-convergence", convergence},
	{"overload", overload},
	{"soak", soak},
	{"latency", latency},
	{"loss-rate", lossRate},
	{"back-to-back", backToBack},
	{"rfc9004-back-to-back", backToBack9004},
	{"recovery", recovery},
	{"reset", reset},
	{"tcp", stream},
	{"udp", udpStream},
	{"connections", connections},
	{"loaded-latency", loadedLatency},
	{"iperf3", stream},
	{"iperf", stream},
	{"netperf", stream},
	{"ftp", fileTransfer},
	{"smb", fileTransfer},
	{"http", fileTransfer},
	{"sftp", fileTransfer},
	{"rsync", fileTransfer},
	{"pipe", fileTransfer},
	{"rfc6349", tcpThroughput},
}

// Check is the claim of a result, from the trials that were made for it: those
// of its method, in the order of measuring. Attempts that were repeated may be
// among them or not. A result of an unknown method is called by the method's
// name.
func Check(r weir.Result, trials []weir.TrialResult) weir.Claim {
	for _, c := range checklists {
		if c.method != r.Method {
			continue
		}
		e := evidence{Result: r, trials: counted(r.Method, trials)}
		if len(e.trials) == 0 {
			return weir.Claim{Name: "nothing measured"}
		}
		return c.check(e)
	}
	return weir.Claim{Name: r.Method}
}
