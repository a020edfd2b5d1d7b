package lab

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"weir"
	"weir/internal/dut"
	"weir/internal/endhost"
	"weir/internal/plan"
	"weir/internal/settings"
	"weir/internal/shell"
	"weir/internal/telemetry"
	"weir/internal/workload"
)

// hostedEnd is an end host that SSH reaches, with what it has in common with a DUT that is
// reached so.
type hostedEnd struct {
	plan.EndHost
	reached
	end     workload.End
	space   string         // the network that it is in: the same for what is the same host
	station dut.Station    // its system; nil: Linux
	able    endhost.System // what that can do
}

// reachEnd connects with an end host, and has weir's own program there. Its settings stay as
// they are.
func reachEnd(ctx context.Context, p plan.Plan, side int, undo *settings.Undo) (*hostedEnd, error) {
	e := &hostedEnd{EndHost: p.Testbed.Hosts[side]}
	host, err := dial(ctx, e.Host, undo)
	if err != nil {
		return nil, err
	}
	e.reached = reached{plan: p, host: host}
	if err := e.findSystem(ctx, side); err != nil {
		return nil, err
	}
	if err := e.restore(ctx); err != nil {
		return nil, err
	}
	if err := e.findPorts(ctx, []string{e.Port}); err != nil {
		return nil, err
	}
	if err := e.whose(ctx); err != nil {
		return nil, err
	}
	where := []string{"readlink", "/proc/self/ns/net"}
	if e.station != nil {
		where = []string{"hostname"}
	}
	if e.space, err = host.Run(ctx, "", where...); err != nil {
		return nil, err
	}
	e.space += e.boot
	own, err := carried(ctx, host, undo, forEnds)
	e.end = workload.End{Host: shell.Beside{Host: host, As: e.Name}, Self: own.Self, Port: e.Port}
	return e, err
}

// setUp gives an end host its addresses and routes, the settings of the plan and folders for
// files. All of it is in the journal.
func (e *hostedEnd) setUp(ctx context.Context, p plan.Plan, links map[weir.Family]endLink) error {
	all, err := e.platform.Interfaces(ctx, e.host)
	if err != nil {
		return err
	}
	found, err := dut.PortsOf(e.host, all, []string{e.Port})
	if err != nil {
		return err
	}
	if e.station != nil {
		return e.attach(ctx, p, found[0], links)
	}
	if !found[0].Up {
		if err := e.ip(ctx, strings.Fields("link set dev "+e.Port+" up"), strings.Fields("link set dev "+e.Port+" down")); err != nil {
			return err
		}
	}
	const carrier = `n=0; until [ "$(cat "/sys/class/net/$0/carrier")" = 1 ]; do n=$((n+1)); [ $n -le 50 ] || exit 1; sleep 0.2; done`
	if _, err := e.host.Run(ctx, "", "sh", "-c", carrier, e.Port); err != nil {
		return fmt.Errorf("no carrier at its port %s: is the cable in, and the other end up? %w", e.Port, err)
	}
	congestion, err := congestion(ctx, p, e.host)
	if err != nil {
		return err
	}
	e.end.Address = map[weir.Family]netip.Addr{}
	for _, f := range slices.Sorted(maps.Keys(links)) {
		link := links[f]
		e.end.Address[f] = link.own.Addr()
		if !slices.Contains(found[0].Addresses, link.own) {
			address := fmt.Sprintf("%s dev %s", link.own, e.Port)
			if err := e.ip(ctx, strings.Fields("address add "+address+noDAD(f)), strings.Fields("address del "+address)); err != nil {
				return err
			}
		}
		for _, network := range link.behind {
			route := fmt.Sprintf("%s dev %s", link.toward(network), e.Port)
			if err := e.ip(ctx, strings.Fields("route add "+route+congestion), strings.Fields("route del "+route)); err != nil {
				return err
			}
		}
	}
	if err := e.setSysctls(ctx, p); err != nil {
		return err
	}
	return e.makeFolders(ctx, p)
}

// ip changes something at the host's port with ip(8), which another command undoes.
func (e *hostedEnd) ip(ctx context.Context, do, undo []string) error {
	return e.undo.Do(ctx, e.host, settings.Command{Argv: append([]string{"ip"}, do...)},
		settings.Command{Argv: append([]string{"ip"}, undo...), If: settings.Present{settings.Link(e.Port)}})
}

