package netif

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/settings"
)

// Forgotten are the commands, for a shell, that give a port what it forgets when it
// goes to another network namespace and comes back: sysctls, whether it is up, its
// addresses, permanent neighbours and routes. h is where it is now. A port that has
// what cannot be given back is an error.
func Forgotten(ctx context.Context, h weir.Host, name string) (string, error) {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return "", fmt.Errorf("find interface %s: %w", name, err)
	}
	lines := sysctlsOf(name)
	if up := link.Attrs().RawFlags&unix.IFF_UP != 0; up {
		if _, err := os.Stat(acceptDAD(name)); err == nil {
			lines = append(lines, "echo 0 > "+settings.Word(acceptDAD(name))) // until Settled
		}
		lines = append(lines, settings.Line("ip", "link", "set", "dev", name, "up"))
	}
	addresses, err := netlink.AddrList(link, netlink.FAMILY_ALL)
	if err != nil {
		return "", fmt.Errorf("list the addresses of %s: %w", name, err)
	}
	mode, _ := os.ReadFile("/proc/sys/net/ipv6/conf/" + name + "/addr_gen_mode") // none: a kernel without IPv6
	makes := strings.TrimSpace(string(mode)) != "1"                              // IN6_ADDR_GEN_MODE_NONE
	for _, a := range addresses {
		if !makes || !madeByKernel(a, link.Attrs().HardwareAddr) {
			lines = append(lines, addressLine(a, name))
		}
	}
	if hops, err := h.Run(ctx, "", "ip", "nexthop", "show", "dev", name); err == nil && strings.TrimSpace(hops) != "" {
		return "", fmt.Errorf("refused: %s has next hops of their own (ip nexthop show dev %s), and would lose them in a namespace of its own: delete them, use another port, or say {isolate: no}", name, name)
	}
	for _, ask := range [][]string{
		{"-4", "neighbor", "show", "nud", "permanent", "dev", name}, {"-6", "neighbor", "show", "nud", "permanent", "dev", name},
		{"-4", "route", "show", "table", "all", "dev", name}, {"-6", "route", "show", "table", "all", "dev", name},
	} {
		said, err := h.Run(ctx, "", append([]string{"ip", "-o"}, ask...)...)
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(said) {
			words := strings.Fields(line)
			if strings.Contains(line, " table local ") || strings.HasPrefix(line, "fe80::/64 ") || strings.Contains(line, " proto ra") {
				continue // they come with addresses, and from routers
			}
			words = slices.DeleteFunc(words, func(w string) bool { return w == "linkdown" || w == "dead" || w == "PERMANENT" })
			if ask[1] == "neighbor" {
				words = append(words, "nud", "permanent")
			}
			lines = append(lines, settings.Line(append([]string{"ip", ask[0], ask[1], "replace"}, append(words, "dev", name)...)...))
		}
	}
	several, err := severalWays(ctx, h, name)
	return script(append(lines, several...)), err
}

// madeByKernel reports whether the kernel gives a port an address, one of those of IPv6 for
// its link alone, by itself when it comes up (RFC 4291 appendix A, RFC 7217).
func madeByKernel(a netlink.Addr, mac net.HardwareAddr) bool {
	if !a.IP.IsLinkLocalUnicast() || a.IP.To4() != nil || len(mac) != 6 {
		return false
	}
	made := append(net.IP{0xfe, 0x80, 0, 0, 0, 0, 0, 0}, mac[0]^2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5])
	return a.Flags&unix.IFA_F_STABLE_PRIVACY != 0 || a.IP.Equal(made)
}

// severalWays are the commands for routes that go several ways, of which the port is
// one: each is given back with the last of the ports that it needs.
func severalWays(ctx context.Context, h weir.Host, name string) (lines []string, err error) {
	for _, family := range []string{"-4", "-6"} {
		said, err := h.Run(ctx, "", "ip", "-o", family, "route", "show", "table", "all")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(said) {
			if strings.Contains(line, " proto ra") {
				continue
			}
			words := slices.DeleteFunc(strings.Fields(strings.ReplaceAll(line, "\\", " ")), func(w string) bool { return w == "linkdown" || w == "dead" })
			var ports []string
			for i, w := range words {
				if w == "dev" && i+1 < len(words) {
					ports = append(ports, words[i+1])
				}
			}
			if !slices.Contains(words, "nexthop") || !slices.Contains(ports, name) {
				continue
			}
			there := []string{"ls", "-d"}
			for _, port := range ports {
				there = append(there, "/sys/class/net/"+port)
			}
			replace := append([]string{"ip", family, "route", "replace"}, words...)
			lines = append(lines, "if "+settings.Line(there...)+" >/dev/null 2>&1; then "+settings.Line(replace...)+"; fi")
		}
	}
	return lines, nil
}

