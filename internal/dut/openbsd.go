package dut

import "weir"

// openbsd forwards with the kernel's own IP stack. What its manuals do not have is
// refused: they are complete.
var openbsd = bsd{
	name:     "OpenBSD",
	quick:    []string{"net.inet6.ip6.dad_count"},
	replaces: []string{"-F"},
	pinned:   []string{"permanent"},
	shown: []string{
		"net.inet.ip.forwarding", "net.inet6.ip6.forwarding", "net.inet.ip.redirect", "net.inet6.ip6.redirect", "net.inet.tcp.tso",
		"net.inet.ip.ifq.maxlen", "net.inet.ip.mtudisc",
	},
	traits:   []string{"hw.vendor", "hw.product", "hw.smt", "hw.ncpuonline", "hw.perfpolicy", "hw.cpuspeed", "kern.timecounter.hardware"},
	counters: []string{"netstat", "-i", "-n"},
	queues:   []string{"net.inet.ip.ifq.drops", "net.inet6.ip6.ifq.drops"},
	mean:     "hw.ncpuonline",
	policer:  "its queues limit bits, and are not in anchors, which hold rules and tables (pf.conf(5)): the main rules are the user's",
	levels: levels{
		tunings: tableOf("OpenBSD", []tuning{
			capability("lro", "the port joins frames of one flow", []string{"ifconfig"}, []string{"hwfeatures"}, "tcplro"),
			switchedSysctls("tso", "ports cut streams of TCP into frames", "1", "0", "net.inet.tcp.tso"),
			bsdMTU, bsdSysctl, bsdCommand,
		},
			"fastforward", "it has one way of forwarding",
			"polling", "it has none",
			"netisr", "its network threads have no such setting",
			"entropy", "it cannot be told where entropy comes from",
			"flow_control", "ifconfig(8) has no word for it",
			"gro", "it joins frames of TCP alone, by lro",
			"rps", "it has none",
			"queues", "its drivers have as many as they choose",
			"ring", "its drivers have as many entries as they choose",
			"irq", "it has no word for it",
			"qdisc", "its queues are those of pf.conf(5), which weir does not write",
			"cpus", "weir cannot tell it on how many CPUs it forwards",
			"conntrack", "it is set limit states of pf.conf(5), which is the user's",
			"program", "programs that stay are not started by SSH",
		),
		firewalls: firewalls{{weir.PF, pfStates, openbsdPF.check, openbsdPF.set, deniedPF}},
	},
}
