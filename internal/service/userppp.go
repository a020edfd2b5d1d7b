package service

import (
	"fmt"
	"slices"
	"strings"
)

// userPPPFolder is where FreeBSD's ppp(8) looks for its files: it has no option for that.
const userPPPFolder = "/etc/ppp"

// userPPPLine is the label of the line in ppp.conf.
const userPPPLine = "line"

// UserPPP is a client: FreeBSD's ppp(8), which moves the octets itself between ng_pppoe(4)
// and a tun(4). It ends when its session does.
func UserPPP(l PPPoE) (Program, error) {
	provider := l.Service
	if l.Name != "" {
		provider = l.Name + `\\` + l.Service // ng_pppoe(4); ppp(8) reads one of two backslashes
	}
	device := "PPPoE:" + l.Interface
	if provider != "" {
		device += ":" + provider
	}
	lines := []string{"set device " + device, "set speed sync", "set dial", "set login"}
	for _, u := range l.Users {
		lines = append(lines, "set authname "+u.Name, "set authkey "+u.Secret)
	}
	for _, p := range []string{proofCHAP, proofPAP} {
		word := "deny"
		if slices.Contains(l.Proofs, p) {
			word = "accept"
		}
		lines = append(lines, word+" "+p)
	}
	lines = append(lines, "deny chap80 chap81", "set ifaddr 10.0.0.1/0 10.0.0.2/0 255.255.255.255 0.0.0.0")
	return userPPP(l, "ppp", "ppp(8), a client of PPPoE", lines, []string{"-foreground", userPPPLine})
}

// UserPPPServer is a concentrator: FreeBSD's pppoed(8), with a ppp(8) for each session.
func UserPPPServer(l PPPoE) (Program, error) {
	lines := []string{"allow mode direct"}
	for _, p := range l.Proofs {
		lines = append(lines, "enable "+p)
	}
	pool := ranges(l.Pool, l.Sessions)
	if len(pool) != 1 {
		return Program{}, fmt.Errorf("ppp(8) takes a pool whose addresses differ in their last octet alone, and not %d from %v on: give it a smaller one", l.Sessions, l.Pool)
	}
	lines = append(lines, fmt.Sprintf("set ifaddr %v %v-%v 255.255.255.255", l.Local, pool[0][0], pool[0][1]))
	if len(l.DNS) > 0 {
		lines = append(lines, "set dns"+spaced(l.DNS), "accept dns")
	}
	service := l.Service
	if service == "" {
		service = "*"
	}
	return userPPP(l, "pppoed", "pppoed(8), a PPPoE concentrator", lines, []string{"-F", "-a", l.Name, "-p", service, "-l", userPPPLine, l.Interface})
}

// userPPP is either, with what both are told.
func userPPP(l PPPoE, name, of string, lines, argv []string) (Program, error) {
	if l.mtu() > usualMTU {
		return Program{}, fmt.Errorf("an MTU of %d: ppp(8) does not know RFC 4638, and carries %d octets at most", l.mtu(), usualMTU)
	}
	ipv6 := "disable"
	if l.IPv6 {
		ipv6 = "enable"
	}
	lines = append(lines, fmt.Sprintf("set mtu %d", l.mtu()), fmt.Sprintf("set mru %d", l.mtu()), ipv6+" ipv6cp",
		"disable acfcomp protocomp vjcomp deflate pred1", "deny acfcomp protocomp vjcomp deflate pred1",
		"disable lqr", "enable echo", "set echoperiod 30", "set timeout 0")
	var secrets strings.Builder
	for _, u := range l.Users {
		fmt.Fprintf(&secrets, "%s %s", u.Name, u.Secret)
		if u.Address.IsValid() {
			fmt.Fprintf(&secrets, " %v", u.Address)
		}
		secrets.WriteString("\n")
	}
	return Program{
		Name: name, Of: of, Source: "FreeBSD's base system", Family: true, Instead: userPPPFolder,
		Files: map[string]string{"ppp.conf": userPPPLine + ":\n " + strings.Join(lines, "\n ") + "\n", "ppp.secret": secrets.String()},
		Argv:  func(string) []string { return argv },
	}, nil
}