// acceptDAD says whether a port asks the others on its link about its addresses before it
// uses them (RFC 4862 5.4), which takes up to two seconds. It has done so already.
func acceptDAD(name string) string { return "/proc/sys/net/ipv6/conf/" + name + "/accept_dad" }

// Settled is a command for a shell that waits until ports of the calling thread's
// namespace are as they are now: until those have a carrier again that have one, and
// addresses are in use. It ends what Forgotten has begun.
func Settled(names []string) string {
	var wait, last string
	var look []string
	for _, name := range names {
		if is, err := os.ReadFile(acceptDAD(name)); err == nil {
			file := settings.Word(acceptDAD(name))
			last += "; [ ! -e " + file + " ] || " + settings.Line("echo", strings.TrimSpace(string(is))) + " > " + file + " || failed=1"
		}
		carrier := "/sys/class/net/" + name + "/carrier"
		if is, err := os.ReadFile(carrier); err == nil && string(is) == "1\n" {
			wait += "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ \"$(" + settings.Line("cat", carrier) + " 2>/dev/null)\" = 0 ] || break; sleep 0.5; done; "
		}
		look = append(look, settings.Line("ip", "-6", "address", "show", "dev", name, "tentative")+" 2>/dev/null")
	}
	return wait + "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do [ -n \"$(" + strings.Join(look, "; ") + ")\" ] || break; sleep 0.2; done" + last + "; exit ${failed:-0}"
}

// script runs all commands, and fails where any of them does.
func script(lines []string) string {
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(line + " || failed=1\n")
	}
	return out.String() + "exit ${failed:-0}\n"
}

// addressLine is the command that gives a port an address.
func addressLine(a netlink.Addr, name string) string {
	words := []string{"ip", "address", "replace", a.IPNet.String()}
	if a.Peer != nil && a.Peer.String() != a.IPNet.String() {
		words = []string{"ip", "address", "replace", a.IP.String(), "peer", a.Peer.String()}
	}
	if a.Broadcast != nil {
		words = append(words, "broadcast", a.Broadcast.String())
	}
	words = append(words, "scope", strconv.Itoa(a.Scope), "dev", name)
	if a.Label != "" && a.Label != name {
		words = append(words, "label", a.Label)
	}
	if a.ValidLft > 0 && a.Flags&unix.IFA_F_PERMANENT == 0 {
		words = append(words, "valid_lft", strconv.Itoa(a.ValidLft), "preferred_lft", strconv.Itoa(a.PreferedLft))
	}
	for flag, word := range map[int]string{unix.IFA_F_NOPREFIXROUTE: "noprefixroute", unix.IFA_F_NODAD: "nodad", unix.IFA_F_HOMEADDRESS: "home"} {
		if a.Flags&flag != 0 {
			words = append(words, word)
		}
	}
	return settings.Line(words...)
}

// sysctlsOf are the commands that set what sysctls of a port are not as a new port
// has them.
func sysctlsOf(name string) (lines []string) {
	for _, table := range []string{"ipv4/conf", "ipv6/conf", "ipv4/neigh", "ipv6/neigh"} {
		dir := "/proc/sys/net/" + table + "/"
		files, _ := os.ReadDir(dir + name) // none: a kernel without the family
		for _, f := range files {
			key, file := f.Name(), filepath.Join(dir, name, f.Name())
			is, err := os.ReadFile(file)
			usual, none := os.ReadFile(dir + "default/" + key)
			if err == nil && none == nil && string(is) != string(usual) && key != "mtu" && key != "accept_dad" { // the one follows the port's, the other is Settled's
				lines = append(lines, settings.Line("echo", strings.TrimSpace(string(is)))+" > "+settings.Word(file))
			}
		}
	}
	return lines
}
