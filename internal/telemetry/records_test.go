package telemetry

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// record is one of the kernel's, with its body.
func record(kind uint32, misc uint16, body ...uint64) []byte {
	order := binary.NativeEndian
	b := order.AppendUint32(nil, kind)
	b = order.AppendUint16(b, misc)
	b = order.AppendUint16(b, uint16(recordHeader+8*len(body)))
	for _, word := range body {
		b = order.AppendUint64(b, word)
	}
	return b
}

// thread is the word of a sample that has the IDs of process and thread.
func thread(pid, tid uint32) uint64 {
	b := binary.NativeEndian.AppendUint32(nil, pid)
	return binary.NativeEndian.Uint64(binary.NativeEndian.AppendUint32(b, tid))
}

func TestReadRecords(t *testing.T) {
	const kernel, user = 1, 2
	inKernel, inUser := ^uint64(127), ^uint64(511) // what marks the addresses after it
	type found struct {
		Thread uint32
		User   bool
		Chain  []uint64
	}
	for name, c := range map[string]struct {
		records []byte
		want    []found
		lost    uint64
	}{
		"none": {nil, nil, 0},
		"kernel": {record(recordSample, kernel, 0x10, thread(7, 8), 3, inKernel, 0x10, 0x20),
			[]found{{Thread: 8, Chain: []uint64{0x10, 0x20}}}, 0},
		"user": {record(recordSample, user, 0x99, thread(7, 7), 1, inUser), []found{{Thread: 7, User: true}}, 0},
		"no chain": {record(recordSample, kernel, 0x10, thread(0, 0), 0),
			[]found{{Chain: []uint64{0x10}}}, 0},
		"two, with others between": {slices.Concat(
			record(recordSample, kernel, 0x10, thread(1, 1), 1, 0x10), record(11, 0, 1, 2, 3), record(recordLost, 0, 5, 17),
			record(recordSample, kernel, 0x20, thread(2, 2), 2, 0x20, 0x30), record(recordLost, 0, 5, 3)),
			[]found{{Thread: 1, Chain: []uint64{0x10}}, {Thread: 2, Chain: []uint64{0x20, 0x30}}}, 20},
		"more called than there are": {record(recordSample, kernel, 0x10, thread(1, 1), 1<<60, 0x10),
			[]found{{Thread: 1, Chain: []uint64{0x10}}}, 0},
		"short":     {record(recordSample, kernel, 0x10), nil, 0},
		"cut off":   {record(recordSample, kernel, 0x10, thread(1, 1), 1, 0x10)[:20], nil, 0},
		"no length": {make([]byte, 64), nil, 0},
	} {
		var got []found
		lost := readRecords(c.records, func(s sampled) {
			got = append(got, found{s.thread, s.user, slices.Clone(s.chain)})
		})
		if d := cmp.Diff(c.want, got, cmp.Transformer("empty", func(x []uint64) []uint64 { return append([]uint64{}, x...) })); d != "" || lost != c.lost {
			t.Errorf("%s: %d lost, want %d (-want +got):\n%s", name, lost, c.lost, d)
		}
	}
}

func FuzzReadRecords(f *testing.F) {
	f.Add(record(recordSample, 1, 0x10, thread(1, 1), 2, 0x10, 0x20))
	f.Add(record(recordLost, 0, 1, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		readRecords(b, func(s sampled) { n += len(s.chain) })
		if n > len(b)/8 {
			t.Errorf("%d addresses in %d octets", n, len(b))
		}
	})
}
