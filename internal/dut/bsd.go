package dut

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

// bsd is FreeBSD, OpenBSD or NetBSD. What they have in common is here and in the
// files bsd_*.go; what they have not is a value of this type, one a file. All of it
// is from their manuals: weir's own tests replay transcripts of these.
type bsd struct {
	name string // as people write it
	// quick are the sysctls that hold an address back for as long as it may be another
	// host's, too. Nothing else is on a link of a test.
	quick []string
	// replaces is what arp(8) is told for an entry in place of another one, where its manual
	// has that, and pinned for one that the network cannot change.
	replaces, pinned []string
	// disabled is an option of neighbour discovery with which a port has no IPv6.
	disabled string
	shown    []string // sysctls that change what it does with a frame
	traits   []string // sysctls that tell how fast the machine can be
	virtual  string   // a sysctl that names the hypervisor
	bridges  []string // the command that tells of bridges, where ifconfig(8) does not
	bare     string   // what it says without one
	counters []string // the command that tells what ports have dropped
	queues   []string // sysctls that count what found no room between a port and the IP stack
	// mean is the sysctl that says how many CPUs work, where kern.cp_time tells of a mean
	// one of these; "": it tells of all together.
	mean string
	// policer is why it has none whose rate is known in frames.
	policer string
	levels
}

// bsdForwarding are the sysctls that make a router.
var bsdForwarding = []string{"net.inet.ip.forwarding", "net.inet6.ip6.forwarding"}

// sysctl is the setting that a sysctl is.
func sysctl(name string) settings.Setting { return settings.Setting{Kind: settings.Sysctl, Name: name} }

// step is a command and the one that undoes it.
type step struct{ do, undo []string }

// Forward gives the ports their addresses, the tester's neighbours and its networks,
// each by a command of its own, so that what was done is known when one fails.
func (p bsd) Forward(ctx context.Context, d weir.DUT, s Setup) (func(context.Context) error, error) {
	undo := settings.Undo{Journal: s.Journal}
	fail := func(err error) (func(context.Context) error, error) {
		if back := undo.Run(context.WithoutCancel(ctx)); back != nil {
			err = fmt.Errorf("%w; and undoing what was done: %w", err, back)
		}
		return nil, err
	}
	if s.Policer != nil {
		return nil, &weir.UnsupportedError{Feature: "a policer on " + p.name, Remedy: p.policer + ": leave it out; it is a truth to test searches against, which Linux has"}
	}
	there, err := p.ports(ctx, d.Host)
	if err != nil {
		return nil, err
	}
	if err := p.quickly(ctx, d.Host, &undo); err != nil {
		return fail(err)
	}
	for i, port := range d.Ports {
		at := slices.IndexFunc(there, func(o bsdPort) bool { return o.Name == port.DUT })
		if at < 0 {
			return fail(fmt.Errorf("%s has no interface %s any more", d.Host.Name(), port.DUT))
		}
		steps, err := p.steps(ctx, d.Host, there[at], port, s, i)
		if err != nil {
			return fail(err)
		}
		if err := do(ctx, d.Host, port.DUT, steps, &undo); err != nil {
			return fail(fmt.Errorf("give the DUT its addresses and routes: %w", err))
		}
	}
	for _, name := range bsdForwarding {
		if err := setTo(ctx, d.Host, &undo, sysctl(name), "1"); err != nil {
			return fail(fmt.Errorf("turn forwarding on: %w", err))
		}
	}
	return undo.Run, nil
}

// quickly has addresses usable at once.
func (p bsd) quickly(ctx context.Context, h weir.Host, undo *settings.Undo) error {
	for _, name := range p.quick {
		if _, err := undo.Set(ctx, h, sysctl(name), "0"); err != nil {
			return fmt.Errorf("have addresses usable at once: %w", err)
		}
	}
	return nil
}

// do takes the steps at a port, by a command each.
func do(ctx context.Context, h weir.Host, port string, steps []step, undo *settings.Undo) error {
	for _, one := range steps {
		if err := undo.Do(ctx, h, settings.Command{Argv: one.do}, settings.Command{Argv: one.undo, If: settings.Present{{List: []string{"ifconfig", "-a"}, Name: port}}}); err != nil {
			return err
		}
	}
	return nil
}

// addressed are the steps that have a port up with addresses. One that it has already is
// not given again, and so is not taken away at the end.
func (p bsd) addressed(has bsdPort, addresses []netip.Prefix) (out []step) {
	ifconfig := func(do, undo string) {
		out = append(out, step{strings.Fields("ifconfig " + has.Name + " " + do), strings.Fields("ifconfig " + has.Name + " " + undo)})
	}
	if !has.Up {
		ifconfig("up", "down")
	}
	if p.disabled != "" && slices.Contains(has.discovery, strings.ToUpper(p.disabled)) &&
		slices.ContainsFunc(addresses, func(a netip.Prefix) bool { return a.Addr().Is6() }) {
		ifconfig("inet6 -"+p.disabled, "inet6 "+p.disabled)
	}
	for _, a := range addresses {
		if !slices.Contains(has.Addresses, a) {
			family := inet(a.Addr())
			ifconfig(fmt.Sprintf("%s %s alias", family, a), fmt.Sprintf("%s %s -alias", family, a.Addr()))
		}
	}
	return out
}

// steps are what makes a port one of a router.
func (p bsd) steps(ctx context.Context, h weir.Host, has bsdPort, port weir.Port, s Setup, i int) ([]step, error) {
	out := p.addressed(has, s.Address[i])
	// The tester's MAC address is known for good: an aging entry would stop the
	// traffic in the middle of a trial.
	for _, n := range s.Neighbor[i] {
		known, err := p.neighbour(ctx, h, n, port.TesterMAC)
		if err != nil {
			return nil, err
		}
		out = append(out, known...)
		for _, r := range s.Route[i] {
			if r.Addr().Is4() == n.Is4() {
				out = append(out, Route{r, n}.added())
			}
		}
	}
	return out, nil
}

