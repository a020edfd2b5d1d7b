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

// near is how much of the rate of a storage a goodput has to be for it to be
// taken for the storage's.
const near = 0.9

// DiskBound is the side whose storage, and not the network, may have set the
// goodput of a transfer: it is within 10 % of the rate at which the source's
// storage is read or the destination's is written, or above it. Of both it is
// the slower one. The storages of several directions count together, as their
// goodput does. What was not measured binds nothing.
//
// Each storage was measured alone. Where both sides share one, which reads and
// writes at once in a transfer, a goodput below what this marks can be the
// storage's too.
func DiskBound(t weir.Transferred) (weir.Side, bool) {
	read, write := 0., 0.
	for _, d := range t.Disks {
		switch d.Side {
		case weir.Source:
			read += d.Read
		case weir.Destination:
			write += d.Write
		}
	}
	bound := func(rate float64) bool { return rate > 0 && t.Goodput() >= near*rate }
	switch {
	case bound(read) && (!bound(write) || read <= write):
		return weir.Source, true
	case bound(write):
		return weir.Destination, true
	}
	return "", false
}
