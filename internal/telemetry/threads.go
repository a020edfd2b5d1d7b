package telemetry

import (
	"fmt"
	"strconv"
	"strings"
)

// threadSource is what the threads did in which the DUT forwards. Those of a
// port's NAPI instances are named by the port and numbered in their order.
var threadSource = Source{
	Name:    "threads",
	Summary: "CPU time, waiting time and context switches of each thread that forwards (/proc/PID/schedstat, status)",
	wants: func(what Subject) (w wants) {
		for _, pid := range what.Threads {
			w.files = append(w.files, threadFile(pid, "schedstat"), threadFile(pid, "status"))
		}
		return w
	},
	parse: parseThreads,
}

func threadFile(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

func parseThreads(what Subject, a answers) (out []sample, err error) {
	alike := make(map[string]int)
	for _, pid := range what.Threads {
		status := statusFields(a.texts[threadFile(pid, "status")])
		f := strings.Fields(a.texts[threadFile(pid, "schedstat")])
		if len(f) == 0 {
			continue // it has ended
		}
		times, ok := counts(f, 10)
		if !ok || len(times) < 2 {
			return nil, fmt.Errorf("%s is %q", threadFile(pid, "schedstat"), cut(strings.Join(f, " ")))
		}
		group := threadGroup(what, status["Name"])
		name := fmt.Sprintf("%s thread %d ", group, alike[group])
		alike[group]++
		out = append(out,
			sample{name: name + "ran", unit: "s", count: times[0], scale: 1e-9},
			sample{name: name + "waited for a CPU", unit: "s", count: times[1], scale: 1e-9})
		for _, c := range []struct{ field, name string }{
			{"voluntary_ctxt_switches", "voluntary context switches"}, {"nonvoluntary_ctxt_switches", "involuntary context switches"},
		} {
			if n, err := strconv.ParseUint(status[c.field], 10, 64); err == nil {
				out = append(out, sample{name: name + c.name, unit: "count", count: n})
			}
		}
	}
	return out, nil
}

// threadGroup is what a thread works for: a port, by the name of its NAPI thread
// ("napi/eth0-8193"), or else its program.
func threadGroup(what Subject, name string) string {
	if napi, ok := strings.CutPrefix(name, "napi/"); ok {
		for i, p := range what.Ports {
			if strings.HasPrefix(napi, p.DUT+"-") {
				return fmt.Sprintf("port %d", i)
			}
		}
	}
	return name
}

// statusFields are the lines of /proc/PID/status.
func statusFields(text string) map[string]string {
	out := make(map[string]string)
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			out[name] = strings.TrimSpace(value)
		}
	}
	return out
}
