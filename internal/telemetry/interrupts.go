package telemetry

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"weir"
)

const (
	interruptsPath = "/proc/interrupts"
	softirqsPath   = "/proc/softirqs"
)

// interruptSource is how often the DUT's CPUs were interrupted: by each queue of
// its ports, by timers and by other CPUs, and how often they received and sent
// in softirq.
var interruptSource = Source{
	Name:    "interrupts",
	Summary: "interrupts of each queue of the ports, of timers and between CPUs, and network softirqs, by CPU (/proc/interrupts, softirqs)",
	wants: func(what Subject) wants {
		w := wants{files: []string{interruptsPath, softirqsPath}}
		for _, p := range what.Ports {
			w.names = append(w.names, interruptNumbers(p)...)
		}
		return w
	},
	parse: parseInterrupts,
}

// interruptNumbers are patterns that match a file for each interrupt of a port,
// by its number: of its device, or of the one that this is part of (virtio).
func interruptNumbers(p weir.Port) []string {
	device := "/sys/class/net/" + p.DUT + "/device/"
	return []string{device + "msi_irqs/*", device + "../msi_irqs/*"}
}

func parseInterrupts(what Subject, a answers) ([]sample, error) {
	port := make(map[string]int) // by the number of the interrupt
	for i, p := range what.Ports {
		for _, pattern := range interruptNumbers(p) {
			for _, file := range a.matches[pattern] {
				port[path.Base(file)] = i
			}
		}
	}
	out, err := parsePerCPU(what, interruptsPath, a.texts[interruptsPath], func(label, text string) string {
		if unicode.IsLetter(rune(label[0])) { // of the CPU itself
			if len(text) > 1 && unicode.IsLower(rune(text[1])) { // not an abbreviation
				text = strings.ToLower(text[:1]) + text[1:]
			}
			return text
		}
		f := strings.Fields(text)
		if len(f) == 0 {
			return ""
		}
		action := f[len(f)-1]
		if i, ok := port[label]; ok {
			return fmt.Sprintf("port %d %s", i, action)
		}
		for i, p := range what.Ports {
			if action == p.DUT || strings.HasPrefix(action, p.DUT+"-") {
				return fmt.Sprintf("port %d %s", i, action)
			}
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	soft, err := parsePerCPU(what, softirqsPath, a.texts[softirqsPath], func(label, _ string) string {
		if label == "NET_RX" || label == "NET_TX" {
			return "softirq " + label
		}
		return ""
	})
	return append(out, soft...), err
}

// parsePerCPU reads a table with a line of CPUs, then lines of a label, a count
// for each of them and a text. Named says what a line is called; "": it is of no
// interest. Lines without counts for all CPUs are sums of their own.
func parsePerCPU(what Subject, file, table string, named func(label, text string) string) (out []sample, err error) {
	if table == "" {
		return nil, nil
	}
	head, rows, _ := strings.Cut(table, "\n")
	cpus := columns(head)
	if len(cpus) == 0 {
		return nil, fmt.Errorf("%s begins with %q", file, cut(head))
	}
	for row := range strings.Lines(rows) {
		label, rest, ok := strings.Cut(strings.TrimSpace(row), ":")
		f := strings.Fields(rest)
		if !ok || label == "" || len(f) < len(cpus) {
			continue
		}
		n, ok := counts(f[:len(cpus)], 10)
		if !ok {
			continue
		}
		name := named(label, strings.Join(f[len(cpus):], " "))
		if name == "" {
			continue
		}
		for i, cpu := range cpus {
			if what.of(cpu) {
				out = append(out, sample{name: fmt.Sprintf("CPU %d %s", cpu, name), unit: "count", count: n[i], wrap: words32})
			}
		}
	}
	return out, nil
}
