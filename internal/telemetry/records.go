package telemetry

import "encoding/binary"

// Records of the kernel's ring of performance events (perf_event_open(2)).
const (
	recordLost   = 2
	recordSample = 9
	recordHeader = 8 // octets: type 4, misc 2, size 2
)

// modeMask are the bits of a record's misc that say where the CPU was.
const (
	modeMask = 7
	modeUser = 2
)

// contextFloor is the least address of a call chain that is none but says of
// which kind those after it are.
const contextFloor = ^uint64(4095) + 1

// sampled is where a CPU was found.
type sampled struct {
	thread uint32   // process ID of the thread; 0: what runs when there is nothing to do
	user   bool     // in a program, not in the kernel
	chain  []uint64 // addresses in the kernel: where it was, then where that was called from. Good until the next sample
}

// readRecords calls found for each sample among whole records, and returns how
// many samples there was no room for. Records of other kinds are passed over.
func readRecords(b []byte, found func(sampled)) (lost uint64) {
	order := binary.NativeEndian
	var chain []uint64
	for len(b) >= recordHeader {
		kind, misc, size := order.Uint32(b), order.Uint16(b[4:]), int(order.Uint16(b[6:]))
		if size < recordHeader || size > len(b) {
			return lost // the kernel never writes that
		}
		body := b[recordHeader:size]
		b = b[size:]
		switch {
		case kind == recordLost && len(body) >= 16: // id, lost
			lost += order.Uint64(body[8:])
		case kind == recordSample && len(body) >= 24: // ip, pid, tid, nr, chain
			s := sampled{thread: order.Uint32(body[12:]), user: misc&modeMask == modeUser}
			n := min(order.Uint64(body[16:]), uint64(len(body)-24)/8)
			chain = chain[:0]
			for i := range n {
				if address := order.Uint64(body[24+8*i:]); address < contextFloor {
					chain = append(chain, address)
				}
			}
			if len(chain) == 0 && !s.user {
				chain = append(chain, order.Uint64(body)) // without a chain there is at least the place
			}
			s.chain = chain
			found(s)
		}
	}
	return lost
}
