package netif

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A kernel with autogroups shares its CPUs out between the sessions of users
// first: the niceness of a thread, however low, means nothing to the threads of
// another terminal. So the generator, which has to have its CPU, needs a session
// that goes first, too.

// Autogroup is how a session is given the CPU: its name and niceness. The zero
// value is none.
type Autogroup struct {
	Name string `json:"name"` // "/autogroup-12"
	Nice int    `json:"nice"`
}

// foremost is the niceness of a session that goes first.
const foremost = -20

// OwnAutogroup is that of this process as it has the CPU now; the zero value
// where there are no autogroups, and where this process is in none: so is what
// the first process of a machine started without a session of its own, and its
// threads stand beside whole sessions by their own niceness.
func OwnAutogroup() (Autogroup, error) {
	is, err := readAutogroup("self")
	if errors.Is(err, os.ErrNotExist) {
		return Autogroup{}, nil
	}
	return is, err
}

// Foremost reports whether the session goes before all others.
func (a Autogroup) Foremost() bool { return a.Name != "" && a.Nice == foremost }

// Prefer lets the session, that of this process, go before all others.
func (a Autogroup) Prefer() error {
	if a.Name == "" {
		return nil
	}
	if err := writeAutogroup("self", foremost); err != nil {
		return fmt.Errorf("let this session go before others: %w", err)
	}
	return nil
}

// Restore lets the session have the CPU as it had before, whoever asks: after a
// process was killed another one does. A session that has ended needs nothing.
func (a Autogroup) Restore() error {
	if a.Name == "" {
		return nil
	}
	files, err := filepath.Glob("/proc/[0-9]*/autogroup")
	if err != nil {
		return err
	}
	for _, f := range files {
		pid := filepath.Base(filepath.Dir(f))
		if is, err := readAutogroup(pid); err == nil && is.Name == a.Name {
			if err := writeAutogroup(pid, a.Nice); err == nil || !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

func readAutogroup(pid string) (Autogroup, error) {
	text, err := os.ReadFile("/proc/" + pid + "/autogroup")
	if err != nil {
		return Autogroup{}, err
	}
	a, err := parseAutogroup(string(text))
	if err != nil {
		return a, fmt.Errorf("read the autogroup of process %s, %q: %w", pid, text, err)
	}
	return a, nil
}

// parseAutogroup reads what the kernel tells of a process: nothing when it is in
// no autogroup.
func parseAutogroup(text string) (Autogroup, error) {
	var a Autogroup
	if strings.TrimSpace(text) == "" {
		return a, nil
	}
	_, err := fmt.Sscanf(text, "%s nice %d", &a.Name, &a.Nice)
	return a, err
}

func writeAutogroup(pid string, nice int) error {
	return os.WriteFile("/proc/"+pid+"/autogroup", fmt.Append(nil, nice), 0)
}
