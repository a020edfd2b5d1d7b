package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"weir"
	"weir/internal/dut"
	"weir/internal/endhost"
	"weir/internal/plan"
	"weir/internal/workload"
)

// findSystem finds out which system an end host has, and says what of the plan that cannot
// do. side is 0 of the near one.
func (e *hostedEnd) findSystem(ctx context.Context, side int) error {
	said, err := e.host.Run(ctx, "", "uname", "-s")
	if err != nil {
		return err
	}
	system := strings.ToLower(strings.TrimSpace(said))
	if system == "linux" {
		e.platform, err = dut.ByName(system)
		return err
	}
	var known bool
	if e.able, known = endhost.Systems[system]; !known {
		return fmt.Errorf("%s has the system %s, and an end host needs Linux or one of: %s", e.host.Name(), strings.TrimSpace(said), strings.Join(slices.Sorted(maps.Keys(endhost.Systems)), ", "))
	}
	if e.station, err = dut.StationByName(system); err != nil {
		return err
	}
	e.platform = e.station
	if err := stationCannot(e.plan, side, e.able); err != nil {
		return fmt.Errorf("%s has the system %s: %w", e.host.Name(), e.able.Name, err)
	}
	return nil
}

// stationCannot says what of a plan an end host cannot do whose system is not Linux.
func stationCannot(p plan.Plan, side int, able endhost.System) error {
	var errs []error
	for _, t := range p.Testbed.Ends {
		if t.Name == plan.Congestion {
			errs = append(errs, weir.Wrong("congestion control is one of routes on Linux alone").Advise("leave it out of ends, or set the system's sysctl for it there"))
		}
	}
	for _, part := range p.Parts() {
		for _, s := range part.Steps {
			errs = append(errs, stepCannot(part, s, side, able))
		}
	}
	return errors.Join(errs...)
}

// stepCannot says why a method cannot be measured with such an end host. Its programs of
// streams can.
func stepCannot(p plan.Plan, s plan.Step, side int, able endhost.System) error {
	const http = "http"
	name := s.Method.Name
	isFiles := func(i workload.Info) bool { return i.Name == name && i.Files }
	switch {
	case !slices.ContainsFunc(workload.Programs(), isFiles):
		return nil
	case !able.Files:
		return weir.Wrong("%s moves files, and the system cannot be told to have a file out of memory", name).Advise("take streams")
	case name != http:
		return weir.Wrong("weir has its servers and clients of %s on Linux alone", name).Advise("take %s, with the server at an end host with Linux", http)
	case cmp.Or(s.Params.Transfer.Storage, s.Method.Defaults.Transfer.Storage) != weir.Disk:
		return weir.Wrong("it has no folder in memory that weir knows").Advise("say storage: disk of %s", name)
	case slices.ContainsFunc(p.Traffic, func(t weir.Traffic) bool { return servesAt(t, side) }):
		return weir.Wrong("the server of %s runs on Linux alone", name).Advise("have it at the other end host (traffic: {server: ...})")
	}
	return nil
}

// servesAt reports whether traffic between programs has a server at a side of the DUT.
func servesAt(t weir.Traffic, side int) bool {
	destination := 1
	if t.Backward {
		destination = 0
	}
	server := destination
	if t.Server == weir.Source {
		server = 1 - destination
	}
	return t.Application && (t.Bidirectional || server == side)
}

// together says what the two end hosts cannot do with each other. Nothing shows that packets
// get through whole where who sends them cannot forbid fragments, and who receives them does
// not say that they came as such.
func (l *hostedLab) together() error {
	if l.at[0].able != l.at[1].able && slices.ContainsFunc(l.plan.Testbed.Ends, func(t weir.Tuning) bool { return t.Name != plan.Congestion }) {
		return weir.Wrong("%s and %s have different systems, and the sysctls of ends are set at both", l.at[0].Name, l.at[1].Name).Advise("set them there yourself")
	}
	for i, e := range l.at {
		other := l.at[1-i]
		if e.station != nil && !e.able.Whole && other.station != nil && slices.Contains(l.families(), weir.IPv4) {
			return weir.Wrong("nothing shows whether packets of IPv4 get through whole from %s: %s cannot forbid fragments, and %s does not say which have come;", e.Name, e.able.Name, other.able.Name).
				Advise("take family: ipv6, or Linux at one end")
		}
	}
	return nil
}

// attach is setUp by the commands of another system than Linux.
func (e *hostedEnd) attach(ctx context.Context, p plan.Plan, port dut.Interface, links map[weir.Family]endLink) error {
	e.end.Address = map[weir.Family]netip.Addr{}
	var own []netip.Prefix
	var routes []dut.Route
	for _, f := range slices.Sorted(maps.Keys(links)) {
		link := links[f]
		e.end.Address[f] = link.own.Addr()
		own = append(own, link.own)
		for _, network := range link.behind {
			if network.Addr() != link.router { // which is at the other end of the cable
				routes = append(routes, dut.Route{To: network, Via: link.router})
			}
		}
	}
	if err := e.station.Attach(ctx, e.host, port, own, routes, &e.undo); err != nil {
		return fmt.Errorf("give it addresses and routes: %w", err)
	}
	// A port that was brought up takes its time. Where nothing is said of the link, the
	// path tells.
	const carrier = `n=0; while ifconfig "$0" | grep -E 'status: (no|inactive)'; do n=$((n+1)); [ $n -le 50 ] || exit 1; sleep 0.2; done`
	if _, err := e.host.Run(ctx, "", "sh", "-c", carrier, e.Port); err != nil {
		return fmt.Errorf("no carrier at its port %s: is the cable in, and the other end up? %w", e.Port, err)
	}
	if err := e.setSysctls(ctx, p); err != nil {
		return err
	}
	return e.makeFolders(ctx, p)
}
