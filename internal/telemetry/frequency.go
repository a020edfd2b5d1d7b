package telemetry

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

const (
	frequencyFiles = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq"
	cpuinfoPath    = "/proc/cpuinfo"
)

// frequencySource is how fast the clock of each of the DUT's CPUs is. What
// /proc/cpuinfo says is used where cpufreq has no driver, as in virtual machines,
// where it may be the nominal one.
var frequencySource = Source{
	Name:    "frequency",
	Summary: "clock of each CPU (cpufreq, or /proc/cpuinfo)",
	wants:   func(Subject) wants { return wants{files: []string{frequencyFiles, cpuinfoPath}} },
	parse:   parseFrequency,
}

func parseFrequency(what Subject, a answers) (out []sample, err error) {
	add := func(cpu int, hertz float64) {
		if what.of(cpu) && hertz > 0 {
			out = append(out, sample{name: fmt.Sprintf("CPU %d", cpu), unit: "Hz", gauge: true, value: hertz})
		}
	}
	for _, file := range a.matches[frequencyFiles] {
		cpu, err := strconv.Atoi(strings.TrimPrefix(path.Base(path.Dir(path.Dir(file))), "cpu"))
		if err != nil {
			continue
		}
		if kHz, err := strconv.ParseFloat(a.text(file), 64); err == nil {
			add(cpu, kHz*1e3)
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	cpu := -1
	for line := range strings.Lines(a.texts[cpuinfoPath]) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "processor":
			if cpu, err = strconv.Atoi(value); err != nil {
				return nil, fmt.Errorf("%s has the line %q", cpuinfoPath, cut(line))
			}
		case "cpu MHz":
			MHz, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return nil, fmt.Errorf("%s has the line %q", cpuinfoPath, cut(line))
			}
			add(cpu, MHz*1e6)
		}
	}
	return out, nil
}
