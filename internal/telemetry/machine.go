package telemetry

import (
	"context"
	"strings"

	"weir"
)

// Machine is what a reader must know of a machine to compare its numbers.
type Machine struct {
	Kernel   string // release and version
	CPUModel string
	Settings []weir.Setting
}

// traits of a machine that change how fast it forwards, by file.
var traits = []struct{ name, path string }{
	{"clock source", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
	{"CPU frequency governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
	{"idle driver", "/sys/devices/system/cpu/cpuidle/current_driver"},
	{"simultaneous multithreading", "/sys/devices/system/cpu/smt/control"},
	{"kernel command line", "/proc/cmdline"},
	{"BPF JIT", "/proc/sys/net/core/bpf_jit_enable"},
	{"real-time budget", "/proc/sys/kernel/sched_rt_runtime_us"},
}

// ReadMachine reads what is to be known of a machine. What it does not say is
// left out.
func ReadMachine(ctx context.Context, h weir.Host) (Machine, error) {
	release, err := h.ReadFile(ctx, "/proc/sys/kernel/osrelease")
	if err != nil {
		return Machine{}, err
	}
	version, err := h.ReadFile(ctx, "/proc/sys/kernel/version")
	if err != nil {
		return Machine{}, err
	}
	cpuinfo, err := h.ReadFile(ctx, "/proc/cpuinfo")
	if err != nil {
		return Machine{}, err
	}
	m := Machine{
		Kernel:   strings.TrimSpace(release) + " " + strings.TrimSpace(version),
		CPUModel: cpuField(cpuinfo, "model name"),
	}
	add := func(name, value string) {
		if value = strings.TrimSpace(value); value != "" {
			m.Settings = append(m.Settings, weir.Setting{Where: "host", Name: name, Value: value})
		}
	}
	for _, t := range traits {
		if value, err := h.ReadFile(ctx, t.path); err == nil {
			add(t.name, value)
		}
	}
	add("CPU caches", cpuField(cpuinfo, "cache size"))
	add("CPU bugs", cpuField(cpuinfo, "bugs"))
	if strings.Contains(cpuField(cpuinfo, "flags")+" ", "hypervisor ") {
		add(weir.VirtualMachine, "yes")
	}
	return m, nil
}

// cpuField is the first value of that name in /proc/cpuinfo.
func cpuField(cpuinfo, name string) string {
	for line := range strings.Lines(cpuinfo) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
