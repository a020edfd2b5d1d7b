package dut

import "weir"

// netbsd forwards with the kernel's own IP stack.
var netbsd = bsd{
	name: "NetBSD",
	// It looks for other hosts with an address of IPv4, too.
	quick: []string{"net.inet.ip.dad_count", "net.inet6.ip6.dad_count"},
	shown: []string{
		"net.inet.ip.forwarding", "net.inet6.ip6.forwarding", "net.inet.ip.redirect", "net.inet6.ip6.redirect",
		"net.inet.ip.maxflows", "net.inet6.ip6.maxflows", "net.inet.ip.ifq.maxlen",
	},
	traits:   []string{"machdep.cpu_brand", "machdep.hypervisor", "hw.ncpuonline", "kern.timecounter.hardware"},
	virtual:  "machdep.hypervisor",
	bare:     "none",
	bridges:  []string{"brconfig", "-a"},
	counters: []string{"netstat", "-i", "-n", "-d"},
	queues:   []string{"net.inet.ip.ifq.drops", "net.inet6.ip6.ifq.drops"},
	policer:  "npf(7) limits no rate",
	levels: levels{
		tunings: tableOf("NetBSD", []tuning{
			capability("tso", "the port cuts streams of TCP into frames", []string{"ifconfig"}, nil, "tso4", "tso6"),
			// 256 is what a kernel has when it starts.
			switchedSysctls("fastforward", "packets of known flows are forwarded at once", "256", "0", "net.inet.ip.maxflows", "net.inet6.ip6.maxflows"),
			bsdMTU, bsdSysctl, bsdCommand,
		},
			"lro", "its ifconfig(8) has no word for it",
			"polling", "it has none",
			"netisr", "its packet queues have no such setting",
			"entropy", "rndctl(8) tells it source by source: set it with command",
			"flow_control", "it is an option of the media (ifconfig IF media ... mediaopt flowcontrol) that not all drivers have: set it with command",
			"gro", "it has none",
			"rps", "it has none",
			"queues", "its drivers have as many as they choose",
			"ring", "its drivers have as many entries as they choose",
			"irq", "intrctl(8) has no undo that weir knows: set it with command",
			"qdisc", "it has ALTQ in kernels that are built for it alone",
			"cpus", "weir cannot tell it on how many CPUs it forwards",
			"conntrack", "npf has no limit of connections",
			"program", "programs that stay are not started by SSH",
		),
		firewalls: firewalls{{weir.NPF, nil, checkNPF, setNPF, deniedNPF}},
	},
}
