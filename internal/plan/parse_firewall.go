package plan

import (
	"weir"
	"weir/internal/schema"
)

// noFirewall is how a plan says that there is none.
const noFirewall = "none"

// firewall reads a kind, or an object.
func (r *reader) firewall(n node, f *weir.Firewall) {
	*f = weir.Firewall{}
	kind := oneOf("kind", &f.Kind, noFirewall, weir.Stateless, weir.Stateful, weir.NAT)
	before := len(r.mistakes)
	if n.kind == object {
		r.object(n, "a firewall", kind,
			scalarField("rules", &f.Rules, schema.Within(schema.Count, 0, mostRules)),
			oneOf("with", &f.With, weir.NFTables, weir.IPTables, weir.PF, weir.IPFW, weir.NPF))
		if _, ok := n.find("kind"); !ok && len(r.mistakes) == before {
			r.wrong(n, "which firewall? {kind: stateful, rules: 25}, say")
		}
	} else {
		kind.name = "firewall"
		kind.read(r, n)
	}
	if f.Kind == noFirewall {
		f.Kind = ""
		if *f != (weir.Firewall{}) && len(r.mistakes) == before {
			r.wrong(n, "no firewall has no rules: give it a kind (stateless, stateful or nat), or leave the rest out")
		}
	}
}
