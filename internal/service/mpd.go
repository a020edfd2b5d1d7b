package service

import (
	"fmt"
	"slices"
	"strings"
)

// MPD is a client: FreeBSD's mpd5, of which the kernel moves the datagrams (ng_pppoe(4),
// ng_ppp(4), ng_iface(4)). It ends when its session does.
func MPD(l PPPoE) (Program, error) {
	bundle := []string{"create bundle static B", "set ipcp ranges 0.0.0.0/0 0.0.0.0/0"}
	link := []string{"create link static L pppoe", "set link action bundle B", "set link disable pap chap eap", "set link deny pap chap eap"}
	for _, p := range l.Proofs {
		link = append(link, "set link accept "+mpdProof(p))
	}
	for _, u := range l.Users {
		link = append(link, "set auth authname "+u.Name, "set auth password "+u.Secret)
	}
	link = append(link, "set link max-redial -1") // it does not try again
	service := l.Service
	if l.Name != "" {
		service = l.Name + `\\` + l.Service // of which it reads one of two backslashes
	}
	link = append(link, fmt.Sprintf(`set pppoe service "%s"`, service))
	if l.mtu() > usualMTU {
		link = append(link, fmt.Sprintf("set pppoe max-payload %d", l.mtu()))
	}
	return mpd(l, "mpd5, a client of PPPoE", bundle, append(link, "open"), "-o"), nil
}

// MPDServer is a concentrator: FreeBSD's mpd5.
func MPDServer(l PPPoE) (Program, error) {
	if l.mtu() > usualMTU {
		return Program{}, fmt.Errorf("an MTU of %d: as a concentrator mpd5 does not know RFC 4638, and carries %d octets at most", l.mtu(), usualMTU)
	}
	bundle := []string{
		fmt.Sprintf("set ippool add pool %v %v", l.Pool, nth(l.Pool, l.Sessions-1)),
		"create bundle template B", fmt.Sprintf("set ipcp ranges %v/32 ippool pool", l.Local),
	}
	if len(l.DNS) > 0 {
		bundle = append(bundle, "set ipcp dns"+spaced(l.DNS))
	}
	link := []string{"create link template L pppoe", "set link action bundle B", "set link disable pap chap eap"}
	for _, p := range l.Proofs {
		link = append(link, "set link enable "+mpdProof(p))
	}
	service := l.Service
	if service == "" {
		service = "*"
	}
	link = append(link, "set pppoe acname "+l.Name, fmt.Sprintf(`set pppoe service "%s"`, service),
		fmt.Sprintf("set link max-children %d", l.Sessions), "set link enable incoming")
	return mpd(l, "mpd5, a PPPoE concentrator", bundle, link), nil
}

// mpd is either, with what both are told.
func mpd(l PPPoE, of string, bundle, link []string, options ...string) Program {
	if l.IPv6 {
		bundle = append(bundle, "set bundle enable ipv6cp")
	}
	// The link's interface stands after the line that makes the link.
	common := []string{"set pppoe iface " + l.Interface, fmt.Sprintf("set link mtu %d", l.mtu()), fmt.Sprintf("set link mru %d", l.mtu()),
		"set link no acfcomp protocomp", "set link keep-alive 30 90"}
	link = slices.Insert(link, 1, common...)
	var secrets strings.Builder
	for _, u := range l.Users {
		fmt.Fprintf(&secrets, "%s %q", u.Name, u.Secret)
		if u.Address.IsValid() {
			fmt.Fprintf(&secrets, " %v", u.Address)
		}
		secrets.WriteString("\n")
	}
	return Program{
		Name: "mpd5", Of: of, Source: "mpd5 (of FreeBSD's ports)", Family: true,
		Files: map[string]string{"mpd.conf": "default:\n\t" + strings.Join(append(bundle, link...), "\n\t") + "\n", "mpd.secret": secrets.String()},
		Argv: func(folder string) []string {
			return append(options, "-d", folder, "-p", folder+"/pid")
		},
	}
}

// mpdProof is what mpd5 calls a proof.
func mpdProof(p string) string {
	if p == proofCHAP {
		return "chap-md5"
	}
	return p
}
