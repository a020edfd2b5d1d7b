//go:build linux

package xdp

import (
	"context"
	"runtime"
	"testing"
	"time"

	"weir/internal/netif"
	"weir/internal/testenv"
)

// speedLab is a veth pair with a sink whose queues run on the last CPU.
func speedLab(b testing.TB, queues int) (port int, ns *netif.Namespace, sink *Sink) {
	b.Helper()
	testenv.NeedRoot(b)
	ns, err := netif.NewNamespace()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(ns.Close)
	if err := ns.Do(netif.NoLinkLocal); err != nil { // the stack sends nothing of its own
		b.Fatal(err)
	}
	from, to := netif.End{Namespace: ns, Name: "wspeed0"}, netif.End{Namespace: ns, Name: "wspeed1"}
	if err := netif.Veth(from, to, queues, 1500); err != nil {
		b.Fatal(err)
	}
	err = ns.Do(func() (err error) {
		if port, err = netif.Index("wspeed0"); err != nil {
			return err
		}
		end, err := netif.Index("wspeed1")
		if err != nil {
			return err
		}
		if sink, err = NewSink(end); err != nil {
			return err
		}
		_, err = netif.ThreadNAPI("wspeed1", []int{runtime.NumCPU() - 1})
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { sink.Close() })
	return port, ns, sink
}

// generatorIn is a generator for a port of a namespace.
func generatorIn(b testing.TB, ns *netif.Namespace, side Side, o GeneratorOptions) (g *Generator) {
	b.Helper()
	if err := ns.Do(func() (err error) {
		g, err = NewGenerator([]Side{side}, o)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close() })
	return g
}

// The kernel may begin a run long after it was ordered: its frames leave then, all of them
// where it has the time.
func TestGeneratorBeginsLate(t *testing.T) {
	port, ns, _ := speedLab(t, 2)
	tr := traffics()[0]
	side := Side{Frames: builder(t, tr, tr.Forward), Port: port}
	for _, l := range []Load{{Frames: 100}, {Frames: 100, Rate: 10_000, Duration: 10 * time.Millisecond}} {
		g := generatorIn(t, ns, side, GeneratorOptions{Paced: l.Rate > 0})
		sent, err := g.Run(t.Context(), Order{Start: Now() - 2*overdue, Load: l})
		if err != nil || sent.Frames == 0 || l.Duration == 0 && sent.Frames < l.Frames {
			t.Errorf("%d of %d frames left of %+v: %v", sent.Frames, l.Frames, l, err)
		}
	}
}

// BenchmarkGenerator sends 64-octet frames to a sink as fast as it can, with
// the empty loop beside it, and again with a timeline.
func BenchmarkGenerator(b *testing.B) {
	const d = 500 * time.Millisecond
	b.Run("plain", func(b *testing.B) { sendFast(b, Grid{}, d) })
	b.Run("timeline", func(b *testing.B) { sendFast(b, NewGrid(time.Millisecond, d), d) })
}

func sendFast(b *testing.B, grid Grid, d time.Duration) {
	port, ns, sink := speedLab(b, 2)
	tr := traffics()[0]
	g := generatorIn(b, ns, Side{Frames: builder(b, tr, tr.Forward), Port: port}, GeneratorOptions{Steps: grid.Steps})
	var frames, turns, took float64
	for b.Loop() {
		before, err := sink.Count()
		if err != nil {
			b.Fatal(err)
		}
		grid.Start = Now()
		sent, err := g.Run(context.Background(), Order{Start: grid.Start + 20*time.Millisecond, Load: Load{Duration: d}, Grid: grid})
		if err != nil {
			b.Fatal(err)
		}
		after, err := sink.Count()
		if err != nil {
			b.Fatal(err)
		}
		loop, err := DropLoop(0, d)
		if err != nil {
			b.Fatal(err)
		}
		frames += float64(after - before)
		turns += loop * d.Seconds()
		took += (sent.Last - sent.First).Seconds()
		b.Logf("built %.2f M/s, received %.2f M/s, loop %.2f M/s", float64(sent.Frames)/d.Seconds()/1e6, float64(after-before)/d.Seconds()/1e6, loop/1e6)
	}
	b.ReportMetric(frames/took, "frames/s")
	b.ReportMetric(turns/took, "turns/s")
	b.ReportMetric(frames/turns*100, "%-of-turns")
}
