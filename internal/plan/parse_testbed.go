package plan

import (
	"weir"
	"weir/internal/schema"
	"weir/internal/sim"
)

// The kinds of testbed that a plan may ask for.
const (
	NetNS = "netns" // network namespaces of this machine
	Ports = "ports" // ports of this machine, and whatever they are connected with
	Sim   = "sim"   // a model of a DUT in simulated time
	VM    = "vm"    // a machine that QEMU runs
)

// Testbed is the place of a campaign.
type Testbed struct {
	Kind string        // NetNS, Ports, Sim or VM
	Name string        // for people; "": it has none
	CPUs weir.CPUs     // who runs where; empty sets are chosen by the testbed
	Link float64       // media rate in bit/s; 0 when the links have none
	Ends []weir.Tuning // of the end hosts, of kinds NetNS and Ports: their sysctls, and Congestion
	Sim  sim.Config    // of kind Sim
	Arms int           // DUTs side by side; 0: there is one

	Machine Machine // of kind VM

	// Of kind Ports; of kind VM the networks alone.
	Ports               []string   // pairs of them, 0 with 1: by name, Ethernet address or PCI address; of other machines all of them, as FarPort
	Hosts               [2]EndHost // in place of ports of this machine, where SSH reaches the end hosts; otherwise without anything
	Networks            []Network  // of the ports
	Isolate             bool       // whether they have a namespace of their own meanwhile
	AllowDefaultRoute   bool       // also ports that lead to the networks that the machine lives on
	AllowAnyDestination bool       // also frames to other networks than those for benchmarks
	Witness             Witness    // counts drops where frames go through; none when it has no address
}

// testbed reads where is measured.
func (r *reader) testbed(n node, t *Testbed) {
	kind, _ := n.find("kind")
	what, fields := r.testbedFields(kind.text, t)
	r.object(n, what, fields...)
	switch kind.text {
	case Ports:
		given := len(t.Networks)
		r.fillNetworks(t)
		r.checkRules(afterPorts, &draft{at: n, bed: t, given: given})
	case VM:
		r.atMachine(t)
	}
}

// testbedFields are the fields of a kind of testbed, and what that is called.
func (r *reader) testbedFields(kind string, t *Testbed) (what string, fields []field) {
	common := []field{
		oneOf("kind", &t.Kind, NetNS, Ports, Sim, VM).means("`netns`: network namespaces of this machine, whose kernel forwards. `ports`: ports of this machine, with a [box](ports.md) behind them. `vm`: a [machine](labs.md#virtual-machines) that QEMU runs. `sim`: a simulated router in simulated time", "`netns`"),
		scalarField("name", &t.Name, schema.Line).means("how reports call it: `rack 3`", "none"),
		scalarField("link", &t.Link, link).means("media rate of the links in bit/s; loads never exceed it, and [end hosts](transfers.md) are held to it; `auto`: as the ports say", "none; of `ports`: `auto`"),
	}
	switch kind {
	case Sim:
		return "a testbed of kind sim", append(common, simFields(&t.Sim)...)
	case Ports:
		return "a testbed of kind ports", append(common, r.portFields(t)...)
	case VM:
		return "a testbed of kind vm", append(common, r.machineFields(t)...)
	}
	return "a testbed of kind netns", append(common, cpusField(t), endsField(t))
}

// testbedShape describes a testbed of any kind.
func (r *reader) testbedShape() schema.Shape {
	var kinds []schema.Shape
	for _, kind := range []string{NetNS, Ports, Sim, VM} {
		what, fields := r.testbedFields(kind, &Testbed{})
		fields[0].shape = func() schema.Shape { return schema.Choice(kind) }
		fields[0].doc.Needed = kind != NetNS
		kinds = append(kinds, objectOf(what, fields...))
	}
	return schema.Either(kinds...).Call("testbed")
}

// link is a media rate; "auto" is what the ports say.
var link = schema.Word[float64]{
	Read: func(s string) (float64, error) {
		if s == "auto" {
			return 0, nil
		}
		return schema.Rate.Read(s)
	},
	Shape: schema.Either(schema.Choice("auto"), schema.Rate.Shape),
}

// cpusField describes who runs where on this machine.
func cpusField(t *Testbed) field {
	return nested("cpus", "cpus", nil,
		scalarList("generator", &t.CPUs.Generator, processor),
		scalarList("receiver", &t.CPUs.Receiver, processor),
		scalarList("dut", &t.CPUs.DUT, processor)).
		means("of `netns` and `ports`: `{generator: [..], receiver: [..], dut: [..]}`, numbers of processors", "chosen so that the DUT has its own; of `ports`, CPU 0 sends and the others receive")
}

// processor is the number of one.
var processor = schema.Within(schema.Int, 0, 4095)

// waitsField describes the pauses of each trial.
func waitsField(w *weir.Waits) field {
	wait := schema.Within(schema.Duration, 0, maxWait)
	return nested("waits", "waits", nil,
		scalarField("learning", &w.Learning, wait).means("after the learning frames; RFC 2544: 2 s", "0"),
		scalarField("residual", &w.Residual, wait).means("for frames still under way when the sending ends; RFC 2544: 2 s", "`50ms`"),
		scalarField("settle", &w.Settle, wait).means("before the next trial; RFC 2544: at least 5 s", "0"))
}

// simFields are the parameters of a simulated DUT.
func simFields(s *sim.Config) (out []field) {
	for _, p := range sim.Parameters {
		out = append(out, fieldOf(p.Field, s))
	}
	return out
}

// fieldOf is a described field of what is kept in to.
func fieldOf[S any](f schema.Field[S], to *S) field {
	return custom(f.Key, func() schema.Shape { return f.Shape }, func(r *reader, n node) {
		read := func(n node, of func(word string) error) {
			word := r.word(n, f.Key)
			if word == "" {
				return
			}
			if err := of(word); err != nil {
				r.wrong(n, "%s: %v", f.Key, err)
			}
		}
		if f.Item == nil {
			read(n, func(word string) error { return f.Read(to, word) })
			return
		}
		items, before := 0, len(r.mistakes)
		r.list(n, f.Key, func(item node) {
			read(item, func(word string) error { return f.Item(to, items, word) })
			items++
		})
		if len(r.mistakes) > before {
			return
		}
		if err := f.CheckList(to, items); err != nil {
			r.wrong(n, "%v", err)
		}
	}).means(f.Means, f.Default)
}
