package workload

import (
	"cmp"
	"net/netip"
	"sync/atomic"
	"time"

	"weir"
	"weir/internal/service"
)

// job is one direction of a transfer.
type job struct {
	weir.Transfer
	family      weir.Family
	duration    time.Duration // of a stream, warm-up included
	source      End
	destination End
	server      weir.Side
	line        *[2]End      // the client and the concentrator of the access line; nil: there is none
	number      int          // of the jobs of one trial, from 0: two at once need ports and folders of their own
	pausing     *atomic.Bool // nothing is expected to arrive, as while a program writes to a disk
}

// serverEnd and clientEnd are the ends at which the server and the client run.
func (j *job) serverEnd() End {
	if j.server == weir.Source {
		return j.source
	}
	return j.destination
}

func (j *job) clientEnd() End {
	if j.server == weir.Source {
		return j.destination
	}
	return j.source
}

// streams is how many there are.
func (j *job) streams() int { return max(j.Streams, 1) }

// endsCPU is what the ends have used of their CPUs, by what the client and the
// server have, which is at the given side.
func endsCPU(server weir.Side, client, serving time.Duration) weir.EndsCPU {
	if server == weir.Source {
		return weir.EndsCPU{Source: serving, Destination: client}
	}
	return weir.EndsCPU{Source: client, Destination: serving}
}

// address is that of an end, in the family of the job.
func (j *job) address(e End) netip.Addr { return e.Address[j.family] }

// place is where a service runs at an end, with its files in memory where it has such a folder.
func (e End) place() service.Place {
	return service.Place{Host: e.Host, CPUs: e.CPUs, Folder: cmp.Or(e.Folders[weir.Memory], e.Folders[weir.Disk])}
}
