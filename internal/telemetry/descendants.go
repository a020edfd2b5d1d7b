package telemetry

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weir"
)

// tick is the unit of CPU times in /proc (USER_HZ, which is the same on every
// machine that weir runs on).
const tick = 10 * time.Millisecond

// ReadDescendants reads how much CPU time the programs have used that a process
// has started, and those that they have started, whether or not they run still.
func ReadDescendants(ctx context.Context, h weir.Host, pid int) (time.Duration, error) {
	_, below, err := readFamily(ctx, h, pid)
	return below, err
}

// ReadFamily reads how much a process has used itself, and its descendants.
func ReadFamily(ctx context.Context, h weir.Host, pid int) (time.Duration, error) {
	own, below, err := readFamily(ctx, h, pid)
	return own + below, err
}

func readFamily(ctx context.Context, h weir.Host, pid int) (own, descendants time.Duration, err error) {
	text, err := h.Run(ctx, "", "sh", "-c", "cat /proc/[0-9]*/stat 2>/dev/null; true") // some end meanwhile
	if err != nil {
		return 0, 0, err
	}
	all := make(map[int]processTime)
	children := make(map[int][]int)
	for line := range strings.Lines(text) {
		p, err := parseStat(line)
		if err != nil {
			continue // of a name with a line end
		}
		all[p.pid] = p
		children[p.parent] = append(children[p.parent], p.pid)
	}
	var below func(pid int) time.Duration
	below = func(pid int) time.Duration {
		sum := all[pid].waited
		for _, child := range children[pid] {
			sum += all[child].own + below(child)
		}
		return sum
	}
	return all[pid].own, below(pid), nil
}

// processTime is what a process has used.
type processTime struct {
	pid, parent int
	own         time.Duration
	waited      time.Duration // of its children that ended and were waited for
}

// parseStat reads /proc/PID/stat (proc(5)): a number, a name in parentheses,
// which may hold anything, and then fields of which the second is the parent and
// the 12th to the 15th are times.
func parseStat(text string) (processTime, error) {
	number, _, _ := strings.Cut(text, " ")
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 15 {
		return processTime{}, fmt.Errorf("%q is no statistics of a process", text)
	}
	var values [6]int
	for i, word := range []string{number, fields[1], fields[11], fields[12], fields[13], fields[14]} {
		n, err := strconv.Atoi(word)
		if err != nil {
			return processTime{}, fmt.Errorf("read the statistics of a process: %w", err)
		}
		values[i] = n
	}
	return processTime{
		pid: values[0], parent: values[1],
		own:    time.Duration(values[2]+values[3]) * tick,
		waited: time.Duration(values[4]+values[5]) * tick,
	}, nil
}
