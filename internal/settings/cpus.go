package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostCPUs is how many CPUs a kernel can have.
const mostCPUs = 8192

// ParseCPUs reads a list of CPUs as the kernel writes it: "1", "0-3", "0,2"; "" is none.
func ParseCPUs(list string) ([]int, error) {
	var out []int
	list = strings.TrimSpace(list)
	for part := range strings.SplitSeq(list, ",") {
		if list == "" {
			break
		}
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || from < 0 || from > to || to >= mostCPUs {
			return nil, fmt.Errorf("%q is no list of CPUs: 1, 0-3 and 0,2 are", list)
		}
		for c := from; c <= to; c++ {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// CPUList writes CPUs as the kernel does: "0-3,8".
func CPUList(cpus []int) string {
	cpus = slices.Compact(slices.Sorted(slices.Values(cpus)))
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if j > i {
			part += "-" + strconv.Itoa(cpus[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// CPUMask is a set of CPUs as the kernel reads it: words of 32 bits, the highest
// first.
func CPUMask(cpus []int) string {
	words := []uint32{0}
	for _, c := range cpus {
		for len(words) <= c/32 {
			words = append(words, 0)
		}
		words[c/32] |= 1 << (c % 32)
	}
	slices.Reverse(words)
	var out []string
	for _, w := range words {
		out = append(out, fmt.Sprintf("%08x", w))
	}
	return strings.Join(out, ",")
}
