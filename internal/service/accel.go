package service

import (
	"fmt"
	"strings"
)

// AccelPPP is a concentrator: accel-ppp, of which the kernel moves the datagrams. Debian has
// no package of it.
func AccelPPP(l PPPoE) (Program, error) {
	modules := []string{"log_file", "pppoe"}
	for _, p := range l.Proofs {
		modules = append(modules, map[string]string{proofCHAP: "auth_chap_md5", proofPAP: "auth_pap"}[p])
	}
	modules = append(modules, "ippool", "chap-secrets")
	ipv6 := "deny"
	if l.IPv6 {
		ipv6 = "allow"
	}
	var b strings.Builder
	section := func(name string, lines ...string) {
		fmt.Fprintf(&b, "[%s]\n%s\n\n", name, strings.Join(lines, "\n"))
	}
	section("modules", modules...)
	section("core", "thread-count=2")
	section("ppp", "verbose=1", fmt.Sprintf("mtu=%d", l.mtu()), fmt.Sprintf("mru=%d", l.mtu()), "ccp=0", "ipv4=require", "ipv6="+ipv6,
		"lcp-echo-interval=30", "lcp-echo-failure=3")
	line := []string{"verbose=1", "interface=" + l.Interface, "ac-name=" + l.Name}
	if l.Service != "" {
		line = append(line, "service-name="+l.Service)
	}
	section("pppoe", line...)
	pool := []string{"gw-ip-address=" + l.Local.String()}
	for _, r := range ranges(l.Pool, l.Sessions) {
		pool = append(pool, fmt.Sprintf("%v-%d", r[0], r[1].As4()[3]))
	}
	section("ip-pool", pool...)
	var dns []string
	for i, d := range l.DNS {
		dns = append(dns, fmt.Sprintf("dns%d=%v", i+1, d))
	}
	if len(dns) > 0 {
		section("dns", dns...)
	}
	section("chap-secrets", "gw-ip-address="+l.Local.String(), "chap-secrets=secrets")
	section("log", "log-file=/dev/stderr", "level=3")
	return Program{
		Name: "accel-pppd", Of: "accel-ppp, a PPPoE concentrator", Source: "accel-ppp (of its own project)", Family: true,
		Files: map[string]string{"config": strings.TrimSuffix(b.String(), "\n"), "secrets": pppdSecrets(l)},
		Argv:  func(string) []string { return []string{"-c", "config"} },
	}, nil
}
