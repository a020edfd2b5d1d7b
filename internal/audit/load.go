package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir/internal/processes"
)

// activity is what a machine did while it was watched.
type activity struct {
	busy, steal float64 // shares of the time of all CPUs
	everSteal   float64 // share since the machine started
	swapped     int     // pages, in and out
	processes   []process
}

// process is a process or a thread of the kernel that was there at the end.
type process struct {
	pid  int
	name string
	cpu  float64 // that it took, in CPUs; 0 where it began in between
}

// moment is what the counters of a machine say, in the kernel's ticks.
type moment struct {
	cpus                      int
	total, idle, steal, pages int
	processes                 map[int]process // with cpu in ticks
}

// watch looks what the machine does for a while, once.
func (s *site) watch(ctx context.Context) (activity, error) {
	if s.seen != nil {
		return *s.seen, nil
	}
	before, err := s.moment(ctx)
	if err != nil {
		return activity{}, err
	}
	select {
	case <-ctx.Done():
		return activity{}, context.Cause(ctx)
	case <-time.After(s.Watch):
	}
	after, err := s.moment(ctx)
	if err != nil {
		return activity{}, err
	}
	a := compare(before, after)
	s.seen = &a
	return a, nil
}

func (s *site) moment(ctx context.Context) (moment, error) {
	text, err := s.Host.Run(ctx, "", "sh", "-c", "grep -h -E '^(cpu|pswp)' /proc/stat /proc/vmstat; "+processes.Command)
	if err != nil {
		return moment{}, err
	}
	return parseMoment(text)
}

func parseMoment(text string) (moment, error) {
	m := moment{processes: make(map[int]process)}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "cpu" && len(fields) > 8:
			n := numbers(fields[1:9])
			for _, t := range n {
				m.total += t
			}
			m.idle, m.steal = n[3]+n[4], n[7]
		case strings.HasPrefix(fields[0], "cpu"):
			m.cpus++
		case strings.HasPrefix(fields[0], "pswp"):
			m.pages += numbers(fields[1:])[0]
		}
	}
	for pid, is := range processes.ParseAll(text) {
		ticks := is.Field(processes.UserTime) + is.Field(processes.SystemTime)
		m.processes[pid] = process{pid: pid, name: strings.Join(strings.Fields(is.Name), " "), cpu: float64(ticks)} // on one line
	}
	if m.cpus == 0 || m.total == 0 {
		return m, errors.New("/proc/stat has no line on CPUs")
	}
	return m, nil
}

// numbers are the leading numbers of words; what is none is 0.
func numbers(words []string) []int {
	out := make([]int, max(len(words), 1))
	for i, w := range words {
		out[i], _ = strconv.Atoi(w)
	}
	return out
}

func compare(before, after moment) activity {
	span := float64(max(after.total-before.total, 1))
	idle, steal := float64(after.idle-before.idle), float64(after.steal-before.steal)
	a := activity{
		busy: max(0, span-idle-steal) / span, steal: steal / span,
		everSteal: float64(after.steal) / float64(after.total), swapped: after.pages - before.pages,
	}
	for pid, p := range after.processes {
		if was, ok := before.processes[pid]; ok && was.name == p.name {
			p.cpu = (p.cpu - was.cpu) / span * float64(after.cpus)
		} else {
			p.cpu = 0
		}
		a.processes = append(a.processes, p)
	}
	slices.SortFunc(a.processes, func(a, b process) int {
		if a.cpu != b.cpu {
			return int((b.cpu - a.cpu) * 1e6)
		}
		return a.pid - b.pid
	})
	return a
}

// The loads, in CPUs, from which other work is named.
const (
	someLoad = 0.05
	muchLoad = 0.25
)

func checkLoad(ctx context.Context, s *site) ([]Finding, error) {
	a, err := s.watch(ctx)
	if err != nil {
		return nil, err
	}
	cpus, err := s.cpus(ctx)
	if err != nil {
		return nil, err
	}
	busy := a.busy * float64(len(cpus))
	var top []string
	for _, p := range a.processes {
		if p.pid == s.Self {
			busy -= p.cpu
		} else if p.cpu >= someLoad/2 && len(top) < 3 {
			top = append(top, fmt.Sprintf("%s (process %d) %.0f %%", p.name, p.pid, p.cpu*100))
		}
	}
	if busy < someLoad {
		return nil, nil
	}
	f := Finding{Severity: Doubtful, Found: fmt.Sprintf("%.2f of %d CPUs busy", busy, len(cpus)), Wanted: fmt.Sprintf("less than %.2f", someLoad),
		Advice: "stop what else runs here, or see that the DUT's CPUs are left to it (isolcpus=, cpusets)"}
	f.Brief = "load " + f.Found
	if len(top) > 0 {
		f.Brief = strings.Join(top, ", ") + " of a CPU"
		f.Found += "; of one CPU: " + strings.Join(top, ", ")
	}
	if busy >= muchLoad {
		f.Severity = Spoils
	}
	return []Finding{f}, nil
}

func checkSteal(ctx context.Context, s *site) ([]Finding, error) {
	a, err := s.watch(ctx)
	if err != nil || max(a.steal, a.everSteal) < 0.01 {
		return nil, err
	}
	f := Finding{Severity: Doubtful, Found: fmt.Sprintf("%.1f %% while watched, %.1f %% since the machine started", a.steal*100, a.everSteal*100),
		Wanted: "less than 1 %", Advice: "take a machine of your own, or more and shorter runs"}
	if a.steal >= .0005 {
		f.Brief = fmt.Sprintf("the hypervisor took %.1f %%", a.steal*100)
	}
	if a.steal >= 0.1 {
		f.Severity = Spoils
	}
	return []Finding{f}, nil
}

func checkSwap(ctx context.Context, s *site) ([]Finding, error) {
	a, err := s.watch(ctx)
	if err != nil || a.swapped <= 0 {
		return nil, err
	}
	return []Finding{{Severity: Doubtful, Found: fmt.Sprintf("%d pages swapped while watched", a.swapped), Brief: fmt.Sprintf("swap %d pages swapped", a.swapped), Wanted: "none",
		Advice: "stop what takes the memory, then: swapoff -a"}}, nil
}
