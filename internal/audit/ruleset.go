package audit

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// ruleset is what `nft list ruleset` shows, as far as an audit asks for it.
type ruleset struct {
	lines  []string
	chains []chain
	fast   []chain // flowtables: their hook and devices
	legacy bool    // nft cannot write down all of it
}

// chain is a chain of a table, or a flowtable.
type chain struct {
	family, table, name string
	hook                string   // "": it is called by others alone
	devices             []string // of the hooks of a device; a * at the end stands for anything
	drops               bool     // what its rules let through
	nat                 bool     // it is one of type nat
	rules               []string // without what stands in quotes
	from, to            int      // its lines, to is behind the last one
}

func (c chain) String() string { return c.family + " " + c.table + " " + c.name }

var (
	quoted     = regexp.MustCompile(`"[^"]*"`)
	hooked     = regexp.MustCompile(`\bhook (\w+)`)
	deviceList = regexp.MustCompile(`\bdevices?\s*=?\s*(\{[^}]*\}|"[^"]*"|\S+)`)
	calls      = regexp.MustCompile(`\b(?:jump|goto) ([^\s,};]+)`)
	ofMap      = regexp.MustCompile(`\bvmap @`)
	// values are words that may be those of statements, and are none: types of ICMP, names of chains.
	values = regexp.MustCompile(`\b(?:type|jump|goto) (?:\{[^}]*\}|\S+)`)
	// tracking is what only connections that are tracked can be asked for, or have.
	tracking = regexp.MustCompile(`(^|\s)ct (state|status|mark|label|id|zone|direction|expiration|helper|count|timeout|expectation|original|reply|packets|bytes|avgpkt|proto-\w+|protocol|event)\b` +
		`|\b(masquerade|redirect|snat|dnat|synproxy)\b|\bflow (add|offload)\b`)
	legacyTracking = regexp.MustCompile(`xt (match "(conntrack|state|connmark|connbytes|connlimit|connlabel|helper|nfacct)"|target "(MASQUERADE|SNAT|DNAT|REDIRECT|NETMAP|CONNMARK|CT|SYNPROXY)")`)
)

// parseRuleset reads what nft lists. Tables that are dormant have no chains: nothing passes them.
func parseRuleset(text string) ruleset {
	r := ruleset{lines: strings.SplitAfter(text, "\n"), legacy: strings.Contains(text, "xt match") || strings.Contains(text, "xt target")}
	var family, table string
	var now *chain
	depth, dormant, first, fast := 0, false, 0, false
	for i, raw := range r.lines {
		line := strings.TrimSpace(raw)
		plain := quoted.ReplaceAllString(line, `""`)
		words := strings.Fields(plain)
		switch {
		case strings.HasPrefix(line, "#") || len(words) == 0:
			continue
		case depth == 0 && words[0] == "table" && len(words) >= 3:
			family, table, dormant, first = words[1], words[2], false, len(r.chains)
		case depth == 1 && words[0] == "flags" && slices.Contains(words, "dormant"):
			dormant = true
		case depth == 1 && (words[0] == "chain" || words[0] == "flowtable") && len(words) >= 2:
			now, fast = &chain{family: family, table: table, name: words[1], from: i}, words[0] == "flowtable"
		case depth >= 2 && now != nil && line != "}":
			now.read(line, plain)
		}
		depth += strings.Count(plain, "{") - strings.Count(plain, "}")
		switch {
		case depth == 1 && now != nil:
			now.to = i + 1
			if fast {
				r.fast = append(r.fast, *now)
			} else {
				r.chains = append(r.chains, *now)
			}
			now = nil
		case depth == 0 && dormant:
			r.chains, dormant = r.chains[:first], false
			r.fast = slices.DeleteFunc(r.fast, func(c chain) bool { return c.family == family && c.table == table })
		}
	}
	return r
}

// read reads a line of a chain.
func (c *chain) read(line, plain string) {
	isHook := hooked.FindStringSubmatch(plain)
	if isHook != nil && (strings.HasPrefix(plain, "type ") || strings.HasPrefix(plain, "hook ")) {
		c.hook = isHook[1]
		c.drops, c.nat = strings.Contains(plain, "policy drop"), strings.HasPrefix(plain, "type nat ")
	}
	switch {
	case c.hook != "" && (isHook != nil || strings.HasPrefix(plain, "devices")):
		if list := deviceList.FindStringSubmatch(line); list != nil {
			c.devices = strings.FieldsFunc(list[1], func(r rune) bool { return strings.ContainsRune(`{},;" `, r) })
		}
	case strings.HasPrefix(plain, "comment ") || strings.HasPrefix(plain, "flags "):
	default:
		c.rules = append(c.rules, plain)
		if legacyTracking.MatchString(line) {
			c.rules[len(c.rules)-1] += " ct state" // what nft cannot name
		}
	}
}

