package endhost

import (
	"context"
	"math/rand/v2"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/pppoe"
)

// floodPause is how long the flood may be late: what a longer pause has held up is not sent.
const floodPause = 10 * time.Millisecond

// floodPADIs is the role "padi-flood".
func floodPADIs(ctx context.Context, f PADIFlood) (r PADIFlooded, err error) {
	if err := f.check(); err != nil {
		return r, err
	}
	port, err := net.InterfaceByName(f.Port)
	if err != nil {
		return r, err
	}
	socket, err := packetSocket(port.Index, 0)
	if err != nil {
		return r, err
	}
	defer unix.Close(socket)
	random := rand.New(rand.NewPCG(f.Seed, 0))
	frames := make([][]byte, batchSize)
	for i := range frames {
		frames[i] = pppoe.Initiation(pppoe.MAC{2}, f.Service, make([]byte, 8))
	}
	began := time.Now()
	due := began // of the next batch
	each := time.Duration(float64(batchSize) / f.Rate * float64(time.Second))
	for ctx.Err() == nil && due.Sub(began) < f.Duration {
		now := time.Now()
		if late := now.Sub(due); late < 0 {
			time.Sleep(-late)
			continue
		} else if late > floodPause {
			due = now
		}
		for _, frame := range frames {
			pppoe.Disguise(frame, random.Uint64())
		}
		r.Unsent += sendAll(socket, frames)
		r.Sent += batchSize
		due = due.Add(each)
	}
	r.Sent -= r.Unsent
	r.Took, r.CPU = time.Since(began), cpuTime()
	return r, context.Cause(ctx)
}
