package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/packages"
	"weir/internal/telemetry"
	"weir/internal/testbed"
	"weir/internal/xdp"
)

// What a check of this machine comes to.
const (
	Fine    = "ok"
	Doubt   = "warning" // measures, but beware
	Missing = "missing" // cannot be a tester
)

// Finding is what a check of this machine found, and what to do about it.
type Finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"`
}

// checks is the table of what a tester needs of this machine.
var checks = []struct {
	name string
	run  func(context.Context) Finding
}{
	{"privileges", checkPrivileges},
	{"kernel", checkKernel},
	{"live frames", checkLiveFrames},
	{"lab", checkLab},
	{"CPUs", checkCPUs},
	{"noise", checkNoise},
	{"steal time", checkSteal},
	{"clock source", checkClock},
	{"tools", checkTools},
}

// Examine checks whether this machine can be a tester, by making a small lab too,
// which it removes.
func Examine(ctx context.Context) []Finding {
	var out []Finding
	for _, c := range checks {
		f := c.run(ctx)
		f.Check = c.name
		out = append(out, f)
	}
	return out
}

func ok(format string, args ...any) Finding {
	return Finding{Status: Fine, Found: fmt.Sprintf(format, args...)}
}

// Lacking is a finding about something that is not there.
func Lacking(err error) Finding {
	var u *weir.UnsupportedError
	if errors.As(err, &u) {
		short := *u
		short.Remedy = ""
		return Finding{Status: Missing, Found: short.Error(), Remedy: u.Remedy}
	}
	return Finding{Status: Missing, Found: err.Error()}
}

func checkPrivileges(context.Context) Finding {
	if err := NeedSpaces(); err != nil {
		return Lacking(err)
	}
	return ok("root")
}

func checkKernel(context.Context) Finding {
	release, old := olderThan(5, 18)
	switch {
	case release == "":
		return Finding{Status: Doubt, Found: "a kernel that does not say its version"}
	case old:
		return Finding{Status: Doubt, Found: "Linux " + release, Remedy: "Linux 5.18 has live frames, without which the tester is several times slower"}
	}
	return ok("Linux %s", release)
}

// olderThan is this kernel's release, and whether it is older than a version; "": it cannot be
// read, and is not taken for old.
func olderThan(major, minor int) (release string, old bool) {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	var is [2]int
	if err != nil {
		return "", false
	}
	release = strings.TrimSpace(string(text))
	if _, err := fmt.Sscanf(release, "%d.%d", &is[0], &is[1]); err != nil {
		return "", false
	}
	return release, is[0] < major || is[0] == major && is[1] < minor
}

func checkLiveFrames(context.Context) Finding {
	if err := xdp.ProbeLiveFrames(); err != nil {
		f := Lacking(err)
		f.Status = Doubt // packet sockets send too
		return f
	}
	return ok("XDP programs run on live frames")
}

// checkLab makes a lab, whose parts need veth, namespaces and threaded NAPI,
// and attaches a program in its driver.
func checkLab(ctx context.Context) Finding {
	start := time.Now()
	bed, err := testbed.OpenNetns(ctx, testbed.NetnsConfig{})
	if err != nil {
		return Lacking(err)
	}
	err = bed.InDUT(func() error {
		pass, err := xdp.NewPassOn(bed.DUT().Ports[0].DUT)
		if err == nil {
			err = pass.Close()
		}
		return err
	})
	if err = errors.Join(err, bed.Close()); err != nil {
		return Lacking(err)
	}
	return ok("network namespaces, veth with native XDP and threaded NAPI; made in %d ms", time.Since(start).Milliseconds())
}

func checkCPUs(context.Context) Finding {
	switch n := runtime.NumCPU(); {
	case n == 1:
		return Finding{Status: Doubt, Found: "1 CPU", Remedy: "with one CPU tester and DUT share it, and no result is of the DUT alone"}
	case n < 4:
		return Finding{Status: Doubt, Found: fmt.Sprintf("%d CPUs", n),
			Remedy: "generator and receiver share one; with four they have one each, and the DUT two"}
	default:
		return ok("%d CPUs", n)
	}
}

func checkNoise(context.Context) Finding {
	var worst telemetry.Gap
	const d = 200 * time.Millisecond
	for cpu := range runtime.NumCPU() {
		g, err := telemetry.Spin(cpu, d)
		if err != nil {
			return Finding{Status: Doubt, Found: err.Error()}
		}
		worst.Longest, worst.Lost = max(worst.Longest, g.Longest), max(worst.Lost, g.Lost)
	}
	f := ok("a CPU was kept from its work for %d us at most, %.2f %% of the time",
		worst.Longest.Microseconds(), float64(min(worst.Lost, d))/float64(d)*100) // the last gap may end after d
	// A veth port's ring of 256 frames is full after 256 us at a million
	// frames a second.
	if worst.Longest > 250*time.Microsecond {
		f.Status, f.Remedy = Doubt, "stop what else runs here; such gaps lose frames at high rates, so zero-loss results will be low and differ"
	}
	return f
}

func checkSteal(ctx context.Context) Finding {
	cpu, err := telemetry.ReadCPU(ctx, thisHost{})
	if err != nil {
		return Finding{Status: Doubt, Found: err.Error()}
	}
	share := 0.0
	if total := cpu.Busy + cpu.Steal; total > 0 {
		share = float64(cpu.Steal) / float64(total)
	}
	f := ok("the hypervisor took %.2f %% of the busy time since the machine started", share*100)
	if share > 0.01 {
		f.Status, f.Remedy = Doubt, "results will differ from run to run; use a machine of your own, or more and shorter runs"
	}
	return f
}

func checkClock(context.Context) Finding {
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		return Finding{Status: Doubt, Found: err.Error()}
	}
	f := ok("%s", strings.TrimSpace(string(source)))
	switch strings.TrimSpace(string(source)) {
	case "tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page":
	default:
		f.Status, f.Remedy = Doubt, "reading this clock is slow, and it is read for every frame; boot with clocksource=tsc if the CPU's is reliable"
	}
	return f
}

// checkTools looks for the programs that a lab runs. Only the first of them is
// needed by all.
func checkTools(context.Context) Finding {
	var there []string
	for _, t := range Tools {
		if t.Present() {
			there = append(there, t.Name)
		}
	}
	f := Finding{Status: Fine, Found: cmp.Or(strings.Join(there, ", "), "none")}
	missing := missingTools(func(Tool) bool { return true })
	if len(missing) == 0 {
		return f
	}
	kind := "optional"
	if missing[0].Name == Tools[0].Name {
		f.Status, kind = Missing, "needed"
	}
	var absent []string
	for _, t := range missing {
		absent = append(absent, fmt.Sprintf("%s, for %s", t.Name, t.Purpose))
	}
	f.Found += fmt.Sprintf("; %s, and not here: %s", kind, strings.Join(absent, "; "))
	f.Remedy = packages.Advice(packagesOf(missing)...)
	if slices.ContainsFunc(missing, func(t Tool) bool { return t.Basic }) {
		f.Remedy = "weir doctor --fix, for what weir bench takes; all: " + f.Remedy
	}
	return f
}

// thisHost is this machine, for reading files.
type thisHost struct{ weir.Host }

func (thisHost) ReadFile(_ context.Context, path string) (string, error) {
	b, err := os.ReadFile(path)
	return string(b), err
}
