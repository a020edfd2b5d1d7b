//go:build linux

package xdp

import (
	"context"
	"testing"
	"time"

	"weir/internal/netif"
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
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if err := b.Run(ctx, make([]byte, 60), 0); err != nil {
		t.Fatal(err)
	}
	var left netif.Sent
	var arrived uint64
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		err := ns.Do(func() (err error) {
			left, err = netif.ReadSent("wspeed0")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if arrived, err = sink.Count(); err != nil {
			t.Fatal(err)
		}
		if arrived >= left.Sent && arrived > 0 {
			break
		}
	}
	// The stack sends a few frames of its own, which that counter does not have.
	if left.Sent == 0 || arrived < left.Sent || arrived > left.Sent+100 {
		t.Errorf("%d frames arrived; the driver took %d and refused %d", arrived, left.Sent, left.Refused)
	}
}
