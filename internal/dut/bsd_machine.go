package dut

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
)

// Describer is a Platform that can say what its machine is, where this cannot be read
// from files as on Linux.
type Describer interface {
	// Machine is the kernel with its version, the name of the CPUs, how many there are,
	// and what else a reader must know.
	Machine(context.Context, weir.Host) (kernel, cpuModel string, cpus int, traits []weir.Setting, err error)
}

// CPUReader is a Platform that can say what its CPUs have done since they started.
type CPUReader interface {
	// CPUTime is the time of all CPUs together.
	CPUTime(context.Context, weir.Host) (busy, idle time.Duration, err error)
}

// Machine asks sysctl(8).
func (p bsd) Machine(ctx context.Context, h weir.Host) (kernel, cpuModel string, cpus int, traits []weir.Setting, err error) {
	text, err := h.Run(ctx, "", "sysctl", "-n", "kern.version", "hw.model", "hw.ncpu")
	if err != nil {
		return "", "", 0, nil, err
	}
	// The version takes several lines, of which the first says it all; the others say
	// where it was built.
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) >= 3 {
		cpus, err = strconv.Atoi(strings.TrimSpace(lines[len(lines)-1]))
	}
	if err != nil || cpus < 1 {
		return "", "", 0, nil, fmt.Errorf("%s: sysctl -n kern.version hw.model hw.ncpu says %q, without a number of CPUs in its last line", h.Name(), text)
	}
	values, err := sysctls(ctx, h, p.traits)
	for _, name := range p.traits {
		v, ok := values[name]
		switch {
		case !ok:
		case name != p.virtual:
			traits = append(traits, weir.Setting{Where: "host", Name: name, Value: v})
		case v != p.bare:
			traits = append(traits, weir.Setting{Where: "host", Name: weir.VirtualMachine, Value: "yes"})
		}
	}
	return strings.TrimSpace(lines[0]), strings.TrimSpace(lines[len(lines)-2]), cpus, traits, err
}

// leastTimes is how many numbers kern.cp_time has at least: user, nice, system,
// interrupts, idle. OpenBSD has one for spinning before the last two.
const leastTimes = 5

var (
	wholeNumbers = regexp.MustCompile(`\d+`)
	// ticks are those of the clock that is read, per second; one that is 0 is the other.
	statTicks = regexp.MustCompile(`\bstathz = (\d+)`)
	hertz     = regexp.MustCompile(`\bhz = (\d+)`)
)

// CPUTime reads kern.cp_time, which counts the ticks of a clock.
func (p bsd) CPUTime(ctx context.Context, h weir.Host) (busy, idle time.Duration, err error) {
	names := []string{"kern.cp_time", "kern.clockrate"}
	if p.mean != "" {
		names = append(names, p.mean)
	}
	text, err := h.Run(ctx, "", append([]string{"sysctl", "-n"}, names...)...)
	if err != nil {
		return 0, 0, err
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != len(names) {
		return 0, 0, fmt.Errorf("%s: sysctl says %q for %s", h.Name(), text, strings.Join(names, ", "))
	}
	times := wholeNumbers.FindAllString(lines[0], -1)
	if len(times) < leastTimes {
		return 0, 0, fmt.Errorf("%s: kern.cp_time says %q, which should be %d numbers or more", h.Name(), lines[0], leastTimes)
	}
	rate := clockRate(lines[1])
	if rate == 0 {
		return 0, 0, fmt.Errorf("%s: kern.clockrate says %q, without stathz and hz", h.Name(), lines[1])
	}
	cpus := 1
	if p.mean != "" {
		if cpus, err = strconv.Atoi(strings.TrimSpace(lines[2])); err != nil {
			return 0, 0, fmt.Errorf("%s: %s: %w", h.Name(), p.mean, err)
		}
	}
	for i, ticks := range times {
		n, err := strconv.ParseFloat(ticks, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: kern.cp_time: %w", h.Name(), err)
		}
		spent := time.Duration(n / rate * float64(cpus) * float64(time.Second))
		if i == len(times)-1 { // no work
			idle = spent
		} else {
			busy += spent
		}
	}
	return busy, idle, nil
}

// clockRate is the ticks per second of the clock that times are counted with; 0: it is
// not told.
func clockRate(text string) float64 {
	for _, clock := range []*regexp.Regexp{statTicks, hertz} {
		if found := clock.FindStringSubmatch(text); found != nil {
			if n, err := strconv.ParseFloat(found[1], 64); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}
