package claim

import "weir"

// checklists are those of the methods that the tests know: they belong to methods.
var checklists = map[string]Checklist{
	"self-test": CheckTesterCeiling, "sweep": CheckWindows, "saturated": CheckSaturatedRate, "frmol": CheckFRMOL, "throughput": CheckThroughput,
	"mfr": CheckMFR, "mlrsearch": CheckMLRSearch, "rfc8219-latency": CheckTypicalLatency, "pdv": CheckPDV, "ipdv": CheckIPDV, "jitter": CheckJitter,
	"fib-learning": CheckFIBLearning, "bgp-convergence": CheckConvergence, "overload": CheckOverload, "soak": CheckSoak, "latency": CheckLatency,
	"loss-rate": CheckLossRate, "back-to-back": CheckBackToBack, "rfc9004-back-to-back": CheckBackToBack9004, "recovery": CheckRecovery, "reset": CheckReset,
	"tcp": CheckStream, "udp": CheckUDPStream, "connections": CheckConnections, "loaded-latency": CheckLoadedLatency,
	"iperf3": CheckStream, "iperf": CheckStream, "netperf": CheckStream, "rfc6349": CheckTCPThroughput,
	"pppoe-setup": CheckSubscribers, "pppoe-flood": CheckFlood,
	"ftp": CheckFileTransfer, "smb": CheckFileTransfer, "http": CheckFileTransfer, "sftp": CheckFileTransfer, "rsync": CheckFileTransfer, "pipe": CheckFileTransfer,
}

func checked(r weir.Result, trials []weir.TrialResult) weir.Claim {
	return checklists[r.Method].Claim(r, trials)
}
