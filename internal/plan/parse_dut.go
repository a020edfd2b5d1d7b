package plan

import (
	"fmt"
	"net/url"
	"strings"

	"weir"
	"weir/fib"
	"weir/internal/dut"
	"weir/internal/schema"
)

func (r *reader) dut(n node, d *DUT) {
	if n.kind == scalar && n.text == NoDUT {
		d.Platform = NoDUT
		return
	}
	r.object(n, "dut", append([]field{
		oneOf("platform", &d.Platform, append(dut.Names(), Opaque, NoDUT)...),
		scalarField("host", &d.Host, parseHost),
		{"ports", func(r *reader, n node) {
			r.list(n, "ports", func(item node) { d.Ports = append(d.Ports, r.word(item, "ports")) })
		}},
		scalarField("layer", &d.Layer, schema.Within(schema.Int, 2, 3)),
		{"policer", func(r *reader, n node) {
			before := len(r.mistakes)
			r.object(n, "policer",
				oneOf("kind", &d.Policer.Kind, "nft", "tbf"),
				scalarField("rate", &d.Policer.Rate, schema.Rate))
			if len(r.mistakes) == before && (d.Policer.Kind == "" || d.Policer.Rate == 0) {
				r.wrong(n, "a policer needs a kind (nft or tbf) and a rate in frames/s")
			}
		}},
		{"reset_hook", func(r *reader, n node) {
			r.list(n, "reset_hook", func(n node) { d.ResetHook = append(d.ResetHook, r.word(n, "reset_hook")) })
		}},
	}, r.conditionFields(n, &d.Condition)...)...)
}

// parseHost reads where a DUT can be told things, as OpenSSH writes that.
func parseHost(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "ssh" || u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-"):
		return "", fmt.Errorf("%q is no host that SSH reaches, such as ssh://root@r1 or ssh://admin@192.0.2.1:2222", s)
	case u.Path != "" || u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%q has more than a user, a name and a port: ssh://root@r1:22", s)
	case u.User != nil && hasPassword(u.User):
		return "", fmt.Errorf("a password does not belong into a plan: give the host a key (ssh-copy-id), and write ssh://%s@%s", u.User.Username(), u.Host)
	}
	return s, nil
}

func hasPassword(u *url.Userinfo) bool {
	_, has := u.Password()
	return has
}

// conditionFields are how a DUT can be set, for the whole plan and for a level
// of it; n is where they stand.
func (r *reader) conditionFields(n node, c *weir.Condition) []field {
	return append([]field{
		scalarField("filters", &c.Filters, schema.Within(schema.Int, 0, mostFilters)),
		scalarField("management", &c.Management, schema.Bool),
		scalarField("updates", &c.Updates, schema.Bool),
		{"routes", func(r *reader, n node) { r.routes(n, &c.Routes) }},
		oneOf("napi", &c.NAPI, weir.Softirq, weir.Threaded, weir.BusyPoll),
		{"forwarding", func(r *reader, n node) {
			oneOf("forwarding", &c.Path, weir.PathStack, weir.PathXDP).read(r, n)
			if c.Path == weir.PathStack {
				c.Path = "" // which is the same
			}
		}},
		{"firewall", func(r *reader, n node) { r.firewall(n, &c.Firewall) }},
		{"access", func(r *reader, n node) { r.access(n, &c.Access) }},
		{"concentrator", func(r *reader, n node) { r.concentrator(n, &c.Access) }},
	}, r.tuningFields(n, c)...)
}

// routes reads a number of routes, or an object.
func (r *reader) routes(n node, s *weir.RouteSet) {
	if s.Family == "" {
		s.Family = r.family
	}
	if s.Seed == 0 {
		s.Seed = 1
	}
	count := scalarField("count", &s.Count, schema.Count)
	before := len(r.mistakes)
	if n.kind == scalar {
		scalarField("routes", &s.Count, schema.Count).read(r, n)
	} else {
		r.object(n, "routes",
			oneOf("family", &s.Family, weir.IPv4, weir.IPv6),
			count,
			scalarField("seed", &s.Seed, schema.Uint64),
			oneOf("via", &s.Via, weir.ViaNetlink, weir.ViaBGP))
		if _, ok := n.find("count"); !ok && s.Count == 0 {
			r.wrong(n, "how many routes? {count: 10k}, say")
		}
	}
	switch {
	case len(r.mistakes) > before:
	case s.Count == 0:
		*s = weir.RouteSet{}
	case s.Family != r.family:
		r.wrong(n, "these are routes of %s, and the traffic is %s: the frames go to the routes", s.Family, r.family)
	default:
		if err := fib.Check(*s); err != nil {
			r.wrong(n, "%v", err)
		}
	}
}
