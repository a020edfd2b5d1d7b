package dut

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"weir"
	"weir/internal/settings"
)

// npf has one configuration, which a level replaces as a whole. So weir takes it only
// where it is not in use: what was loaded from elsewhere could not be loaded again.
//
// Each port has a group of its own, with the n rules for what comes in there, and so a
// frame is held against them once. Connections are remembered at both ports, as a state
// of npf is one of its port.

func checkNPF(ctx context.Context, d weir.DUT, r ruleset) error {
	text, err := d.Host.Run(ctx, "", "npfctl", "show")
	if err != nil {
		return &weir.UnsupportedError{Feature: "npf", Remedy: "load its module: modload npf", Err: err}
	}
	if settings.Field(text, "# filtering") != "inactive" || settings.Field(text, "# config") != "empty" {
		return weir.Wrong("npf is in use, and weir would replace its rules").Advise("npfctl stop && npfctl flush, and npfctl reload && npfctl start when all is measured")
	}
	if _, err := d.Host.Run(ctx, r.npf(), "npfctl", "validate", "/dev/stdin"); err != nil {
		return fmt.Errorf("npf does not take the rules: %w", err)
	}
	return nil
}

func setNPF(ctx context.Context, d weir.DUT, r ruleset, undo *settings.Undo) error {
	if err := checkNPF(ctx, d, r); err != nil {
		return err
	}
	run := func(stdin string, argv ...string) settings.Command {
		return settings.Command{Argv: append([]string{"npfctl"}, argv...), Stdin: stdin}
	}
	if err := undo.Do(ctx, d.Host, run(r.npf(), "reload", "/dev/stdin"), run("", "flush")); err != nil {
		return fmt.Errorf("set it with npf: %w", err)
	}
	return undo.Do(ctx, d.Host, run("", "start"), run("", "stop"))
}

// npf is the firewall as npf.conf(5) has it. A family without test networks passes.
func (r ruleset) npf() string {
	var b strings.Builder
	nat := r.firewall.Kind == weir.NAT
	for _, f := range r.families {
		for i, exit := range f.exits {
			for _, n := range f.inside {
				if nat {
					fmt.Fprintf(&b, "map %s dynamic %s -> %s\n", exit, n, npfMask(f, i))
				}
			}
		}
	}
	for _, port := range r.ports {
		fmt.Fprintf(&b, "group \"weir-%s\" on %s {\n", port, port)
		for _, f := range r.families {
			f.npf(&b, r)
		}
		b.WriteString("}\n")
	}
	b.WriteString("group default {\n\tpass final all\n}\n")
	return b.String()
}

// npf are the rules of a family at a port.
func (f familyRules) npf(b *strings.Builder, r ruleset) {
	family := map[string]string{"ip": "inet4", "ip6": "inet6"}[f.name]
	pass := "pass"
	if r.remembers() {
		pass = "pass stateful"
	}
	rule := func(format string, args ...any) { fmt.Fprintf(b, "\t"+format+"\n", args...) }
	for from, to := range f.denials(r) {
		rule("block in final family %s from %s to %s", family, from, to)
	}
	for _, p := range f.permits(r) {
		to := ""
		if p[1].IsValid() {
			to = " to " + p[1].String()
		}
		rule("%s in final family %s from %s%s", pass, family, p[0], to)
	}
	if family == "inet6" { // neighbour discovery is no traffic
		for _, kind := range []int{135, 136} {
			rule("pass in final family inet6 proto \"ipv6-icmp\" icmp-type %d all", kind)
		}
	}
	rule("block in final family %s all", family)
	rule("%s out final family %s all", pass, family)
}

// npfMask is the address that sources become at an exit.
func npfMask(f familyRules, exit int) string {
	if own := f.masks[exit]; own.IsValid() {
		return own.String()
	}
	return map[string]string{"ip": "inet4", "ip6": "inet6"}[f.name] + "(" + f.exits[exit] + ")"
}

// npfDenied are the counters of npfctl stats that stand for dropped frames.
var npfDenied = []struct{ counter, place string }{
	{"ruleset block", "dut firewall " + countDenied + " (npf)"},
	{"cases in total", "dut firewall " + countInvalid + " (npf)"}, // of invalid states
}

// deniedNPF reads the statistics, which are of both families together.
func deniedNPF(ctx context.Context, d weir.DUT, _ ruleset, _ *nftCounters) ([]weir.Drop, error) {
	text, err := d.Host.Run(ctx, "", "npfctl", "stats")
	if err != nil {
		return nil, err
	}
	var drops []weir.Drop
	for line := range strings.Lines(text) {
		number, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, c := range npfDenied {
			if what != c.counter {
				continue
			}
			n, err := strconv.ParseUint(number, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("read npfctl stats: %w", err)
			}
			drops = append(drops, weir.Drop{Place: c.place, Count: n, Kind: weir.DropDenied})
		}
	}
	if len(drops) == 0 {
		return nil, fmt.Errorf("npfctl stats tells nothing of %q: %q", npfDenied[0].counter, text)
	}
	return drops, nil
}
