package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"weir/internal/sqlite"
	"weir/internal/testenv"
)

// victims are what is killed: all kinds of campaigns, those of the examples among
// them.
var victims = [][]string{
	{"bench", "--quick"},
	{"run", "examples/sweep.yaml"},
	{"run", "examples/streams.yaml"},
	{"versus", "", "examples/versus/rule.nft", "--runs", "2"},
	{"run", "examples/fib.yaml"},
	{"run", "examples/setting.yaml"},
	{"run", "examples/bgp.yaml"},
	{"run", "examples/overload.yaml"},
	{"run", "examples/established.yaml"},
	{"run", "examples/profile.yaml"},
	{"run", "examples/xdp.yaml"},
	{"run", "examples/reset.yaml"},
	{"lab", "up"},
}

// The moments: a third of them are while the lab is made.
const (
	early = 400 * time.Millisecond
	late  = 6 * time.Second
	// settling is how long the kernel has to remove a namespace's devices.
	settling = 5 * time.Second
)

// toldEvery is after how many kills it is told how far they are.
const toldEvery = 50

// killed kills weir at random moments, and looks at what is left after the next
// start. Each kill has a number, by which it is made again and a series goes on.
func killed() promise {
	return promise{group: "kills", name: "SIGKILL at random moments", asked: "no finished trial lost; nothing left after the next start", measure: func(ctx context.Context, s setup) (string, bool, error) {
		before, err := stateOf()
		if err != nil {
			return "", false, err
		}
		made, trials, wrong, programs := 0, 0, 0, 0
		for n := s.from; n < s.from+s.often(30); n++ {
			if ctx.Err() != nil {
				return "", false, ctx.Err()
			}
			kept, alive, faults := s.kill(ctx, n, before)
			made++
			trials += kept
			programs = max(programs, alive-before.programs)
			if len(faults) > 0 {
				wrong++
				s.say("kill %d (%s): %s", n, strings.Join(victims[n%len(victims)], " "), strings.Join(faults, "; "))
			}
			if made%toldEvery == 0 {
				s.say("%d kills, %d to %d: %d as asked; -from %d goes on", made, s.from, n, made-wrong, n+1)
			}
		}
		return fmt.Sprintf("%d of %d as asked (kills %d to %d, %d trials kept; bpftool saw up to %d programs of a weir that ran)",
			made-wrong, made, s.from, s.from+made-1, trials, programs), wrong == 0, nil
	}}
}

// kill makes one, and says how many trials were kept, how many BPF programs there
// were before it, and what is wrong.
func (s setup) kill(ctx context.Context, n int, before state) (trials, programs int, faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	dir, err := os.MkdirTemp("", "truth-")
	if err != nil {
		return 0, 0, []string{err.Error()}
	}
	defer os.RemoveAll(dir)
	random := rand.New(rand.NewPCG(1, uint64(n)))
	moment := time.Duration(random.Int64N(int64(late)))
	if n%3 == 0 {
		moment = time.Duration(random.Int64N(int64(early)))
	}
	store := filepath.Join(dir, "weir.db")
	cmd := exec.Command(s.weir, append([]string{"--store", store, "--quiet"}, victims[n%len(victims)]...)...)
	if err := cmd.Start(); err != nil {
		return 0, 0, []string{err.Error()}
	}
	time.Sleep(moment)
	known := recorded(ctx, store)
	programs = loaded()
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	if trials, err = whole(ctx, store); err != nil || trials < known {
		fault("%d trials were recorded, %d are there: %v", known, trials, err)
	}
	// The next start: of one that measures, or of the one that clears away.
	next := []string{"lab", "down", "--all"}
	resume := n%len(victims) == 1 && begun(ctx, store) // the shortest
	if resume {
		next = []string{"--store", store, "--quiet", "run", "--resume"}
	}
	if _, err := program(ctx, planLimit, s.weir, next...); err != nil && !errors.As(err, new(*exec.ExitError)) {
		fault("the next start: %v", err)
	}
	if resume {
		if trials, err = whole(ctx, store); err != nil {
			fault("after it was resumed: %v", err)
		}
	}
	var left []string
	for end := time.Now().Add(settling); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		after, err := stateOf()
		if err != nil {
			return trials, programs, append(faults, err.Error())
		}
		if left = before.changed(after); len(left) == 0 {
			return trials, programs, faults
		}
	}
	return trials, programs, append(faults, left...)
}

