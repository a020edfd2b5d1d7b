package plan

import (
	"weir"
	"weir/internal/schema"
)

// noFirewall is how a plan says that there is none.
const noFirewall = "none"

// firewallField describes a firewall: its kind, or an object.
func (r *reader) firewallField(f *weir.Firewall) field {
	kind := oneOf("kind", &f.Kind, noFirewall, weir.Stateless, weir.Stateful, weir.NAT).means("see [experiments](experiments.md)", "").needed()
	fields := []field{kind,
		scalarField("rules", &f.Rules, schema.Within(schema.Count, 0, mostRules)).means("so many rules that a frame is held against in vain", "0"),
		oneOf("with", &f.With, weir.NFTables, weir.IPTables, weir.PF, weir.IPFW, weir.NPF).means("whose rules", "the system's own: `nftables` of Linux"),
	}
	shape := func() schema.Shape { return schema.Either(kind.shape(), objectOf("a firewall", fields...)) }
	return custom("firewall", shape, func(r *reader, n node) { r.firewall(n, f, fields) }).
		means("what is done with each frame before it is forwarded; `none`, `stateless`, `stateful`, `nat`, or `{kind: stateful, rules: 25, with: iptables}`, see [experiments](experiments.md)", "`none`")
}

// firewall reads a kind, or an object of fields, of which the kind is the first.
func (r *reader) firewall(n node, f *weir.Firewall, fields []field) {
	*f = weir.Firewall{}
	before := len(r.mistakes)
	if n.kind == object {
		r.object(n, "a firewall", fields...)
		if _, ok := n.find("kind"); !ok && len(r.mistakes) == before {
			r.wrong(n, "which firewall? {kind: stateful, rules: 25}, say")
		}
	} else {
		fields[0].read(r, n)
	}
	if f.Kind == noFirewall {
		f.Kind = ""
		if *f != (weir.Firewall{}) && len(r.mistakes) == before {
			r.wrong(n, "no firewall has no rules: give it a kind (stateless, stateful or nat), or leave the rest out")
		}
	}
}
