package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// objects are how many things of the kernel there are that weir makes, by their names.
type objects map[string]int

// bpfKinds are the kinds of BPF objects that bpftool lists.
var bpfKinds = []string{"prog", "map", "link"}

// objectsNow counts them. Open files and memory are those of the whole machine.
func objectsNow() (objects, error) {
	out := objects{}
	for _, kind := range bpfKinds {
		text, err := exec.Command("bpftool", kind, "show").Output()
		if err != nil {
			return nil, fmt.Errorf("bpftool %s show, as root: %w", kind, err)
		}
		for line := range strings.Lines(string(text)) {
			if line[0] >= '0' && line[0] <= '9' {
				out["BPF "+kind+"s"]++
			}
		}
	}
	files, err := os.ReadFile("/proc/sys/fs/file-nr")
	if err != nil {
		return nil, err
	}
	out["open files"], _ = strconv.Atoi(strings.Fields(string(files))[0])
	memory, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(memory)) {
		if words := strings.Fields(line); words[0] == "SUnreclaim:" {
			kilobytes, _ := strconv.Atoi(words[1])
			out["MiB of the kernel's memory"] = kilobytes >> 10
		}
	}
	return out, nil
}

// slack is by how much more of an object there may be, as others on the machine have some, too.
var slack = map[string]int{"open files": 500, "MiB of the kernel's memory": 60}

// unleaked runs quick benches, and makes labs and removes them, and looks whether the machine is
// as before.
func unleaked() promise {
	return promise{group: "leaks", name: "quick benches, and twice as many labs up and down", asked: "namespaces, links, processes, files, sysctls, BPF objects, open files, memory: as before", measure: func(ctx context.Context, s setup) (string, bool, error) {
		n := s.often(10)
		dir, err := os.MkdirTemp("", "truth-")
		if err != nil {
			return "", false, err
		}
		defer os.RemoveAll(dir)
		was, err := stateOf()
		if err != nil {
			return "", false, err
		}
		had, err := objectsNow()
		if err != nil {
			return "", false, err
		}
		answered := 0
		for i := range n {
			out, err := program(ctx, benchLimit, s.weir, "--store", filepath.Join(dir, "weir.db"), "--quiet", "--format", "json", "bench", "--quick")
			switch {
			case ctx.Err() != nil:
				return "", false, ctx.Err()
			case len(out) > 0: // it measured, though it may have found no number
				answered++
			default:
				s.say("bench %d: %v", i+1, err)
			}
			for range 2 {
				for _, verb := range [][]string{{"lab", "up"}, {"lab", "down", "--all"}} {
					if _, err := program(ctx, benchLimit, s.weir, verb...); err != nil {
						return "", false, fmt.Errorf("weir %s: %w", strings.Join(verb, " "), err)
					}
				}
			}
		}
		os.RemoveAll(dir)
		if 2*answered < n {
			return "", false, fmt.Errorf("%d of %d benches measured", answered, n)
		}
		var left []string
		for end := time.Now().Add(settling); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			now, err := stateOf()
			if err != nil {
				return "", false, err
			}
			has, err := objectsNow()
			if err != nil {
				return "", false, err
			}
			left = was.changed(now)
			for name, count := range has {
				if count > had[name]+slack[name] {
					left = append(left, fmt.Sprintf("%d %s, and %d before", count, name, had[name]))
				}
			}
			if len(left) == 0 {
				return fmt.Sprintf("%d benches, %d of which measured, %d labs: as before (open files %d to %d, the kernel's memory %d to %d MiB)", n, answered, 2*n,
					had["open files"], has["open files"], had["MiB of the kernel's memory"], has["MiB of the kernel's memory"]), true, nil
			}
		}
		return strings.Join(left, "; "), false, nil
	}}
}
