package figures

import "weir"

// Advice is what to do about each warning; docs/results.md says it at more length.
var Advice = map[weir.WarningCode]string{
	weir.DiskBound:          "This is the rate of a disk, and the network may do more: take a faster disk, or files in memory (storage: memory).",
	weir.UnstableRate:       "No single number tells such a transfer: look at its seconds, and at what else the path carries.",
	weir.OfferedShort:       "The loss counts what was never sent: lower the load, give the tester more CPUs, or quiet the machine.",
	weir.TesterLimited:      "The DUT may do better than this: use a faster tester, more sending CPUs, or a slower DUT.",
	weir.BeyondTester:       "The result is from the loads below: lower the maximum in the plan, or give the tester more CPUs.",
	weir.ReceiverSaturated:  "These frames were lost by the tester, not by the DUT: give the receiver a CPU of its own.",
	weir.StealTime:          "Repeat it on dedicated CPUs or when the host is quiet; do not compare it with another run.",
	weir.BusyMachine:        "Stop what else runs on this machine, or keep it off the CPUs of the benchmark, and repeat.",
	weir.SharedCPU:          "Tester and DUT slow each other down: this is no measurement of the DUT alone. Use a machine with two or more CPUs.",
	weir.GeneratorStalled:   "Traffic paused and no burst made up for it; the rate is an average. Isolate the sending CPU and repeat.",
	weir.NegativeLoss:       "The counters contradict each other: discard this result, look for other traffic on the ports, and repeat.",
	weir.UnexplainedLoss:    "Some place that drops frames has no counter in the ledger: look at the DUT's own statistics.",
	weir.FramesCorrupt:      "Look for bad memory, cables or offloads: checksum and segmentation offloads first.",
	weir.FramesDuplicated:   "Look for a bridge loop, a mirror port, or a second path to the receiver.",
	weir.FramesReordered:    "The DUT spreads one flow over several queues or CPUs: look at its RSS, RPS and NAPI settings.",
	weir.NothingForwarded:   "Look at routes, neighbours, forwarding and firewall of the DUT: one frame should pass before many.",
	weir.NoisyResult:        "Take longer trials or more of them, or state a rate at a small loss instead.",
	weir.ShortWindows:       "Take longer windows (window): they should hold many more frames than the DUT can queue.",
	weir.SearchLimit:        "The truth may lie beyond the range that was searched: widen it.",
	weir.TrialRepeated:      "Only lossy trials are repeated, so a result may be a little high: compare all trials in the store.",
	weir.FormulaDoesNotHold: "Go by the figure in the warning; the one that the RFC's formula gives is another.",
	weir.EventLate:          "The moment at which it happened is in the trial's record: judge the result by that, or repeat.",
	weir.QueriesUnanswered:  "The DUT had no time for its management, or lost the queries: measure at a lower load, or probe its control plane (overload).",
	weir.StreamsUntold:      "Receive for a shorter time, or send with fewer CPUs: each send has a stream for each of them.",
	weir.WitnessSilent:      "The rates are as good as ever; only the drops are not told apart. Look at the switch's SNMP agent, and at how often it reads its counters.",
	weir.FramesLeftOut:      "The manifest says how many: the traffic is not quite that of the capture.",
	weir.ClaimNotEarned:     "See the claim for what it misses, and change the plan accordingly.",
	weir.NoRoundTrips:       "Look at the DUT's routes to the addresses that frames come from, and at its firewall: rates and losses are as good as without.",
	weir.PauseFrames:        "The loads were what flow control let through: turn it off at the tester's ports, or take it as a property of the box.",
	weir.MachineChanged:     "Trials from before and after the interruption may differ for that reason: measure anew if it matters.",
	weir.Interrupted:        "Go on with weir run --resume.",
	weir.SlowBackend:        "Use Linux 5.18 or newer with a native XDP driver on the port to get the fast generator.",
}
