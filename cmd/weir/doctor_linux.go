package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/lab"
	"weir/internal/sqlite"
	"weir/internal/telemetry"
	"weir/internal/testbed"
	"weir/internal/xdp"
)

// The outcomes of a check.
const (
	fine    = "ok"
	doubt   = "warning" // measures, but beware
	missing = "missing" // cannot be a tester
)

// finding is what a check found.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"`
}

// checks is the table of what a tester needs.
var checks = []struct {
	name string
	run  func(context.Context, *app) finding
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
	{"store", checkStore},
}

func doctorVerb(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Can this machine be a tester, and what is missing?",
		Long: `Check what a tester needs: kernel features, capabilities, CPUs, quiet. It makes
a small lab in network namespaces and removes it; no frame leaves the machine.
The exit code is 1 when something is missing.`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.textOrJSON("what was found"); err != nil {
				return err
			}
			able := true
			var found []finding
			for _, c := range checks {
				f := c.run(cmd.Context(), a)
				f.Check = c.name
				able = able && f.Status != missing
				found = append(found, f)
			}
			if err := a.printFindings(able, found); err != nil {
				return err
			}
			if !able {
				return exitStatus(exitError)
			}
			return nil
		},
	}
}

func (a *app) printFindings(able bool, found []finding) error {
	if a.format == "json" {
		return a.printJSON(map[string]any{"tester": able, "checks": found})
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, f := range found {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Status, f.Check, f.Found)
		if f.Remedy != "" {
			fmt.Fprintf(w, "\t\t  -> %s\n", f.Remedy)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	verdict := "\nThis machine can be a tester.\n"
	if !able {
		verdict = "\nThis machine cannot be a tester as it is; a simulated DUT can be tried with: weir bench --testbed sim\n"
	}
	_, err := fmt.Fprint(a.out, verdict)
	return err
}

func ok(format string, args ...any) finding {
	return finding{Status: fine, Found: fmt.Sprintf(format, args...)}
}

// lacking is a finding about something that is not there.
func lacking(err error) finding {
	var u *weir.UnsupportedError
	if errors.As(err, &u) {
		short := *u
		short.Remedy = ""
		return finding{Status: missing, Found: short.Error(), Remedy: u.Remedy}
	}
	return finding{Status: missing, Found: err.Error()}
}

func checkPrivileges(context.Context, *app) finding {
	if err := lab.NeedRoot(); err != nil {
		return lacking(err)
	}
	return ok("root")
}

func checkKernel(context.Context, *app) finding {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return lacking(err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(release), "%d.%d", &major, &minor); err != nil {
		return finding{Status: doubt, Found: "Linux " + strings.TrimSpace(string(release)) + ", a version that cannot be read"}
	}
	f := ok("Linux %s", strings.TrimSpace(string(release)))
	if major < 5 || major == 5 && minor < 18 {
		f.Status, f.Remedy = doubt, "Linux 5.18 has live frames, without which the tester is several times slower"
	}
	return f
}

func checkLiveFrames(context.Context, *app) finding {
	if err := xdp.ProbeLiveFrames(); err != nil {
		f := lacking(err)
		f.Status = doubt // packet sockets send too
		return f
	}
	return ok("XDP programs run on live frames")
}

// checkLab makes a lab, whose parts need veth, namespaces and threaded NAPI,
// and attaches a program in its driver.
func checkLab(context.Context, *app) finding {
	start := time.Now()
	bed, err := testbed.OpenNetns(testbed.NetnsConfig{})
	if err != nil {
		return lacking(err)
	}
	err = bed.InDUT(func() error {
		pass, err := xdp.NewPassOn(bed.DUT().Ports[0].DUT)
		if err == nil {
			err = pass.Close()
		}
		return err
	})
	if err = errors.Join(err, bed.Close()); err != nil {
		return lacking(err)
	}
	return ok("network namespaces, veth with native XDP and threaded NAPI; made in %d ms", time.Since(start).Milliseconds())
}

func checkCPUs(context.Context, *app) finding {
	switch n := runtime.NumCPU(); {
	case n == 1:
		return finding{Status: doubt, Found: "1 CPU", Remedy: "with one CPU tester and DUT share it, and no result is of the DUT alone"}
	case n < 4:
		return finding{Status: doubt, Found: fmt.Sprintf("%d CPUs", n),
			Remedy: "generator and receiver share one; with four they have one each, and the DUT two"}
	default:
		return ok("%d CPUs", n)
	}
}

func checkNoise(context.Context, *app) finding {
	var worst telemetry.Gap
	const d = 200 * time.Millisecond
	for cpu := range runtime.NumCPU() {
		g, err := telemetry.Spin(cpu, d)
		if err != nil {
			return finding{Status: doubt, Found: err.Error()}
		}
		worst.Longest, worst.Lost = max(worst.Longest, g.Longest), max(worst.Lost, g.Lost)
	}
	f := ok("a CPU was kept from its work for %d us at most, %.2f %% of the time",
		worst.Longest.Microseconds(), float64(min(worst.Lost, d))/float64(d)*100) // the last gap may end after d
	// A veth port's ring of 256 frames is full after 256 us at a million
	// frames a second.
	if worst.Longest > 250*time.Microsecond {
		f.Status, f.Remedy = doubt, "stop what else runs here; such gaps lose frames at high rates, so zero-loss results will be low and differ"
	}
	return f
}

func checkSteal(ctx context.Context, _ *app) finding {
	cpu, err := telemetry.ReadCPU(ctx, thisHost{})
	if err != nil {
		return finding{Status: doubt, Found: err.Error()}
	}
	share := 0.0
	if total := cpu.Busy + cpu.Steal; total > 0 {
		share = float64(cpu.Steal) / float64(total)
	}
	f := ok("the hypervisor took %.2f %% of the busy time since the machine started", share*100)
	if share > 0.01 {
		f.Status, f.Remedy = doubt, "results will differ from run to run; use a machine of your own, or more and shorter runs"
	}
	return f
}

func checkClock(context.Context, *app) finding {
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil {
		return finding{Status: doubt, Found: err.Error()}
	}
	f := ok("%s", strings.TrimSpace(string(source)))
	switch strings.TrimSpace(string(source)) {
	case "tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page":
	default:
		f.Status, f.Remedy = doubt, "reading this clock is slow, and it is read for every frame; boot with clocksource=tsc if the CPU's is reliable"
	}
	return f
}

// checkTools looks for the programs that a lab runs. Only the first of them is
// needed by all.
func checkTools(context.Context, *app) finding {
	var there, absent, packages []string
	status := fine
	for _, t := range lab.Tools {
		if t.Present() {
			there = append(there, t.Name)
			continue
		}
		if t.Name == lab.Tools[0].Name {
			status = missing
		}
		absent = append(absent, fmt.Sprintf("%s, for %s", t.Name, t.Purpose))
		if !slices.Contains(packages, t.Package) {
			packages = append(packages, t.Package)
		}
	}
	f := finding{Status: status, Found: cmp.Or(strings.Join(there, ", "), "none")}
	if len(absent) > 0 {
		kind := "optional"
		if status == missing {
			kind = "needed"
		}
		f.Found += fmt.Sprintf("; %s, and not here: %s", kind, strings.Join(absent, "; "))
		f.Remedy = "apt-get install " + strings.Join(packages, " ")
	}
	return f
}

// checkStore looks whether a store that is there is one, and whether it can be
// written to.
func checkStore(ctx context.Context, a *app) finding {
	path, err := a.storePath()
	if err != nil {
		return lacking(err)
	}
	if _, err := os.Stat(path); err == nil {
		store, err := sqlite.OpenExisting(ctx, path)
		if err != nil {
			return lacking(err)
		}
		if err := store.Close(); err != nil {
			return lacking(err)
		}
		if unix.Access(path, unix.W_OK) != nil {
			return finding{Status: missing, Found: path + " may be read only", Remedy: "name another file with --store"}
		}
	}
	dir := filepath.Dir(path)
	for dir != "/" && dir != "." {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".weir-*")
	if err != nil {
		return finding{Status: missing, Found: fmt.Sprintf("the store %s cannot be written: %v", path, err), Remedy: "name another file with --store"}
	}
	f.Close()
	os.Remove(f.Name())
	return ok("%s", path)
}

// thisHost is this machine, for reading files.
type thisHost struct{ weir.Host }

func (thisHost) ReadFile(_ context.Context, path string) (string, error) {
	b, err := os.ReadFile(path)
	return string(b), err
}
