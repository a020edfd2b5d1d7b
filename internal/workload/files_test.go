package workload

import (
	"strings"
	"testing"

	"weir"
	"weir/internal/endhost"
)

func TestCompared(t *testing.T) {
	sent := []endhost.File{{Name: "1", Octets: 5, SHA256: "aa"}, {Name: "2", Octets: 5, SHA256: "bb"}, {Name: "3", Octets: 5, SHA256: "cc"}}
	for _, c := range []struct {
		name    string
		arrived []endhost.File
		want    string
	}{
		{"all, in another order", []endhost.File{sent[2], sent[0], sent[1]}, ""},
		{"and another one", append([]endhost.File{{Name: "0"}}, sent...), ""},
		{"none", nil, "3 of 3 files did not arrive, the first of them 1"},
		{"one missing", sent[:2], "1 of 3 files did not arrive, the first of them 3"},
		{"one short", []endhost.File{sent[0], {Name: "2", Octets: 4, SHA256: "bb"}, sent[2]}, "1 of 3 files arrived with another length: 2 has 4 octets instead of 5"},
		{"one changed, one missing", []endhost.File{sent[0], {Name: "2", Octets: 5, SHA256: "b0"}},
			"1 of 3 files did not arrive, the first of them 3; 1 of 3 files arrived with another content, the first of them 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if err := compared(sent, c.arrived); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFits(t *testing.T) {
	const file = 100 << 20
	ram := endhost.Room{Machine: "a", Device: 1, InMemory: true, Free: 500 << 20, Available: 500 << 20}
	disk := endhost.Room{Machine: "a", Device: 2, Free: 500 << 20, Available: 1 << 20}
	with := func(r endhost.Room, change func(*endhost.Room)) endhost.Room {
		change(&r)
		return r
	}
	for _, c := range []struct {
		name        string
		here, there endhost.Room
		sets        [2]uint64
		storage     weir.Storage
		want        string // in the error; "": there is room
	}{
		{"both ends in one memory", ram, ram, [2]uint64{1, 1}, weir.Memory, ""},
		{"and both directions", ram, ram, [2]uint64{2, 2}, weir.Memory, ""},
		{"more than there is", ram, ram, [2]uint64{3, 2}, weir.Memory, "for both ends"},
		{"as much as there is, and nothing to spare", with(ram, func(r *endhost.Room) { r.Free = file }), with(ram, func(r *endhost.Room) { r.Machine = "b" }),
			[2]uint64{1, 9}, weir.Memory, "has 104857600 octets left, and needs 104857600 and 67108864 to spare"},
		{"memory that others have", with(ram, func(r *endhost.Room) { r.Available = 100 }), ram, [2]uint64{1, 1}, weir.Memory, "the memory of the machine of here has 100 octets left"},
		{"two disks of one machine", with(disk, func(r *endhost.Room) { r.Free = 200 << 20 }), with(disk, func(r *endhost.Room) { r.Device = 3 }), [2]uint64{1, 4}, weir.Disk, ""},
		{"two machines with the same number of a disk", with(disk, func(r *endhost.Room) { r.Free = 200 << 20 }), with(disk, func(r *endhost.Room) { r.Machine = "b" }), [2]uint64{1, 4}, weir.Disk, ""},
		{"one disk", with(disk, func(r *endhost.Room) { r.Free = 200 << 20 }), disk, [2]uint64{1, 1}, weir.Disk, "for both ends"},
		{"a disk that is memory", ram, ram, [2]uint64{1, 1}, weir.Disk, "should be on a disk"},
		{"memory that is a disk", disk, disk, [2]uint64{1, 1}, weir.Memory, "should be in memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := fits([2]endhost.Room{c.here, c.there}, 0, c.sets, file, c.storage, "here")
			switch {
			case c.want == "" && err != nil:
				t.Errorf("got %v, want room", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
