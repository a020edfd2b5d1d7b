package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"weir"
	"weir/internal/campaign"
	"weir/internal/dut"
	"weir/internal/plan"
	"weir/internal/settings"
	"weir/internal/shell"
	"weir/internal/testbed"
	"weir/internal/vm"
)

// machine is a DUT that QEMU runs.
type machine struct {
	running atomic.Pointer[vm.Machine]
	config  vm.Config // that it is booted with
	taps    *testbed.Taps
	mtu     int    // of its ports, octets
	folder  string // for sockets
	name    string // for people
	system  vm.System
	boots   []weir.Setting // what it boots, and at which level what else is booted
}

// open makes the ports, before the machine is booted. They go with the machine, and so
// with the last that is undone.
func (m *machine) open(p plan.Plan, undo *settings.Undo) error {
	folder, leave, err := testbed.SocketFolder()
	if err != nil {
		return err
	}
	undo.AddClose(leave)
	own := p.Testbed.Machine
	if m.taps, err = testbed.OpenTaps(len(p.Testbed.Networks), vm.Queues(own.NIC, own.CPUs)); err != nil {
		return err
	}
	m.folder = folder
	undo.AddClose(m.taps.Close)
	undo.AddClose(func() error {
		if running := m.running.Load(); running != nil {
			return running.Close()
		}
		return nil
	})
	return nil
}

// openVM boots a machine with ports, and makes the tester at their other ends.
func openVM(ctx context.Context, p plan.Plan) (campaign.Lab, func() error, error) {
	l, err := newMachine(ctx, p)
	if err != nil {
		return campaign.Lab{}, nil, err
	}
	return assembled(ctx, l.assemble)
}

// newMachine finds what a machine boots, which is yet to be opened.
func newMachine(ctx context.Context, p plan.Plan) (*portsLab, error) {
	p.Testbed.Networks = p.Testbed.Networks[:2*max(1, pairs(p))]
	m := &machine{name: systemOf(p).String()}
	if err := errors.Join(NeedLab(), needMachines()); err != nil {
		return nil, err
	}
	if err := m.find(ctx, p); err != nil {
		return nil, err
	}
	return &portsLab{plan: p, machine: m}, nil
}

// cacheFolder is where machines are kept.
func cacheFolder() (string, error) {
	cache, err := vm.CacheFolder()
	if err != nil {
		err = fmt.Errorf("find the folder for machines: %w; name one (XDG_CACHE_HOME)", err)
	}
	return cache, err
}

// find finds or makes what the machines of a plan boot, before one of them is measured.
func (m *machine) find(ctx context.Context, p plan.Plan) error {
	cache, err := cacheFolder()
	if err != nil {
		return err
	}
	if m.system, err = vm.Image(ctx, systemOf(p), cache); err != nil {
		return err
	}
	m.boots = []weir.Setting{{Where: "dut", Name: "boots", Value: m.system.String()}}
	for _, part := range p.Parts() {
		for _, l := range part.Levels {
			if l.Testbed == nil {
				continue
			}
			own := p
			own.Testbed = *l.Testbed
			s, err := vm.Image(ctx, systemOf(own), cache)
			if err != nil {
				return err
			}
			m.boots = append(m.boots, weir.Setting{Where: "dut", Name: "boots at " + l.Name, Value: s.String()})
		}
	}
	return nil
}

// machineLacks says what of a plan cannot be done in a machine, and what is missing here
// to run one.
func machineLacks(p plan.Plan) error {
	errs := []error{portsLacks(p), vm.NeedQEMU()}
	hasQEMU := errs[1] == nil
	for _, part := range p.Parts() {
		for _, l := range append([]plan.Level{{}}, part.Levels...) {
			own := p
			if l.Testbed != nil {
				own.Testbed = *l.Testbed
			}
			if hasQEMU {
				errs = append(errs, vm.HasNIC(context.Background(), own.Testbed.Machine.NIC))
			}
			if s := systemOf(own); s.Debian == "" {
				errs = append(errs, s.Readable())
			}
		}
	}
	var told []error
	for _, err := range errs { // each once
		if err != nil && !slices.ContainsFunc(told, func(o error) bool { return o.Error() == err.Error() }) {
			told = append(told, err)
		}
	}
	return errors.Join(told...)
}

