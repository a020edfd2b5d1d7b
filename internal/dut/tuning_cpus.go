package dut

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"weir"
	"weir/internal/settings"
)

// ofDUT reads a list of CPUs, all of which have to be the DUT's where it is
// known which are: others have other work.
func (at target) ofDUT(list string) ([]int, error) {
	cpus, err := settings.ParseCPUs(list)
	if err != nil {
		return nil, err
	}
	for _, c := range cpus {
		if len(at.CPUs) > 0 && !slices.Contains(at.CPUs, c) {
			return nil, weir.Wrong("CPU %d is not one of the DUT's (%v), so it has other work", c, at.CPUs).Advise("take one of these, or give the DUT more under testbed.cpus")
		}
	}
	return cpus, nil
}

// unsteered is the value of rps for no CPUs.
const unsteered = "off"

func (at target) steering(value string) (string, error) {
	if value == unsteered {
		return settings.CPUMask(nil), nil
	}
	cpus, err := at.ofDUT(value)
	return settings.CPUMask(cpus), err
}

// eachRPS calls f with the file of each receive queue.
func (at target) eachRPS(ctx context.Context, f func(path string) error) error {
	for _, port := range at.Ports {
		for q := 0; ; q++ {
			path := fmt.Sprintf("/sys/class/net/%s/queues/rx-%d/rps_cpus", port.DUT, q)
			if _, err := at.Host.ReadFile(ctx, path); err != nil {
				if q == 0 {
					return &weir.UnsupportedError{Feature: "receive packet steering at " + port.DUT, Remedy: "this kernel has none (CONFIG_RPS): leave the level out", Err: err}
				}
				break
			}
			if err := f(path); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkRPS(ctx context.Context, at target, t weir.Tuning) error {
	if _, err := at.steering(t.Value); err != nil {
		return err
	}
	return at.eachRPS(ctx, func(string) error { return nil })
}

func setRPS(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	mask, err := at.steering(t.Value)
	if err != nil {
		return err
	}
	return at.eachRPS(ctx, func(path string) error {
		_, err := undo.Set(ctx, at.Host, file(path), mask)
		return err
	})
}

func checkCPUs(_ context.Context, at target, t weir.Tuning) error {
	n, err := positive(t.Value)
	switch {
	case err != nil:
		return err
	case at.Spread == nil:
		return &weir.UnsupportedError{Feature: "telling this DUT on how many CPUs it forwards", Remedy: "leave the level out, or set it with rps or irq"}
	case len(at.CPUs) > 0 && n > len(at.CPUs):
		return weir.Wrong("the DUT has %d (%v)", len(at.CPUs), at.CPUs).Advise("take fewer, or give it more under testbed.cpus")
	}
	return nil
}

func setCPUs(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	if err := checkCPUs(ctx, at, t); err != nil {
		return err
	}
	n, err := positive(t.Value)
	if err != nil {
		return err
	}
	back, err := at.Spread(n)
	if back != nil {
		undo.AddClose(back)
	}
	return err
}

// outside says that frames would be steered to CPUs on which the DUT is not to
// forward. What cannot be read is for others to say.
func outside(all []int, tunings []weir.Tuning) error {
	value := make(map[string]string)
	for _, t := range tunings {
		value[t.Name] = t.Value
	}
	n, err := strconv.Atoi(value[weir.CPUsTuning])
	if err != nil || n < 1 || n > len(all) {
		return nil
	}
	steered, err := settings.ParseCPUs(value["rps"])
	if err != nil {
		return nil
	}
	for _, c := range steered {
		if !slices.Contains(all[:n], c) {
			return weir.Wrong("rps %s with cpus %d: the DUT is to forward on %v alone, and CPU %d is not one of these", value["rps"], n, all[:n], c).Advise("take other CPUs for rps, or leave one of the two out")
		}
	}
	return nil
}

// interrupts are the numbers of those that a port has for itself.
func (at target) interrupts(ctx context.Context, port string) (numbers []string, err error) {
	all, err := settings.Interrupts(ctx, at.Host, port)
	if err == nil && len(all) == 0 {
		err = errors.New("it has none")
	}
	if err != nil {
		return nil, &weir.UnsupportedError{Feature: "the interrupts of " + port, Remedy: "it is no card that has its own (MSI): leave the level out", Err: err}
	}
	for _, i := range all {
		numbers = append(numbers, i.Number)
	}
	return numbers, nil
}

func checkIRQ(ctx context.Context, at target, t weir.Tuning) error {
	if _, err := at.ofDUT(t.Value); err != nil {
		return err
	}
	for _, port := range at.Ports {
		if _, err := at.interrupts(ctx, port.DUT); err != nil {
			return err
		}
	}
	if at.Shared {
		return wholeMachine("the CPUs of interrupts are")
	}
	return nil
}

func setIRQ(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	if err := checkIRQ(ctx, at, t); err != nil {
		return err
	}
	for _, port := range at.Ports {
		numbers, err := at.interrupts(ctx, port.DUT)
		if err != nil {
			return err
		}
		for _, n := range numbers {
			if _, err := undo.Set(ctx, at.Host, file("/proc/irq/"+n+"/smp_affinity_list"), t.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// wholeMachine says that something belongs to more than the DUT.
func wholeMachine(what string) error {
	return weir.Wrong("%s of the whole machine, not of the DUT's namespace, and would stay changed if weir were killed", what).Advise("set it before weir starts, and leave the level out")
}

// againstSoftirq says that steering is no difference where the kernel may do the same by itself.
func againstSoftirq(_ weir.Tuning, c weir.Condition) weir.Problems {
	return weir.When(c.NAPI() == weir.Softirq, "rps: with NAPI %s frames may be steered to the DUT's CPUs already", c.NAPI()).Advise("leave one of the two out")
}

// againstNoThreads says that CPUs are for threads.
func againstNoThreads(_ weir.Tuning, c weir.Condition) weir.Problems {
	return weir.When(c.NAPI() != "" && c.NAPI() != weir.Threaded, "cpus: with NAPI %s the DUT has no threads to be bound to CPUs", c.NAPI()).Advise("leave one of the two out")
}
