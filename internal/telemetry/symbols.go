package telemetry

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// symbols are the kernel's functions by their addresses.
type symbols struct {
	at    []uint64
	names []string
}

// parseSymbols reads /proc/kallsyms. It is an error when the kernel hides the
// addresses.
func parseSymbols(text string) (symbols, error) {
	type function struct {
		at   uint64
		name string
	}
	var all []function
	for line := range strings.Lines(text) {
		address, rest, _ := strings.Cut(line, " ")
		kind, name, ok := strings.Cut(rest, " ")
		if !ok || len(kind) != 1 || !strings.Contains("tTwW", kind) {
			continue // data
		}
		at, err := strconv.ParseUint(address, 16, 64)
		if err != nil {
			return symbols{}, fmt.Errorf("/proc/kallsyms has the line %q", strings.TrimSpace(line))
		}
		if at == 0 {
			continue
		}
		name, _, _ = strings.Cut(name, "\t") // the module
		all = append(all, function{at, functionName(strings.TrimSpace(name))})
	}
	if len(all) == 0 {
		return symbols{}, fmt.Errorf("/proc/kallsyms has no addresses")
	}
	slices.SortStableFunc(all, func(a, b function) int { return cmp.Compare(a.at, b.at) })
	var s symbols
	for _, f := range all {
		if n := len(s.at); n > 0 && s.at[n-1] == f.at {
			continue // another name of the same place
		}
		s.at, s.names = append(s.at, f.at), append(s.names, f.name)
	}
	return s, nil
}

// functionName is a symbol as people know it: a BPF program without the tag that
// changes with every change of its code.
func functionName(symbol string) string {
	if tagged, ok := strings.CutPrefix(symbol, "bpf_prog_"); ok {
		tag, name, named := strings.Cut(tagged, "_")
		if !named {
			name = tag
		}
		return "bpf:" + name
	}
	return symbol
}

// name is the function that has an address; its number where none is known.
func (s symbols) name(address uint64) string {
	at, exact := slices.BinarySearch(s.at, address)
	if !exact {
		at--
	}
	if at < 0 {
		return fmt.Sprintf("%#x", address)
	}
	return s.names[at]
}
