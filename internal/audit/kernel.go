package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// checkMitigations notes those that are on, and gives all of them a short name
// by which two machines are compared.
func checkMitigations(ctx context.Context, s *site) ([]Finding, error) {
	files, err := s.tree(ctx, cpuDir+"vulnerabilities/*")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("the kernel does not say which mitigations are on")
	}
	all := sha256.New()
	var on []string
	for _, p := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(all, "%s: %s\n", path.Base(p), files[p])
		if strings.Contains(files[p], "Mitigation:") {
			on = append(on, path.Base(p))
		}
	}
	s.fingerprints["mitigations"] = fmt.Sprintf("%x", all.Sum(nil)[:6])
	if len(on) == 0 {
		return nil, nil
	}
	return []Finding{{Severity: Note, Found: fmt.Sprintf("%d on: %s", len(on), strings.Join(on, ", ")),
		Wanted: "the same on all machines that are compared: fingerprint " + s.fingerprints["mitigations"],
		Advice: "boot with mitigations=off to see what they cost, on a machine that nobody else uses"}}, nil
}

// goodClocks are read without leaving the CPU.
var goodClocks = []string{"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "timebase", "riscv_clocksource"}

func checkClock(ctx context.Context, s *site) ([]Finding, error) {
	const dir = "/sys/devices/system/clocksource/clocksource0/"
	now, there, err := s.file(ctx, dir+"current_clocksource")
	if err != nil || !there || slices.Contains(goodClocks, now) {
		return nil, err
	}
	f := Finding{Severity: Doubtful, Found: now, Wanted: "tsc", Advice: "boot with clocksource=tsc if the CPU's counter is reliable"}
	available, _, err := s.file(ctx, dir+"available_clocksource")
	for _, good := range goodClocks {
		if slices.Contains(strings.Fields(available), good) {
			f.Wanted, f.Advice, f.mends = good, "", toFiles([]string{dir + "current_clocksource"}, good)
			break
		}
	}
	return []Finding{f}, err
}

func checkJIT(ctx context.Context, s *site) ([]Finding, error) {
	const file = "/proc/sys/net/core/bpf_jit_enable"
	text, there, err := s.file(ctx, file)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, notShown(file)
	}
	if text != "0" {
		return nil, nil
	}
	return []Finding{{Severity: Doubtful, Found: "off", Wanted: "on", mends: toFiles([]string{file}, "1")}}, nil
}

// notShown is about a file of the kernel that only its first network namespace
// has.
func notShown(file string) error {
	return fmt.Errorf("%s is not shown in this network namespace: look at the machine outside of it", file)
}

func checkBudget(ctx context.Context, s *site) ([]Finding, error) {
	const file = "/proc/sys/net/core/netdev_budget"
	budget, there, err := s.number(ctx, file)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, notShown(file)
	}
	if budget != 300 {
		return nil, nil
	}
	return []Finding{{Severity: Note, Found: "netdev_budget 300, the kernel's default", Wanted: "known; 600 where the third column of /proc/net/softnet_stat grows",
		mends: toFiles([]string{file}, "600")}}, nil
}

// costly are the options of a kernel's build that slow down all of it, and
// netOption is one that every kernel with a network has, so that no answer is
// told from a good one.
var (
	costly    = []string{"KASAN", "KCSAN", "KMSAN", "PROVE_LOCKING", "LOCK_STAT", "DEBUG_KMEMLEAK", "SLUB_DEBUG_ON", "DEBUG_OBJECTS", "DEBUG_LOCK_ALLOC", "DEBUG_PAGEALLOC_ENABLE_DEFAULT", "UBSAN_SIGNED_WRAP", "GCOV_PROFILE_ALL"}
	netOption = "NET"
)

func checkKernelConfig(ctx context.Context, s *site) ([]Finding, error) {
	options := strings.Join(append([]string{netOption}, costly...), "|")
	// grep fails where no option is on, which is no failure; without netOption there
	// was nothing to read.
	text, err := s.run(ctx, "sh", "-c", "(zcat /proc/config.gz || cat /boot/config-$(uname -r)) 2>/dev/null | grep -E '^CONFIG_("+options+")=y' || true")
	if err != nil {
		return nil, err
	}
	var on []string
	known := false
	for line := range strings.Lines(text) {
		name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "CONFIG_"), "=y")
		if name == netOption {
			known = true
		} else {
			on = append(on, name)
		}
	}
	if !known {
		return nil, errors.New("how the kernel was built is neither in /proc/config.gz nor in /boot")
	}
	if len(on) == 0 {
		return nil, nil
	}
	return []Finding{{Severity: Spoils, Found: strings.Join(on, ", "), Wanted: "a kernel built without", Advice: "boot the kernel of the distribution"}}, nil
}
