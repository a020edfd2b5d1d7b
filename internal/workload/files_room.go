package workload

import (
	"context"
	"fmt"

	"weir"
	"weir/internal/endhost"
)

// spare is what files must leave free at a place, for whoever else is there, in
// octets.
const spare = 64 << 20

// room looks whether both ends have room for the files of a job, and their
// folders lie where they should. one says that they lie on the same storage.
func (j *job) room(ctx context.Context, roots [2]string) (one bool, err error) {
	var rooms [2]endhost.Room
	names := [2]string{j.source.Host.Name(), j.destination.Host.Name()}
	for i, e := range []End{j.source, j.destination} {
		if err := j.play(ctx, e, "files-room", endhost.AtRoot{Root: roots[i]}, &rooms[i]); err != nil {
			return false, err
		}
	}
	// Of a job that came before in the same trial, the other way round, the
	// files are there already, and their copies will be.
	sets := [2]uint64{uint64(1 + j.number), 1}
	octets := uint64(j.Files) * uint64(j.FileSize)
	for i := range rooms {
		where := fmt.Sprintf("the folder %s of %s", roots[i], names[i])
		if err := fits(rooms, i, sets, octets, j.Storage, where); err != nil {
			return false, fmt.Errorf("%d files of %d octets: %w", j.Files, j.FileSize, err)
		}
	}
	return rooms[0].Machine == rooms[1].Machine && rooms[0].Device == rooms[1].Device, nil
}

// fits is nil when the place i of two has room for its sets of files, each of a
// number of octets. Where both places are on one storage it needs room for the sets
// of both.
func fits(rooms [2]endhost.Room, i int, sets [2]uint64, octets uint64, storage weir.Storage, where string) error {
	here, there := rooms[i], rooms[1-i]
	if here.InMemory != (storage == weir.Memory) {
		if here.InMemory {
			return fmt.Errorf("%s is in memory (tmpfs), and should be on a disk: name another one", where)
		}
		return fmt.Errorf("%s is on a disk, and should be in memory: name one on a tmpfs", where)
	}
	machine := here.Machine == there.Machine
	for _, limit := range []struct {
		of     string
		free   uint64
		shared bool // by both places
		holds  bool // whether it matters
	}{
		{where, here.Free, machine && here.Device == there.Device, true},
		{"the memory of the machine of " + where, here.Available, machine, storage == weir.Memory},
	} {
		n := sets[i]
		if limit.shared {
			n += sets[1-i]
		}
		if !limit.holds || limit.free >= spare && (limit.free-spare)/octets >= n {
			continue
		}
		whose := ""
		if limit.shared {
			whose = ", for both ends,"
		}
		return fmt.Errorf("%s has %d octets left, and needs %d%s and %d to spare: make room, or send fewer or smaller files",
			limit.of, limit.free, n*octets, whose, uint64(spare))
	}
	return nil
}
