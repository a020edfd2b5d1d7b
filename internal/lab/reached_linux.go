package lab

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/plan"
	"weir/internal/settings"
	"weir/internal/shell"
	"weir/internal/ssh"
	"weir/internal/telemetry"
	"weir/internal/testbed"
)

// reached is a DUT at a host of its own, which is told to forward, set to conditions,
// and asked what it dropped.
type reached struct {
	plan     plan.Plan
	host     *shell.Host
	name     string // of the platform
	platform dut.Platform
	dut      weir.DUT
	setup    dut.Setup
	glance   *shell.Glance // the host, for what is read of it around a trial
	looker   *looker       // that reads it; nil: its shell does
	meter    *telemetry.Meter
	here     bool // it has this machine's kernel, and so its CPUs are not its own
	cpus     []int

	machine *machine        // that QEMU runs; nil: another one
	boot    string          // of the host when it was told to forward
	opened  int             // how often the host was connected with by then
	undo    settings.Undo   // of forwarding
	set     *weir.Condition // that it is set to; nil: to none
	levels  settings.Undo   // of that
	lost    error           // why it is no longer as it was set to a condition; nil: it is
}

// reach finds out what the DUT of a plan is, which is at a host and has ports there by
// name, and says what is wrong with that. Nothing of it is changed.
func reach(ctx context.Context, p plan.Plan, host *shell.Host, ports []string) (_ *reached, err error) {
	r := &reached{plan: p, host: host}
	if err := r.restore(ctx); err != nil {
		return nil, err
	}
	if r.name, r.platform, err = dut.Find(ctx, r.host); err != nil {
		return nil, err
	}
	if p.DUT.Platform != "" && p.DUT.Platform != r.name {
		return nil, fmt.Errorf("%s is %s, and the plan says that it is %s", host.Name(), r.name, p.DUT.Platform)
	}
	if err := r.findPorts(ctx, ports); err != nil {
		return nil, err
	}
	if err := r.whose(ctx); err != nil {
		return nil, err
	}
	r.setup = behindPorts(p)
	r.setup.InService = r.overSSH()
	r.glance = shell.NewGlance(host)
	r.meter = telemetry.NewMeter(r.glance)
	return r, nil
}

// begin has the DUT forward between the tester's ports. What is changed is in the
// journal; nil: the host ends with this process.
func (r *reached) begin(ctx context.Context, tester []weir.Port, journal *settings.Journal) error {
	for i, own := range tester {
		own.DUT, own.DUTMAC = r.dut.Ports[i].DUT, r.dut.Ports[i].DUTMAC
		r.dut.Ports[i] = own
	}
	r.setup.Journal, r.undo.Journal = journal, journal
	return r.forward(ctx)
}

// findPorts finds the DUT's ports. None is one that the connection itself goes through, or
// whose frames go elsewhere than to the host's IP stack.
func (r *reached) findPorts(ctx context.Context, names []string) error {
	all, err := r.platform.Interfaces(ctx, r.host)
	if err != nil {
		return err
	}
	found, err := dut.PortsOf(r.host, all, names)
	if err != nil {
		return err
	}
	session, err := r.session(ctx, all)
	if err != nil {
		return err
	}
	r.dut = weir.DUT{Host: r.host}
	for _, port := range found {
		for _, own := range session {
			through := own
			if port.Name != own {
				through += ", and so " + port.Name
			}
			if slices.Contains(dut.Carrying(all, own), port.Name) {
				return fmt.Errorf("%s is reached through its interface %s, which cannot be a port of the test: it would be cut off", r.host.Name(), through)
			}
		}
		if port.Member != "" {
			return fmt.Errorf("%s of %s is a port of its %s, which takes the frames that come in there: take it out, or name another port", port.Name, r.host.Name(), port.Member)
		}
		r.dut.Ports = append(r.dut.Ports, weir.Port{DUT: port.Name, DUTMAC: port.MAC})
	}
	return nil
}

// overSSH says that the DUT is a machine of somebody's, and not one that weir has made.
func (r *reached) overSSH() bool { return strings.HasPrefix(r.host.Name(), "ssh://") }

// session are the interfaces of the connection: those that have the address which is spoken
// to, and the one toward who speaks. A machine that is reached without a network has none.
func (r *reached) session(ctx context.Context, all []dut.Interface) (names []string, err error) {
	if !r.overSSH() {
		return nil, nil
	}
	way, err := r.host.Run(ctx, "", "sh", "-c", `echo "$SSH_CONNECTION"`)
	if err != nil {
		return nil, err
	}
	var client, at netip.Addr
	fields := strings.Fields(way)
	if len(fields) == 4 {
		client, err = netip.ParseAddr(fields[0])
	}
	if err == nil && len(fields) == 4 {
		at, err = netip.ParseAddr(fields[2])
	}
	if err != nil || len(fields) != 4 {
		return nil, fmt.Errorf("%s does not say through which interface it is reached, which cannot be a port of the test: SSH_CONNECTION is %q there; have the server and its ForceCommand keep it", r.host.Name(), strings.TrimSpace(way))
	}
	at = at.WithZone("").Unmap()
	for _, i := range all {
		if slices.ContainsFunc(i.Addresses, func(a netip.Prefix) bool { return a.Addr() == at }) {
			names = append(names, i.Name)
		}
	}
	if zone := client.Zone(); zone != "" { // the address of a link is that of its interface
		return append(names, zone), nil
	}
	toward, err := r.platform.Toward(ctx, r.host, client.Unmap())
	return append(names, toward), err
}

