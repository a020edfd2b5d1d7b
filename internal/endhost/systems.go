package endhost

// System is what the roles of an end host can do on a system that is not Linux.
type System struct {
	Name  string // for people
	Files bool   // it makes files that are on a disk and not in memory
	Whole bool   // it can forbid that packets of IPv4 are fragmented, as all can those of IPv6
}

// Systems are by what uname(1) calls them, in small letters.
var Systems = map[string]System{
	"darwin":  {"macOS", true, true},
	"freebsd": {"FreeBSD", true, true},
	"netbsd":  {"NetBSD", false, false},
	"openbsd": {"OpenBSD", false, false},
}
