package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/campaign"
	"weir/internal/dut"
	"weir/internal/telemetry"
)

// drops are what the DUT's counters say.
func (r *reached) drops(ctx context.Context) ([]weir.Drop, error) {
	read := r.dut
	read.Host = r.glance
	all, err := r.platform.Drops(ctx, read, r.setup)
	if err != nil {
		return nil, fmt.Errorf("read the DUT's counters: %w", err)
	}
	return all, nil
}

// reachedSample is what a DUT says of itself at one time.
type reachedSample struct {
	said telemetry.Snapshot
	cpu  telemetry.CPUTime
	busy time.Duration // of all CPUs together, where the platform says it
	at   time.Time
}

// sample reads the DUT as it is from now on: before a trial, all that is read of it then
// is of this moment.
func (r *reached) sample(ctx context.Context) (reachedSample, error) {
	if r == nil {
		return reachedSample{}, nil
	}
	r.glance.Over()
	return r.read(ctx)
}

// read reads the DUT.
func (r *reached) read(ctx context.Context) (s reachedSample, err error) {
	if reader, ok := r.platform.(dut.CPUReader); ok {
		s.busy, _, err = reader.CPUTime(ctx, r.glance)
	} else if s.said, err = r.meter.Read(ctx, telemetry.Subject{Ports: r.dut.Ports}); err == nil {
		s.cpu, err = telemetry.ReadCPUs(ctx, r.glance, r.cpus)
	}
	s.at = r.glance.At()
	return s, err
}

// since adds what the DUT has said of the time since a sample, at the moment at which its
// counters were read after the trial. What the CPUs of a DUT with a kernel of its own did,
// they did for the frames.
func (r *reached) since(ctx context.Context, before reachedSample, seen *campaign.Observation) error {
	if r == nil {
		return nil
	}
	after, err := r.read(ctx)
	r.glance.Over()
	if err != nil {
		return err
	}
	if _, ok := r.platform.(dut.CPUReader); ok {
		seen.DUTCPU = max(0, after.busy-before.busy)
		return nil
	}
	seen.Readings = after.said.Since(before.said)
	if r.here || after.cpu.Idle < before.cpu.Idle { // or it has started anew
		return nil
	}
	all := after.at.Sub(before.at) * time.Duration(len(r.cpus))
	seen.DUTCPU = max(0, all-(after.cpu.Idle-before.cpu.Idle)-(after.cpu.Steal-before.cpu.Steal))
	return nil
}

// over has what is read of the DUT from now on be of another moment.
func (r *reached) over() {
	if r != nil {
		r.glance.Over()
	}
}

// readAgain has the program that reads the DUT there again, if it was and is not.
func (r *reached) readAgain(ctx context.Context) error {
	if r == nil {
		return nil
	}
	if err := r.looker.again(ctx); err != nil {
		return fmt.Errorf("have the DUT read: %w", err)
	}
	return nil
}

// explained adds what the DUT's counters say to the ledger of each trial.
func (l *portsLab) explained(measure weir.Measurer) weir.Measurer {
	if l.dut == nil && l.machine == nil {
		return measure
	}
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if err := l.dut.readAgain(ctx); err != nil {
			return weir.TrialResult{}, err
		}
		said := l.says.Load()
		before, err := l.drops(ctx)
		if err = errors.Join(l.dut.stays(ctx), err); err != nil {
			return weir.TrialResult{}, err
		}
		l.dut.over()
		r, err := measure(ctx, trial)
		if err != nil || trial.Bypass {
			return r, errors.Join(err, l.dut.stays(context.WithoutCancel(ctx)))
		}
		after, err := l.drops(context.WithoutCancel(ctx))
		if err = errors.Join(l.dut.stays(context.WithoutCancel(ctx)), err); err != nil {
			return r, err
		}
		if trial.Transfer != nil && r.Offered == 0 {
			return r, nil // nobody counted the frames of a program
		}
		r.Ledger = weir.Balance(r.Offered, r.Received, weir.AddDrops(r.Ledger.Drops, dut.WithoutForeign(dut.Since(before, after), uint64(l.says.Load()-said))))
		return r, nil
	}
}

// describe has the manifest say what the DUT is: its kernel is the one that counts.
func (r *reached) describe(ctx context.Context, m *weir.Manifest) error {
	m.Platform = r.name
	for i := range m.Settings {
		if m.Settings[i].Where == "host" {
			m.Settings[i].Where = "tester"
		}
	}
	m.Settings = append(m.Settings, weir.Setting{Where: "tester", Name: "kernel", Value: m.Kernel},
		weir.Setting{Where: "tester", Name: "CPU", Value: fmt.Sprintf("%d x %s", m.CPUs, m.CPUModel)},
		weir.Setting{Where: "dut", Name: "host", Value: r.host.Name()},
		weir.Setting{Where: "dut", Name: "read by", Value: r.looker.String()})
	var machine telemetry.Machine
	var err error
	if describer, ok := r.platform.(dut.Describer); ok {
		machine.Kernel, machine.CPUModel, _, machine.Settings, err = describer.Machine(ctx, r.host)
	} else {
		machine, err = telemetry.ReadMachine(ctx, r.host)
	}
	if err != nil {
		return fmt.Errorf("describe the DUT: %w", err)
	}
	m.Kernel, m.CPUModel, m.CPUs = machine.Kernel, machine.CPUModel, len(r.cpus)
	m.Settings = append(m.Settings, machine.Settings...)
	own, err := r.platform.Settings(ctx, r.dut)
	m.Settings = append(m.Settings, own...)
	return err
}