// linkAddress is a MAC address as arp(8) and ndp(8) show it, which may leave zeros out.
var linkAddress = regexp.MustCompile(`\b(?:[0-9a-f]{1,2}:){5}[0-9a-f]{1,2}\b`)

// afresh has a program forget a neighbour before it is told about it. What it makes of an
// entry that is there already is in few manuals; by now that may have gone by itself.
const afresh = `"$1" -d "$3" >/dev/null 2>&1; exec "$@"`

// neighbour has the DUT know a neighbour for good. One that it knows for good already is
// put back in the end, also where the network can change it (static, in arp(8) of OpenBSD);
// one that ages is learnt anew.
func (p bsd) neighbour(ctx context.Context, h weir.Host, n netip.Addr, mac string) (out []step, err error) {
	program, replaces, pinned := "ndp", []string(nil), []string(nil)
	if n.Is4() {
		program, replaces, pinned = "arp", p.replaces, p.pinned
	}
	set := func(mac string, how []string) []string {
		return slices.Concat([]string{program}, replaces, []string{"-s", n.String(), mac}, how)
	}
	drop := []string{program, "-d", n.String()}
	text, err := h.Run(ctx, "", program, "-n", n.String())
	var lost *weir.LostError
	if errors.As(err, &lost) || ctx.Err() != nil {
		return nil, err
	}
	do := set(mac, pinned)
	old, words := linkAddress.FindString(text), strings.Fields(text)
	permanent, static := slices.Contains(words, settings.Permanent), slices.Contains(words, "static")
	switch {
	case err != nil: // there is none
	case old == "" || !permanent && !static:
		if len(replaces) == 0 {
			do = slices.Concat([]string{"sh", "-c", afresh, "sh"}, do)
		}
	case sameMAC(old, mac):
		return nil, nil
	case permanent:
		out = append(out, step{drop, set(old, pinned)})
	default:
		out = append(out, step{drop, set(old, nil)})
	}
	return append(out, step{do, drop}), nil
}

// sameMAC compares addresses of which one may be without its zeros.
func sameMAC(a, b string) bool {
	return slices.EqualFunc(strings.Split(a, ":"), strings.Split(b, ":"), func(a, b string) bool {
		return strings.EqualFold(strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0"))
	})
}

// inet is the family of an address, as these systems call it.
func inet(a netip.Addr) string {
	if a.Is4() {
		return "inet"
	}
	return "inet6"
}

// setTo gives a setting a value, and looks whether it holds.
func setTo(ctx context.Context, h weir.Host, undo *settings.Undo, s settings.Setting, value string) error {
	now, err := undo.Set(ctx, h, s, value)
	if err == nil && !slices.Equal(strings.Fields(now), strings.Fields(value)) {
		err = fmt.Errorf("%v is %q after it was set to %q: take a value that it keeps", s, now, value)
	}
	return err
}

// Settings are the cards, the sysctls that matter, and whether pf is on: the rules that it has of
// its own are passed by the frames of all levels.
func (p bsd) Settings(ctx context.Context, d weir.DUT) ([]weir.Setting, error) {
	values, err := sysctls(ctx, d.Host, p.shown)
	if err != nil {
		return nil, err
	}
	out, err := p.cards(ctx, d)
	if err != nil {
		return nil, err
	}
	for _, name := range p.shown {
		if v, ok := values[name]; ok {
			out = append(out, weir.Setting{Where: "dut", Name: name, Value: v})
		}
	}
	for _, f := range p.firewalls {
		if text, err := d.Host.Run(ctx, "", firewallStates[f.name]...); err == nil { // it may not be loaded
			first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
			out = append(out, weir.Setting{Where: "dut", Name: f.name, Value: strings.Join(strings.Fields(strings.TrimPrefix(first, "#")), " ")})
		}
	}
	return out, nil
}

// firewallStates are the commands that say, in their first line, whether a firewall
// is on.
var firewallStates = map[string][]string{
	weir.PF:   {"pfctl", "-s", "info"},
	weir.IPFW: {"sysctl", "net.inet.ip.fw.enable"},
	weir.NPF:  {"npfctl", "show"},
}

// sysctls reads some sysctls by one command. What a release does not have is left out.
func sysctls(ctx context.Context, h weir.Host, names []string) (map[string]string, error) {
	text, err := h.Run(ctx, "", "sh", "-c", "sysctl "+strings.Join(names, " ")+" 2>/dev/null; true")
	if err != nil {
		return nil, fmt.Errorf("read sysctls: %w", err)
	}
	values := make(map[string]string)
	for line := range strings.Lines(text) {
		// "name: value", "name=value" and "name = value" are how the three write it.
		if at := strings.IndexAny(line, ":="); at > 0 {
			values[strings.TrimSpace(line[:at])] = strings.TrimSpace(line[at+1:])
		}
	}
	return values, nil
}

// Apply sets the firewall and the tunings of a condition.
func (p bsd) Apply(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) (func(context.Context) error, error) {
	return p.apply(ctx, d, s, c)
}

// Cannot asks without changing anything. A kernel's refusal of a value that is its to
// judge, as of an MTU that a driver does not take, is only seen when it is set.
func (p bsd) Cannot(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) error {
	return errors.Join(p.cannotFilter(ctx, d, s, c), p.cannot(ctx, d, s, c))
}
