package workload

import (
	"context"
	"fmt"
	"time"

	"weir"
	"weir/internal/endhost"
)

// How much of a storage is timed, in octets: as much as the files of a transfer
// have, within these.
const (
	leastTimed = 32 << 20
	mostTimed  = 256 << 20
)

// timeLimit is how long writing may take, and reading as long again.
var timeLimit = map[weir.Storage]time.Duration{weir.Memory: time.Second / 2, weir.Disk: 5 * time.Second}

// disks measures the storage of each side alone, one after the other.
func (j *job) disks(ctx context.Context, roots [2]string) ([]weir.DiskRate, error) {
	octets := int64(j.Files) * j.FileSize
	settings := endhost.TimeDisk{Octets: min(max(octets, leastTimed), mostTimed), Limit: timeLimit[j.Storage]}
	var out []weir.DiskRate
	for i, side := range []struct {
		weir.Side
		at End
	}{{weir.Source, j.source}, {weir.Destination, j.destination}} {
		settings.Root = roots[i]
		var found endhost.DiskTimes
		if err := j.play(ctx, side.at, "disk", settings, &found); err != nil {
			return nil, fmt.Errorf("measure the storage of the %s: %w", side.Side, err)
		}
		out = append(out, weir.DiskRate{Side: side.Side, Read: found.Read, Write: found.Write})
	}
	return out, nil
}