// setSysctls sets those that the plan has for end hosts.
func (e *hostedEnd) setSysctls(ctx context.Context, p plan.Plan) error {
	return endSysctls(p, func(name, value string) error {
		s := settings.Setting{Kind: settings.File, Name: sysctlFile(name)}
		if e.station != nil {
			s = settings.Setting{Kind: settings.Sysctl, Name: name}
		}
		now, err := e.undo.Set(ctx, e.host, s, value)
		if err == nil && !slices.Equal(strings.Fields(now), strings.Fields(value)) {
			err = fmt.Errorf("it stays at %q", now)
		}
		return err
	})
}

// makeFolders makes the folders below which the host keeps files: in the plan's where it
// names one, whatever storage that is on.
func (e *hostedEnd) makeFolders(ctx context.Context, p plan.Plan) error {
	roots := map[weir.Storage]string{weir.Memory: "/dev/shm", weir.Disk: "/var/tmp"}
	if e.station != nil {
		roots = map[weir.Storage]string{weir.Disk: cmp.Or(e.Folder, "/var/tmp")}
	} else if e.Folder != "" {
		system, err := e.host.Run(ctx, "", "stat", "-f", "-c", "%T", e.Folder)
		if err != nil {
			return fmt.Errorf("look at the folder %s: %w", e.Folder, err)
		}
		kind, other, where := weir.Disk, weir.Memory, "on a disk"
		if slices.Contains([]string{"tmpfs", "ramfs"}, strings.TrimSpace(system)) {
			kind, other, where = weir.Memory, weir.Disk, "in memory"
		}
		for _, s := range p.Steps {
			if cmp.Or(s.Params.Transfer.Storage, s.Method.Defaults.Transfer.Storage) == other {
				return fmt.Errorf("its folder %s is %s, and the files of %s are to be on the storage %s: say storage: %s, or name another folder", e.Folder, where, s.Method.Name, other, kind)
			}
		}
		roots[kind] = e.Folder
	}
	e.end.Folders = map[weir.Storage]string{}
	name := "/weir-" + strings.ToLower(rand.Text()[:8])
	for _, storage := range slices.Sorted(maps.Keys(roots)) {
		folder := roots[storage] + name
		if err := e.undo.Do(ctx, e.host, settings.Command{Argv: []string{"mkdir", "-m", "711", folder}}, settings.Command{Argv: []string{"rm", "-rf", folder}}); err != nil {
			return fmt.Errorf("make a folder for files: %w", err)
		}
		e.end.Folders[storage] = folder
	}
	return nil
}

// machine is what the host is.
func (e *hostedEnd) machine(ctx context.Context) (m telemetry.Machine, err error) {
	if e.station == nil {
		return telemetry.ReadMachine(ctx, e.host)
	}
	m.Kernel, m.CPUModel, _, _, err = e.station.Machine(ctx, e.host)
	return m, err
}

// portMTU is the setting of its port.
func (e *hostedEnd) portMTU() settings.Setting {
	if e.station != nil {
		return settings.Setting{Kind: settings.LinkMTU, Device: e.Port}
	}
	return settings.Setting{Kind: settings.MTU, Device: e.Port}
}

// describe is what a reader must know of the host.
func (e *hostedEnd) describe(ctx context.Context, m telemetry.Machine) (out []weir.Setting, err error) {
	say := func(what, value string) {
		out = append(out, weir.Setting{Where: "ends", Name: strings.TrimSpace(e.Name + " " + what), Value: value})
	}
	mtu, err := e.portMTU().Get(ctx, e.host)
	if err != nil {
		return nil, err
	}
	say("", fmt.Sprintf("%s, port %s, MTU %s", e.EndHost.Host, e.Port, mtu))
	say("kernel", m.Kernel)
	say("CPU", fmt.Sprintf("%d x %s", len(e.cpus), m.CPUModel))
	for storage, folder := range e.end.Folders {
		if e.Folder != "" && strings.HasPrefix(folder, e.Folder+"/") {
			say("folder", fmt.Sprintf("%s (%s)", e.Folder, storage))
		}
	}
	if e.station != nil {
		return out, nil
	}
	routes, err := e.host.Run(ctx, "", "ip", "route", "show", "dev", e.Port, "proto", "boot")
	if err != nil {
		return nil, err
	}
	settings, err := congestionOf(ctx, e.host, routes)
	for _, s := range settings {
		say(s.Name, s.Value)
	}
	return out, err
}
