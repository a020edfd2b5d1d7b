package xdp

import (
	"fmt"
	"unsafe"

	"github.com/cilium/ebpf"
)

// setSteps sizes the timeline of a program that includes timeline.h before it
// is loaded.
func setSteps(spec *ebpf.CollectionSpec, n int) error {
	spec.Maps["steps"].MaxEntries = uint32(max(n, 1))
	return spec.Variables["steps_n"].Set(uint32(n))
}

// clearSteps begins a timeline of n steps anew.
func clearSteps(m *ebpf.Map, n int) error { return clearArray(m, n) }

// readSteps are the frames in each of n steps of a timeline; nil without one.
func readSteps(m *ebpf.Map, n int) ([]uint32, error) {
	words, err := readArray(m, n)
	if words == nil {
		return nil, err
	}
	steps := make([]uint32, n)
	for i, w := range words {
		steps[i] = uint32(w)
	}
	return steps, nil
}

// clearArray zeroes the first n elements of an array that is mapped into
// memory, where each one takes 8 octets.
func clearArray(m *ebpf.Map, n int) error {
	if n == 0 {
		return nil
	}
	memory, err := m.Memory()
	if err == nil {
		_, err = memory.WriteAt(make([]byte, 8*n), 0)
	}
	if err != nil {
		return fmt.Errorf("clear the packet path's table %v: %w", m, err)
	}
	return nil
}

// readArray reads the first n elements of such an array; nil when n is 0.
func readArray(m *ebpf.Map, n int) ([]uint64, error) {
	if n == 0 {
		return nil, nil
	}
	words := make([]uint64, n)
	memory, err := m.Memory()
	if err == nil {
		_, err = memory.ReadAt(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*n), 0)
	}
	if err != nil {
		return nil, fmt.Errorf("read the packet path's table %v: %w", m, err)
	}
	return words, nil
}
