package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weir/internal/settings"
)

const cpuDir = "/sys/devices/system/cpu/"

// cpuOf is the number of the CPU that a path in sysfs is of.
var cpuOf = regexp.MustCompile(`/cpu(\d+)/`)

// cpusOf are the CPUs that paths are of.
func cpusOf(paths []string) string {
	var cpus []int
	for _, p := range paths {
		if m := cpuOf.FindStringSubmatch(p); m != nil {
			n, _ := strconv.Atoi(m[1]) // it is all digits
			cpus = append(cpus, n)
		}
	}
	return "CPUs " + settings.CPUList(cpus)
}

// toFiles sets files, in the order of their names, to one value.
func toFiles(paths []string, value string) []mend {
	var mends []mend
	for _, p := range paths {
		mends = append(mends, mend{settings.Setting{Kind: settings.File, Name: p}, value})
	}
	return mends
}

func checkGovernor(ctx context.Context, s *site) ([]Finding, error) {
	files, err := s.tree(ctx, cpuDir+"cpu[0-9]*/cpufreq/scaling_governor")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("the machine shows no CPU frequencies: a hypervisor or the firmware sets them, look there")
	}
	others := make(map[string][]string)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if name := files[path]; name != "performance" {
			others[name] = append(others[name], path)
		}
	}
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(others)) {
		found = append(found, Finding{Severity: Spoils, Where: cpusOf(others[name]), Found: name, Wanted: "performance",
			Remedy: []string{"for f in " + cpuDir + "cpu[0-9]*/cpufreq/scaling_governor; do echo performance > $f; done"},
			mends:  toFiles(others[name], "performance")})
	}
	return found, nil
}

// shallow is the longest time, in microseconds, that a CPU may take to wake up:
// at a million frames/s a ring of 256 has room for 25 times as many.
const shallow = 10

func checkIdle(ctx context.Context, s *site) ([]Finding, error) {
	dir := cpuDir + "cpu[0-9]*/cpuidle/state[0-9]*/"
	files, err := s.tree(ctx, dir+"name "+dir+"latency "+dir+"disable")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("the machine shows no idle states: a hypervisor or the firmware chooses them, look there")
	}
	deep := make(map[string][]string) // by what is to be said of the state
	for _, path := range slices.Sorted(maps.Keys(files)) {
		state, ok := strings.CutSuffix(path, "disable")
		if !ok || files[path] != "0" {
			continue
		}
		latency, err := strconv.Atoi(files[state+"latency"])
		if err != nil {
			return nil, fmt.Errorf("%slatency holds %q, no number", state, files[state+"latency"])
		}
		if latency > shallow {
			what := fmt.Sprintf("%s, %d us to wake up", files[state+"name"], latency)
			deep[what] = append(deep[what], path)
		}
	}
	var found []Finding
	for _, what := range slices.Sorted(maps.Keys(deep)) {
		paths := deep[what]
		state := regexp.MustCompile(`state\d+`).FindString(paths[0])
		found = append(found, Finding{Severity: Doubtful, Where: cpusOf(paths), Found: what,
			Wanted: fmt.Sprintf("states that take %d us or less", shallow),
			Remedy: []string{"for f in " + cpuDir + "cpu[0-9]*/cpuidle/" + state + "/disable; do echo 1 > $f; done"},
			mends:  toFiles(paths, "1")})
	}
	return found, nil
}

func checkTurbo(ctx context.Context, s *site) ([]Finding, error) {
	var errs []error
	for _, knob := range []struct{ path, on, off string }{
		{cpuDir + "intel_pstate/no_turbo", "0", "1"},
		{cpuDir + "cpufreq/boost", "1", "0"},
	} {
		text, there, err := s.file(ctx, knob.path)
		if there && text == knob.on {
			return []Finding{{Severity: Note, Found: "on", Wanted: "off, for the same clock in each run", mends: toFiles([]string{knob.path}, knob.off)}}, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func checkSMT(ctx context.Context, s *site) ([]Finding, error) {
	active, there, err := s.file(ctx, cpuDir+"smt/active")
	if err != nil || !there || active != "1" {
		return nil, err
	}
	f := Finding{Severity: Note, Found: "on", Wanted: "off, or the DUT's CPUs on cores of their own"}
	if control, _, err := s.file(ctx, cpuDir+"smt/control"); err == nil && control == "on" {
		f.mends = toFiles([]string{cpuDir + "smt/control"}, "off")
	}
	return []Finding{f}, nil
}
