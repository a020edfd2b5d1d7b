// Package processes reads what the kernel says of the processes of a host, whatever these
// call themselves: a process gives itself a name of any characters, line ends among them.
//
// It changes nothing but which of them the kernel ends when memory runs out, and does not say
// which processes matter.
package processes

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"weir"
)

// Command has a shell print /proc/PID/stat of all processes, each line behind the path of
// its file, so that no process speaks for another one. Some end meanwhile.
const Command = "LC_ALL=C grep '' /dev/null /proc/[0-9]*/stat 2>/dev/null || true"

// Stat is /proc/PID/stat (proc(5)).
type Stat struct {
	Name   string
	fields []string // from the third on, which the kernel alone writes
}

// firstField is the number of the first field after the name.
const firstField = 3

// Numbers of fields, in proc(5).
const (
	Parent           = 4
	Flags            = 9
	UserTime         = 14
	SystemTime       = 15
	WaitedUserTime   = 16 // of its children that ended and were waited for
	WaitedSystemTime = 17
	RealtimePriority = 40
	Policy           = 41
)

// Parse reads the text of a /proc/PID/stat: a number, a name in parentheses, which may hold
// anything, and then fields that hold none.
func Parse(text string) (Stat, error) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return Stat{}, fmt.Errorf("%q is no statistics of a process", text)
	}
	s := Stat{Name: text[open+1 : end], fields: strings.Fields(text[end+1:])}
	if len(s.fields) <= WaitedSystemTime-firstField {
		return Stat{}, fmt.Errorf("%q is no statistics of a process", text)
	}
	return s, nil
}

// Field returns a field of a number, by its number in proc(5); 0 where the kernel has none.
func (s Stat) Field(number int) int {
	if number-firstField >= len(s.fields) {
		return 0
	}
	n, _ := strconv.Atoi(s.fields[number-firstField])
	return n
}

// OfKernel reports whether it is a thread of the kernel's own: no name says so.
func (s Stat) OfKernel() bool {
	const kthread = 0x00200000 // PF_KTHREAD of linux/sched.h
	return s.Field(Flags)&kthread != 0
}

// ReadOwn reads the statistics of a process, or of a thread, of this machine.
func ReadOwn(pid int) (Stat, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Stat{}, err
	}
	return Parse(string(text))
}

// ReadAll reads the statistics of all processes of a host, by their numbers.
func ReadAll(ctx context.Context, h weir.Host) (map[int]Stat, error) {
	text, err := h.Run(ctx, "", "sh", "-c", Command)
	if err != nil {
		return nil, err
	}
	return ParseAll(text), nil
}

// ParseAll reads what Command prints. Who a line is of says its path alone; what is none of
// these is left out.
func ParseAll(text string) map[int]Stat {
	files := make(map[int]*strings.Builder)
	for line := range strings.Lines(text) {
		path, line, _ := strings.Cut(line, ":")
		number, ok := strings.CutSuffix(strings.TrimPrefix(path, "/proc/"), "/stat")
		pid, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		if files[pid] == nil {
			files[pid] = &strings.Builder{}
		}
		files[pid].WriteString(line)
	}
	all := make(map[int]Stat)
	for pid, file := range files {
		if s, err := Parse(file.String()); err == nil {
			all[pid] = s
		}
	}
	return all
}
