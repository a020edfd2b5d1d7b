package pppoe

import (
	"math/rand/v2"
	"time"
)

var (
	start   = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	acMAC   = MAC{2, 0, 0, 0, 0, 0xac}
	hostMAC = MAC{2, 0, 0, 0, 0, 1}
)

// seeded fills with octets that a seed determines.
func seeded(seed uint64) func([]byte) {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(b []byte) {
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
}