// restore undoes what killed processes have left changed at the DUT, by whichever name they
// reached it. What those of another machine have is an error.
func (r *reached) restore(ctx context.Context) error {
	_, err := testbed.Restore(ctx, testbed.Restoring{Say: func(string) {}, Reach: func(ctx context.Context, name string) (weir.Host, func() error, error) {
		if name != r.host.Name() && !(r.overSSH() && strings.HasPrefix(name, "ssh://") && ssh.Same(ctx, name, r.host.Name())) {
			return nil, nil, settings.ErrLater
		}
		return r.host, func() error { return nil }, nil
	}})
	if err != nil {
		return err
	}
	return r.host.Unchanged(ctx)
}

// connected says whether what answered at a port of the tester's is the port of the DUT
// that it was said to be.
func (r *reached) connected(i int, at weir.Port) error {
	if r == nil || r.plan.DUT.Layer == 2 { // which has no address
		return nil
	}
	said := r.dut.Ports[i]
	if strings.EqualFold(at.DUTMAC, said.DUTMAC) {
		return nil
	}
	for j, own := range r.dut.Ports {
		if j != i && strings.EqualFold(own.DUTMAC, at.DUTMAC) {
			return fmt.Errorf("%s is connected with %s of the DUT, and the plan says with %s: swap the cables, or the names in dut: {ports: [...]}", at.Tester, own.DUT, said.DUT)
		}
	}
	return fmt.Errorf("who answers at %s has the MAC address %s, and %s of %s has %s: another machine is connected there, or has the address of the DUT", at.Tester, at.DUTMAC, said.DUT, r.host.Name(), said.DUTMAC)
}

// whose finds out whether the DUT has a kernel of its own, and which CPUs.
func (r *reached) whose(ctx context.Context) (err error) {
	if r.cpus, err = r.online(ctx); err != nil {
		return fmt.Errorf("ask which CPUs there are: %w", err)
	}
	if r.boot, err = settings.BootOf(ctx, r.host); err != nil {
		return err
	}
	r.opened = r.host.Opened()
	here, err := testbed.Here()
	if err != nil {
		return err
	}
	ours, err := settings.BootOf(ctx, here)
	r.here = r.boot == ours
	return err
}

// online are the CPUs that work. Of a platform that counts them none is read by its number.
func (r *reached) online(ctx context.Context) (cpus []int, err error) {
	if describer, ok := r.platform.(dut.Describer); ok {
		_, _, count, _, err := describer.Machine(ctx, r.host)
		for c := range count {
			cpus = append(cpus, c)
		}
		return cpus, err
	}
	const file = "/sys/devices/system/cpu/online"
	text, err := r.host.ReadFile(ctx, file)
	if err != nil {
		return nil, err
	}
	if cpus, err = settings.ParseCPUs(text); err == nil && len(cpus) == 0 {
		err = errors.New(file + " names none")
	}
	return cpus, err
}

// behindPorts is the DUT as a router between the networks of the tester's ports.
func behindPorts(p plan.Plan) (s dut.Setup) {
	for i, n := range p.Testbed.Networks {
		for _, f := range []weir.Family{weir.IPv4, weir.IPv6} {
			tester, router := of(n, f)
			s.Neighbor[i] = append(s.Neighbor[i], tester.Addr())
			if tester.Addr() != frame.TesterAddr(f, i) {
				s.Address[i] = append(s.Address[i], netip.PrefixFrom(router, tester.Bits()))
				continue
			}
			s.Address[i] = append(s.Address[i], netip.PrefixFrom(router, addressBits(f)))
			s.Route[i] = append(s.Route[i], frame.Networks(f, i)...)
		}
	}
	if p.DUT.Policer.Kind != "" {
		s.Policer = &dut.Policer{Kind: p.DUT.Policer.Kind, Rate: p.DUT.Policer.Rate, Size: p.Traffic[0].MeanSize()}
	}
	return s
}

// forward has the DUT forward until it is set back.
func (r *reached) forward(ctx context.Context) error {
	back, err := r.platform.Forward(ctx, r.dut, r.setup)
	if err != nil {
		return err
	}
	r.undo.Add(back)
	return nil
}

// restartedError is a DUT that has started anew while it was measured.
type restartedError struct{ host string }

func (e *restartedError) Error() string {
	return e.host + " has started anew in the middle of the campaign: what it was set to is gone"
}

// cutError is a DUT whose connection ended while it was measured. What is read of it before
// and after a trial is that trial's alone where nothing else was done meanwhile.
type cutError struct{ host string }

func (e *cutError) Error() string {
	return "the connection with " + e.host + " was cut in the middle of a run, and is back"
}

// stays says whether the DUT is still the one that was told to forward, by the connection
// that there was then. One that has started anew is told again, and an error all the same:
// it is not what it was set to.
func (r *reached) stays(ctx context.Context) error {
	if r == nil || r.host.Opened() == r.opened {
		return nil
	}
	boot, err := settings.BootOf(ctx, r.host)
	if err != nil {
		return err
	}
	if !settings.StartedAnew(r.boot, boot) {
		r.opened = r.host.Opened()
		r.lost = &cutError{r.host.Name()}
		return r.lost
	}
	r.lost = &restartedError{r.host.Name()}
	r.set = nil
	if err := r.again(ctx); err != nil {
		return errors.Join(r.lost, err)
	}
	return r.lost
}
