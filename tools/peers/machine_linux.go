package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"weir"
	"weir/internal/telemetry"
)

// From where on the machine is said to be noisy, as shares of its CPU time.
const (
	busyShare  = 0.05
	stealShare = 0.01
)

// machine is this machine as far as it is read here.
type machine struct{ weir.Host }

func (machine) ReadFile(_ context.Context, path string) (string, error) {
	text, err := os.ReadFile(path)
	return string(text), err
}

// watch notes what else the machine did during the comparison.
type watch struct {
	start        telemetry.CPU
	begin        time.Time
	quiet, other time.Duration // CPU time while nothing was measured: all of it, and what others used
}

func startWatch(ctx context.Context) (*watch, error) {
	cpu, err := telemetry.ReadCPU(ctx, machine{})
	return &watch{start: cpu, begin: time.Now()}, err
}

// listen looks for a while at what the CPUs do when no sender runs.
func (w *watch) listen(ctx context.Context) error {
	const d = 100 * time.Millisecond
	before, err := telemetry.ReadCPU(ctx, machine{})
	if err != nil {
		return err
	}
	if err := wait(ctx, nil, d); err != nil {
		return err
	}
	after, err := telemetry.ReadCPU(ctx, machine{})
	if err != nil {
		return err
	}
	w.quiet += d * time.Duration(runtime.NumCPU())
	w.other += after.Busy - before.Busy
	return nil
}

// end says on what machine the senders were compared, and what to think of it.
func (w *watch) end(ctx context.Context) ([]string, error) {
	m, err := telemetry.ReadMachine(ctx, machine{})
	if err != nil {
		return nil, err
	}
	cpu, err := telemetry.ReadCPU(ctx, machine{})
	if err != nil {
		return nil, err
	}
	steal, all := cpu.Steal-w.start.Steal, time.Since(w.begin)*time.Duration(runtime.NumCPU())
	notes := []string{
		fmt.Sprintf("machine: %s, %d CPUs, Linux %s", m.CPUModel, runtime.NumCPU(), m.Kernel),
		fmt.Sprintf("steal: %v of %v of CPU time", steal, all.Round(time.Second)),
	}
	if share := steal.Seconds() / all.Seconds(); share > stealShare {
		notes = append(notes, fmt.Sprintf("WARNING: the hypervisor gave %.0f %% of the CPU time to others: run it again", share*100))
	}
	if share := w.other.Seconds() / w.quiet.Seconds(); share > busyShare {
		notes = append(notes, fmt.Sprintf("WARNING: this machine was busy: others used %.0f %% of its CPUs between the blocks; run it again when it is idle", share*100))
	}
	return notes, nil
}
