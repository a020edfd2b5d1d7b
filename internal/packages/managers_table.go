package packages

// Manager installs the packages of a family of distributions.
type Manager struct {
	Program    string   // by which it is known
	Install    []string // the command that people give, before the names of packages
	Unattended []string // the same, which asks for nothing
	Refresh    []string // has to be done before it where the lists of packages are old or missing; nil: it does that itself
	systems    []string // what os-release(5) has as ID, or among ID_LIKE
	called     func(name) string
}

// managers are those that weir knows.
var managers = []Manager{
	{
		"apt-get", []string{"apt-get", "install"}, []string{"apt-get", "-y", "--no-install-recommends", "install"},
		[]string{"apt-get", "update"}, []string{"debian", "ubuntu"}, func(n name) string { return n.debian },
	},
	{
		"dnf", []string{"dnf", "install"}, []string{"dnf", "-y", "install"},
		nil, []string{"fedora", "rhel", "centos"}, func(n name) string { return n.fedora },
	},
	{
		"apk", []string{"apk", "add"}, []string{"apk", "add"},
		[]string{"apk", "update"}, []string{"alpine"}, func(n name) string { return n.alpine },
	},
	{
		"pacman", []string{"pacman", "-S", "--needed"}, []string{"pacman", "-S", "--needed", "--noconfirm"},
		nil, []string{"arch"}, func(n name) string { return n.arch },
	},
}

// name is what each family calls a package; "": it has none.
type name struct{ debian, fedora, alpine, arch string }

// names are the packages with programs that labs run at this machine. Those of Debian were
// installed; the others are from what their distributions call them, and were not.
var names = []name{
	{"iproute2", "iproute iproute-tc", "iproute2", "iproute2"},
	{"nftables", "nftables", "nftables", "nftables"},
	{"iptables", "iptables-nft", "iptables", "iptables"},
	{"conntrack", "conntrack-tools", "conntrack-tools", "conntrack-tools"},
	{"ethtool", "ethtool", "ethtool", "ethtool"},
	{"openssh-client", "openssh-clients", "openssh-client-default", "openssh"},
	{"ppp", "ppp", "ppp", "ppp"},
	{"pppoe", "rp-pppoe", "rp-pppoe", "rp-pppoe"},
	{"bird2", "bird", "bird", "bird"},
	{"snmpd", "net-snmp", "net-snmp", "net-snmp"},
	{"qemu-system-x86", "qemu-system-x86-core", "qemu-system-x86_64", "qemu-system-x86"},
}
