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
func clearArray(m *ebpf.Map, n int) error { return writeArray(m, make([]uint64, n)) }

// readArray reads the first n elements of such an array; nil when n is 0.
func readArray(m *ebpf.Map, n int) ([]uint64, error) {
	if n == 0 {
		return nil, nil
	}
	words := make([]uint64, n)
	return words, readInto(m, words)
}

// writeArray writes the first elements of an array that is mapped into memory,
// where each one takes whole words of 8 octets.
func writeArray[T any](m *ebpf.Map, from []T) error { return writeArrayAt(m, 0, from) }

// writeArrayAt writes elements of such an array from the i-th on.
func writeArrayAt[T any](m *ebpf.Map, i int, from []T) error {
	if len(from) == 0 {
		return nil
	}
	memory, err := m.Memory()
	if err == nil {
		_, err = memory.WriteAt(octets(from), int64(i)*int64(unsafe.Sizeof(from[0])))
	}
	if err != nil {
		return fmt.Errorf("write the packet path's table %v: %w", m, err)
	}
	return nil
}

// readInto reads the first elements of such an array.
func readInto[T any](m *ebpf.Map, to []T) error {
	if len(to) == 0 {
		return nil
	}
	memory, err := m.Memory()
	if err == nil {
		_, err = memory.ReadAt(octets(to), 0)
	}
	if err != nil {
		return fmt.Errorf("read the packet path's table %v: %w", m, err)
	}
	return nil
}

// octets are those of the elements of a slice, in place.
func octets[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