// begun reports whether there is a campaign that can be resumed.
func begun(ctx context.Context, store string) bool {
	if _, err := os.Stat(store); err != nil {
		return false
	}
	s, err := sqlite.OpenExisting(ctx, store)
	if err != nil {
		return false
	}
	defer s.Close()
	rows, err := s.Campaigns(ctx)
	return err == nil && len(rows) > 0
}

// recorded is how many trials the store has; 0 where there is none yet.
func recorded(ctx context.Context, store string) int {
	if _, err := os.Stat(store); err != nil {
		return 0
	}
	s, err := sqlite.OpenExisting(ctx, store)
	if err != nil {
		return 0 // it is being made
	}
	defer s.Close()
	rows, err := s.Campaigns(ctx)
	if err != nil || len(rows) == 0 {
		return 0
	}
	return rows[0].Trials
}

// whole reads all of the store, and counts the trials of its campaign, each of
// which has a number of its own.
func whole(ctx context.Context, store string) (int, error) {
	if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	s, err := sqlite.OpenExisting(ctx, store)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	rows, err := s.Campaigns(ctx)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	c, err := s.Campaign(ctx, rows[0].ID)
	seen := map[int]bool{}
	for _, t := range c.Trials {
		if seen[t.Trial.Number] {
			return len(c.Trials), fmt.Errorf("trial %d is there twice", t.Trial.Number)
		}
		seen[t.Trial.Number] = true
	}
	return len(c.Trials), err
}

// state is what weir may change of a machine.
type state struct {
	left     []string // namespaces, links, processes, folders and files, as tests look for them
	programs int      // BPF, by bpftool
	sysctls  map[string]string
}

func stateOf() (state, error) {
	s := state{left: testenv.Leftovers(), programs: loaded(), sysctls: map[string]string{}}
	if s.programs < 0 {
		return s, errors.New("bpftool, which counts BPF programs, does not work here: install it, and be root")
	}
	for _, folder := range []string{"/proc/sys/kernel", "/proc/sys/net", "/proc/sys/vm"} {
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			// What changes by itself, or of devices that others make.
			if err == nil && !d.IsDir() && !strings.HasPrefix(path, "/proc/sys/kernel/random/") && !slices.Contains(restless, filepath.Base(path)) {
				if text, err := os.ReadFile(path); err == nil {
					s.sysctls[path] = string(text)
				}
			}
			return nil
		})
	}
	return s, nil
}

// loaded is how many BPF programs there are; -1: bpftool does not say.
func loaded() int {
	text, err := exec.Command("bpftool", "prog", "show").Output()
	if err != nil {
		return -1
	}
	return strings.Count(string(text), "tag ")
}

// restless are sysctls that tell something of now.
var restless = []string{"ns_last_pid", "nf_conntrack_count", "pty", "nr", "tcp_fastopen_key", "sched_domain"}

// changed is what is there and was not, or is not as it was.
func (s state) changed(now state) (out []string) {
	for _, l := range now.left {
		if !slices.Contains(s.left, l) {
			out = append(out, l+" is left")
		}
	}
	if now.programs > s.programs {
		out = append(out, fmt.Sprintf("%d BPF programs are left", now.programs-s.programs))
	}
	for path, was := range s.sysctls {
		if is, there := now.sysctls[path]; there && is != was {
			out = append(out, fmt.Sprintf("%s is %q and was %q", path, is, was))
		}
	}
	return out
}