// reached are the chains that frames come to which pass one of a table: it, and those that it calls.
func (r ruleset) reached(from chain) []chain {
	all := []chain{from}
	for i := 0; i < len(all); i++ {
		text := strings.Join(all[i].rules, "\n")
		var called []string
		for _, m := range calls.FindAllStringSubmatch(text, -1) {
			called = append(called, m[1])
		}
		for _, c := range r.chains {
			same := c.family == from.family && c.table == from.table && c.hook == ""
			if same && (slices.Contains(called, c.name) || ofMap.MatchString(text)) && !slices.ContainsFunc(all, func(o chain) bool { return o.from == c.from }) {
				all = append(all, c)
			}
		}
	}
	return all
}

// tracks reports whether a rule of a chain has the connections of its family tracked, wherever the chain is.
func (c chain) tracks() bool {
	return c.nat || slices.ContainsFunc(c.rules, func(rule string) bool { return tracking.MatchString(values.ReplaceAllString(rule, "")) })
}

// without is the text without some chains.
func (r ruleset) without(chains []chain) string {
	var b strings.Builder
	for i, line := range r.lines {
		inOne := slices.ContainsFunc(chains, func(c chain) bool {
			blank := i == c.to && strings.TrimSpace(line) == "" // between it and the next
			return i >= c.from && i < c.to || blank
		})
		if !inOne {
			b.WriteString(line)
		}
	}
	return b.String()
}

// crossing is how frames get from one measured port to another.
type crossing struct {
	devices  []string // the ports, what they are part of and what they lie on; none: nobody knows them
	bridged  bool     // a bridge has two of the ports
	routed   bool     // not all of them are in that bridge
	member   bool     // a port is one of a bridge
	filtered []string // the families whose hooks bridged frames pass, too (br_netfilter)
}

// crossing finds out how frames are forwarded between the ports.
func (s *site) crossing(ctx context.Context) (crossing, error) {
	var c crossing
	bridges := s.bridges()
	for _, l := range s.links {
		c.devices = append(c.devices, l.Name, l.Master)
		if l.Info.Kind != "veth" {
			c.devices = append(c.devices, l.Lower)
		}
		c.member = c.member || slices.Contains(bridges, l.Master) || slices.Contains(bridges, l.Name)
	}
	c.devices = slices.DeleteFunc(c.devices, func(name string) bool { return name == "" })
	bridge, ports := "", 0
	for _, name := range bridges {
		if n := portsOf(s.links, name); n > ports {
			bridge, ports = name, n
		}
	}
	c.bridged, c.routed = ports > 1, ports < max(len(s.links), 2)
	if !c.bridged {
		return c, nil
	}
	for _, f := range []struct{ family, everywhere, bridge string }{
		{"ip", "bridge-nf-call-iptables", "nf_call_iptables"}, {"ip6", "bridge-nf-call-ip6tables", "nf_call_ip6tables"},
	} {
		for _, file := range []string{"/proc/sys/net/bridge/" + f.everywhere, "/sys/class/net/" + bridge + "/bridge/" + f.bridge} {
			on, there, err := s.number(ctx, file)
			if err != nil {
				return c, err
			}
			// The modules of a bridge have the second file always; without the first there is no br_netfilter.
			if !there && file[1] == 'p' {
				break
			}
			if there && on != 0 {
				c.filtered = append(c.filtered, f.family, "inet")
			}
		}
	}
	return c, nil
}

// passes reports whether frames that are forwarded pass a chain: by its hook, family and device.
func (c crossing) passes(at chain) bool {
	switch at.hook {
	case "":
		return false
	case "ingress", "egress":
		return len(c.devices) == 0 || slices.ContainsFunc(at.devices, func(name string) bool {
			start, any := strings.CutSuffix(name, "*")
			return slices.ContainsFunc(c.devices, func(d string) bool { return d == name || any && strings.HasPrefix(d, start) })
		})
	}
	way := at.hook == "prerouting" || at.hook == "forward" || at.hook == "postrouting"
	switch at.family {
	case "ip", "ip6", "inet":
		return way && c.ofFamily(at.family)
	case "bridge": // frames that are routed go up from a bridge, or down to it
		toOrFromHost := at.hook == "input" || at.hook == "output"
		return c.bridged && way || c.routed && c.member && (at.hook == "prerouting" || at.hook == "postrouting" || toOrFromHost)
	}
	return false
}

// portsOf counts the links that are ports of a bridge.
func portsOf(links []link, bridge string) (n int) {
	for _, l := range links {
		if l.Master == bridge {
			n++
		}
	}
	return n
}

// ofFamily reports whether frames pass the hooks of a family, or are tracked by it.
func (c crossing) ofFamily(family string) bool {
	if family == "bridge" {
		return c.bridged
	}
	return c.routed || slices.Contains(c.filtered, family)
}
