package service

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// pppdFolder is where pppd looks for secrets: it has no option for that.
const pppdFolder = "/etc/ppp"

// PPPD is a client: pppd with its plugin for PPPoE, which Debian's package ppp has. It ends
// when its session does. Its device is named ppp0 when there is no other one.
func PPPD(l PPPoE) (Program, error) {
	options := []string{"plugin rp-pppoe.so", "nic-" + l.Interface, "noauth", "noipdefault"}
	if l.Service != "" {
		options = append(options, "pppoe-service "+l.Service)
	}
	if l.Name != "" {
		options = append(options, "pppoe-ac "+l.Name)
	}
	for _, u := range l.Users {
		options = append(options, "user "+u.Name)
	}
	for _, p := range []string{proofCHAP, proofPAP} {
		if !slices.Contains(l.Proofs, p) {
			options = append(options, "refuse-"+p)
		}
	}
	options = append(options, "refuse-mschap", "refuse-mschap-v2", "refuse-eap", fmt.Sprintf("mtu %d", l.mtu()), fmt.Sprintf("mru %d", l.mtu()))
	return Program{
		Name: "pppd", Of: "pppd, a client of PPPoE", Source: "ppp", Instead: pppdFolder, Family: true,
		Files: pppdFiles(l, options),
		Argv: func(string) []string {
			return []string{"nodetach", "logfd", "2", "file", pppdFolder + "/" + pppdOptions}
		},
	}, nil
}

// PPPDServer is a concentrator: rp-pppoe's pppoe-server, which Debian's package pppoe has,
// with a pppd for each session. A program moves the octets between that and the port:
// Debian's is built without the kernel's way.
func PPPDServer(l PPPoE) (Program, error) {
	if i := slices.IndexFunc(l.Users, func(u PPPoEUser) bool { return u.Address.IsValid() }); i >= 0 {
		return Program{}, fmt.Errorf("user %q has an address of their own: rp-pppoe gives those of its pool, whoever asks", l.Users[i].Name)
	}
	options := []string{"auth", "logfile " + pppdFolder + "/log"} // it has none of the files of its parent
	for _, p := range l.Proofs {
		options = append(options, "require-"+p)
	}
	for _, d := range l.DNS {
		options = append(options, "ms-dns "+d.String())
	}
	argv := []string{"-F", "-I", l.Interface, "-C", l.Name, "-L", l.Local.String(), "-R", l.Pool.String(), "-N", strconv.Itoa(l.Sessions), "-O", pppdFolder + "/" + pppdOptions}
	if l.Service != "" {
		argv = append(argv, "-S", l.Service)
	}
	return Program{
		Name: "pppoe-server", Of: "rp-pppoe, a PPPoE concentrator", Source: "pppoe", Instead: pppdFolder, Family: true,
		Files: pppdFiles(l, options),
		Argv:  func(string) []string { return argv },
	}, nil
}

// pppdOptions is the name of the file that has them.
const pppdOptions = "line"

// pppdFiles are the files of either: options, and secrets for both ways to prove one's name.
func pppdFiles(l PPPoE, options []string) map[string]string {
	family := "noipv6"
	if l.IPv6 {
		family = "+ipv6"
	}
	options = append(options, family, "lcp-echo-interval 30", "lcp-echo-failure 3", "noccp", "novj", "nodefaultroute")
	return map[string]string{pppdOptions: strings.Join(options, "\n") + "\n", "chap-secrets": pppdSecrets(l), "pap-secrets": pppdSecrets(l)}
}

// pppdSecrets are secrets in pppd's form: who, to whom, the secret, and the address.
func pppdSecrets(l PPPoE) string {
	var b strings.Builder
	for _, u := range l.Users {
		address := "*"
		if u.Address.IsValid() {
			address = u.Address.String()
		}
		fmt.Fprintf(&b, "%q * %q %s\n", u.Name, u.Secret, address)
	}
	return b.String()
}
