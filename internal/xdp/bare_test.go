//go:build linux

package xdp

import (
	"context"
	"testing"

	"weir/internal/netif"
	"weir/internal/testenv"
)

// The bare program's frames all arrive at the sink that the driver took, and it
// ends with its context.
func TestBareSends(t *testing.T) {
	port, ns, sink := speedLab(t, 2)
	var b *Bare
	if err := ns.Do(func() (err error) {
		b, err = NewBare(port)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx, make([]byte, 60), 0) }()
	count := func() (left netif.Sent, arrived uint64) {
		err := ns.Do(func() (err error) {
			left, err = netif.ReadSent("wspeed0")
			return err
		})
		if err == nil {
			arrived, err = sink.Count()
		}
		if err != nil {
			t.Fatal(err)
		}
		return left, arrived
	}
	testenv.Await(t, "frames arrive", func() bool { _, arrived := count(); return arrived > 0 })
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	testenv.Await(t, "as many frames have arrived as the driver took", func() bool {
		left, arrived := count()
		return left.Sent > 0 && arrived == left.Sent
	})
}