// systemOf is what the machine of a plan boots.
func systemOf(p plan.Plan) vm.System {
	m := p.Testbed.Machine
	return vm.System{Debian: m.Debian, Image: p.At(m.Image), Kernel: p.At(m.Kernel), Initramfs: p.At(m.Initramfs), Append: m.Append}
}

// boot starts the machine on CPUs, until undo is done. It returns the machine as a host
// with the names of its ports; nil where nothing is told to it.
func (m *machine) boot(ctx context.Context, p plan.Plan, on []int, undo *settings.Undo) (*shell.Host, []string, error) {
	cache, err := cacheFolder()
	if err != nil {
		return nil, nil, err
	}
	m.config = vm.Config{
		Name: m.name, System: m.system, Memory: p.Testbed.Machine.Memory, CPUs: p.Testbed.Machine.CPUs, NIC: p.Testbed.Machine.NIC,
		On: on, Folder: m.folder, Log: filepath.Join(cache, "console-"+systemOf(p).Short()+".log"), Silent: !p.IsCommanded(),
	}
	m.mtu = mtu(p)
	if m.config.Silent { // nobody else tells it; a driver that is told so takes no larger MTU later
		m.config.MTU = m.mtu
	}
	for i, f := range m.taps.Files {
		m.config.Ports = append(m.config.Ports, vm.Port{Tap: f, MAC: testbed.MachineMAC(i)})
	}
	if err := m.start(ctx); err != nil || m.config.Silent {
		return nil, nil, err
	}
	host, err := shell.New(ctx, "vm:"+m.name, m.dial)
	if err != nil {
		return nil, nil, err
	}
	undo.AddClose(host.Close)
	ports, err := m.plug(ctx, host)
	return host, ports, err
}

// portsByMAC are the names that a machine has for its ports, in their order, and its
// system. They are up after that, and take packets as large as the plan's.
func portsByMAC(ctx context.Context, host *shell.Host, n, mtu int) (names []string, system string, err error) {
	system, platform, err := dut.Find(ctx, host)
	if err != nil {
		return nil, "", err
	}
	all, err := platform.Interfaces(ctx, host)
	if err != nil {
		return nil, "", err
	}
	for i := range n {
		at := slices.IndexFunc(all, func(o dut.Interface) bool { return o.MAC == testbed.MachineMAC(i) })
		if at < 0 {
			return nil, "", fmt.Errorf("%s has no interface with the address %s: has its system a driver for the card (testbed: {nic: ...})", host.Name(), testbed.MachineMAC(i))
		}
		names = append(names, all[at].Name)
		if !all[at].Up { // as nobody has told it yet what they are for
			if _, err := host.Run(ctx, "", "ip", "link", "set", "dev", all[at].Name, "mtu", strconv.Itoa(mtu), "up"); err != nil {
				return nil, "", err
			}
		}
	}
	return names, system, nil
}

// A machine of which nothing is known is there when frames come through.
const (
	silentLimit = 15 * time.Minute // as vm has it for those that are emulated
	silentLook  = 2 * time.Second
)

// await tries until it works, as long as a machine may take to start.
func (m *machine) await(ctx context.Context, try func(context.Context) error) error {
	for end := time.Now().Add(silentLimit); ; {
		err := try(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if why := m.why(); why != nil {
			return why
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w (%v after %s was started; what its console said last: %s)", err, silentLimit, m.name, m.running.Load().Console(3))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-m.running.Load().Done():
		case <-time.After(silentLook):
		}
	}
}

// settings say what the machine is.
func (m *machine) settings() []weir.Setting {
	return append([]weir.Setting{{Where: "dut", Name: "machine", Value: m.running.Load().About()}}, m.boots...)
}

// whileRunning ends a trial when the machine does.
func (l *portsLab) whileRunning(measure weir.Measurer) weir.Measurer {
	if l.machine == nil {
		return measure
	}
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		until, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		stop, running := make(chan struct{}), l.machine.running.Load()
		defer close(stop)
		go func() {
			select {
			case <-running.Done():
				if why := running.Err(); !errors.Is(why, vm.ErrOff) { // which is what the trial is about
					cancel(why)
				}
			case <-stop:
			}
		}()
		r, err := measure(until, trial)
		if err != nil && ctx.Err() == nil {
			if why := l.machine.running.Load().Why(); why != nil {
				err = why
			}
		}
		return r, err
	}
}
