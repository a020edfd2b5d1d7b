package audit

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weir/internal/settings"
)

// irq is the interrupt of one queue of a device.
type irq struct {
	number int
	device string
	cpus   []int // that take it
}

// queueName is how drivers name the interrupts of their queues; those of link
// changes and the like have no number.
var queueName = regexp.MustCompile(`(?i)(txrx|rxtx|tx|rx|input|output|comp|queue|fp|q)[-_.]?\d+`)

// irqs are the interrupts of the queues of a device.
func (s *site) irqs(ctx context.Context, l link) ([]irq, error) {
	text, there, err := s.file(ctx, "/proc/interrupts")
	if err != nil || !there {
		return nil, err
	}
	where, err := s.tree(ctx, "/proc/irq/*/smp_affinity_list /proc/irq/*/effective_affinity_list")
	if err != nil {
		return nil, err
	}
	var found []irq
	for line := range strings.Lines(text) {
		first, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		number, err := strconv.Atoi(first)
		fields := strings.Fields(rest)
		if err != nil || len(fields) == 0 {
			continue
		}
		if name := fields[len(fields)-1]; !queueName.MatchString(name) || !names(name, l.Name) && !names(name, l.Parent) {
			continue
		}
		dir := fmt.Sprintf("/proc/irq/%d/", number)
		list, ok := where[dir+"effective_affinity_list"]
		if !ok {
			list = where[dir+"smp_affinity_list"]
		}
		cpus, err := settings.ParseCPUs(list)
		if err != nil {
			return nil, err
		}
		if len(cpus) > 0 {
			found = append(found, irq{number, l.Name, cpus})
		}
	}
	return found, nil
}

// names reports whether a name has another as a whole word in it: eth1 is in
// "i40e-eth1-TxRx-0" and not in "eth10-rx-0".
func names(name, word string) bool {
	if word == "" {
		return false
	}
	at := strings.Index(name, word)
	if at < 0 {
		return false
	}
	isWord := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	end := at + len(word)
	return (at == 0 || !isWord(name[at-1])) && (end == len(name) || !isWord(name[end]))
}

// near are the CPUs at whose memory a device is.
func (s *site) near(ctx context.Context, l link) ([]int, error) {
	text, there, err := s.file(ctx, "/sys/class/net/"+l.Name+"/device/local_cpulist")
	if err != nil || !there || text == "" {
		return s.cpus(ctx)
	}
	return settings.ParseCPUs(text)
}

// spread are the changes that give interrupts to CPUs in turn.
func spread(irqs []irq, cpus []int) []mend {
	var mends []mend
	for i, q := range irqs {
		mends = append(mends, mend{
			settings.Setting{Kind: settings.File, Device: q.device, Name: fmt.Sprintf("/proc/irq/%d/smp_affinity_list", q.number)},
			strconv.Itoa(cpus[i%len(cpus)])})
	}
	return mends
}

func checkIRQs(ctx context.Context, s *site) ([]Finding, error) {
	cpus, err := s.cpus(ctx)
	if err != nil || len(cpus) == 1 {
		return nil, err
	}
	var all []irq
	var mends []mend
	var errs []error
	for _, l := range s.links {
		found, err := s.irqs(ctx, l)
		near, nearErr := s.near(ctx, l)
		if errs = append(errs, err, nearErr); err != nil || nearErr != nil {
			continue
		}
		all, mends = append(all, found...), append(mends, spread(found, near)...)
	}
	var used, devices []string
	for _, q := range all {
		used, devices = append(used, settings.CPUList(q.cpus)), append(devices, q.device)
	}
	if len(all) == 0 && errors.Join(errs...) == nil {
		return nil, errNone
	}
	if len(all) < 2 || slices.ContainsFunc(used, func(c string) bool { return c != used[0] }) || strings.ContainsAny(used[0], "-,") {
		return nil, errors.Join(errs...)
	}
	return []Finding{{Severity: Spoils, Where: strings.Join(slices.Compact(devices), ", "),
		Found:  fmt.Sprintf("all %d on CPU %s", len(all), used[0]),
		Wanted: "spread over the CPUs " + settings.CPUList(cpus), mends: mends}}, errors.Join(errs...)
}

func checkNUMA(ctx context.Context, s *site, l link) ([]Finding, error) {
	nodes, _, err := s.file(ctx, "/sys/devices/system/node/online")
	if err != nil {
		return nil, err
	}
	if several, err := settings.ParseCPUs(nodes); err != nil || len(several) < 2 {
		return nil, err
	}
	node, there, err := s.number(ctx, "/sys/class/net/"+l.Name+"/device/numa_node")
	if err != nil || !there || node < 0 {
		return nil, err
	}
	near, err := s.near(ctx, l)
	if err != nil {
		return nil, err
	}
	all, err := s.irqs(ctx, l)
	var far []irq
	var used []int
	for _, q := range all {
		if !slices.ContainsFunc(q.cpus, func(c int) bool { return slices.Contains(near, c) }) {
			far, used = append(far, q), append(used, q.cpus...)
		}
	}
	if len(far) == 0 {
		return nil, err
	}
	return []Finding{{Severity: Doubtful, Found: "CPUs " + settings.CPUList(used), mends: spread(far, near),
		Wanted: fmt.Sprintf("CPUs %s, of the port's node %d", settings.CPUList(near), node)}}, err
}

func checkIRQBalance(ctx context.Context, s *site) ([]Finding, error) {
	a, err := s.watch(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range a.processes {
		if p.name != "irqbalance" {
			continue
		}
		f := Finding{Severity: Doubtful, Found: fmt.Sprintf("it runs as process %d", p.pid), Wanted: "not running"}
		service := settings.Setting{Kind: settings.Service, Name: "irqbalance"}
		if state, err := s.run(ctx, "systemctl", "is-active", service.Name); err == nil && state == "active\n" {
			f.mends = []mend{{service, "inactive"}}
		} else {
			f.Remedy = []string{fmt.Sprintf("kill %d", p.pid)}
		}
		return []Finding{f}, nil
	}
	return nil, nil
}
