package tester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/testenv"
)

// The conformance suite is what every tester has to do, with every way of sending. The
// rates are such that a busy machine keeps up with them.
const (
	slowly   = 2000.0 // frames/s per port; a ring of 256 frames lasts for 128 ms
	briefly  = 50 * time.Millisecond
	patience = 10 * time.Second // for frames under way; over as soon as all are back
)

func slowTrial(t weir.Traffic) weir.Trial {
	return weir.Trial{Traffic: t, Intended: slowly, Duration: briefly, Waits: weir.Waits{Residual: patience}}
}

// backends are the ways to send: as chosen, and where live frames are missing.
var backends = []struct {
	name    string
	missing error
}{
	{"xdp", nil},
	{"afpacket", &weir.UnsupportedError{Feature: "live frames", Since: "Linux 5.18"}},
}

func TestConformance(t *testing.T) {
	testenv.NeedRoot(t)
	if cabled != "" {
		conformsAtPorts(t)
		return
	}
	p := openPlace(t)
	if p.tester.missing != nil {
		t.Fatal(p.tester.missing)
	}
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			p.tester.missing = b.missing
			t.Run("direction", func(t *testing.T) { goesItsWay(t, p, b.name) })
			t.Run("maximum", func(t *testing.T) { accountsForMaximum(t, p, b.name) })
			t.Run("gap", func(t *testing.T) { seesAGap(t, p, b.name) })
			conforms(t, p, b.name)
		})
	}
	p.tester.missing = nil
	t.Run("fall-back", func(t *testing.T) { fallsBack(t, p) })
	t.Run("segmentation", func(t *testing.T) { segmentsNothing(t, p) })
	t.Run("single port", func(t *testing.T) { sendsAlone(t, p) })
	conformsAnyhow(t, p)
	conformsWithJumbo(t, p)
}

// conformsAtPorts is what can be tested without a DUT that can be looked into. A driver
// without live frames has the packet sockets alone.
func conformsAtPorts(t *testing.T) {
	if largestMTU == "9000" { // some drivers have no XDP with that
		t.Run("large MTU", func(t *testing.T) { conformsWithJumbo(t, openCabled(t, 9000)) })
	}
	t.Run("ports", func(t *testing.T) {
		p := openCabled(t, 0)
		p.measure(t, slowTrial(traffic(nil))) // by which it finds out
		if native == "yes" && (p.tester.missing != nil || p.tester.receivers[0].Generic() || p.tester.receivers[1].Generic()) {
			t.Errorf("a driver with XDP does not send live frames (%v), or receives in generic mode", p.tester.missing)
		}
		for _, b := range backends {
			if b.missing == nil && p.tester.missing != nil {
				t.Logf("live frames: %v", p.tester.missing)
				continue
			}
			t.Run(b.name, func(t *testing.T) {
				missing := p.tester.missing
				p.tester.missing = b.missing
				conforms(t, p, b.name)
				p.tester.missing = missing
			})
		}
		conformsAnyhow(t, p)
	})
}

// conforms is what a way to send has to do.
func conforms(t *testing.T, p *place, backend string) {
	t.Run("traffic", func(t *testing.T) { forwardsAll(t, p, backend) })
	t.Run("cancel", func(t *testing.T) { stopsOnCancel(t, p) })
	t.Run("learning", func(t *testing.T) { learnsFirst(t, p) })
	t.Run("asked", func(t *testing.T) { doesAsAsked(t, p, backend) })
	t.Run("fates", func(t *testing.T) { keepsFates(t, p, backend) })
}

// conformsAnyhow is what a tester has to do, whatever it sends with.
func conformsAnyhow(t *testing.T, p *place) {
	t.Run("threads", func(t *testing.T) { addsUpThreads(t, p) })
	t.Run("nonsense", func(t *testing.T) { refusesNonsense(t, p) })
}

// conformsWithJumbo is what it has to do at ports with an MTU of 9000.
func conformsWithJumbo(t *testing.T, p *place) {
	t.Run("jumbo", func(t *testing.T) { sendsJumbo(t, p) })
	t.Run("too large", func(t *testing.T) { refusesTooLarge(t, p) })
}

// plainKinds are frames that differ in size, family, protocol and direction.
func plainKinds() map[string]weir.Traffic {
	kinds := map[string]weir.Traffic{}
	for name, change := range map[string]func(*weir.Traffic){
		"64":            nil,
		"1518":          func(t *weir.Traffic) { t.Sizes = []weir.Size{1518} },
		"mix":           func(t *weir.Traffic) { t.Sizes = []weir.Size{64, 594, 64, 1518, 594, 64} },
		"IPv6":          func(t *weir.Traffic) { t.Family, t.Sizes = weir.IPv6, []weir.Size{78, 128} },
		"TCP flows":     func(t *weir.Traffic) { t.Protocol, t.Sizes, t.Flows = weir.TCP, []weir.Size{128}, 7 },
		"bidirectional": func(t *weir.Traffic) { t.Bidirectional = true },
		"backward":      func(t *weir.Traffic) { t.Backward = true },
		"backward IPv6 mix": func(t *weir.Traffic) {
			t.Backward, t.Family, t.Sizes, t.Flows = true, weir.IPv6, []weir.Size{78, 1518}, 5
		},
		"bidirectional mix": func(t *weir.Traffic) {
			t.Bidirectional, t.Sizes, t.Flows = true, []weir.Size{64, 1518}, 3
		},
	} {
		kinds[name] = traffic(change)
	}
	return kinds
}

// At a slow rate everything comes back, whatever it is.
func forwardsAll(t *testing.T, p *place, backend string) {
	for name, tr := range plainKinds() {
		t.Run(name, func(t *testing.T) { cameBack(t, p, slowTrial(tr), backend) })
	}
	for _, backward := range []bool{false, true} {
		t.Run(fmt.Sprint("bypass, backward ", backward), func(t *testing.T) {
			trial := slowTrial(traffic(func(t *weir.Traffic) {
				t.VLANs, t.Sizes = []weir.VLAN{{TPID: 0x88a8, ID: 7}, {TPID: 0x8100, ID: 100}}, []weir.Size{128}
				t.Backward = backward
			}))
			trial.Bypass = true
			cameBack(t, p, trial, backend)
		})
	}
}

// cameBack measures a trial of which no frame may be lost but in a full ring, and returns
// how many were.
func cameBack(t *testing.T, p *place, trial weir.Trial, backend string) (missed uint64) {
	t.Helper()
	r := p.measure(t, trial)
	sane(t, r, backend)
	missed = p.awaitAll(t, r)
	if r.Offered > r.Trial.Frames() {
		t.Errorf("%d frames were offered, more than the %d that were intended", r.Offered, r.Trial.Frames())
	}
	directions := map[string]uint64{}
	for _, s := range r.Streams {
		directions[s.Direction] += s.Sent
		if s.Received > s.Sent || s.Lost > missed || s.Duplicate+s.Corrupt > 0 {
			t.Errorf("stream %+v", s)
		}
	}
	forward, reverse := directions["forward"], directions["reverse"]
	one := r.Offered == 1 // and it went one way
	if there, back := !trial.Traffic.Backward, trial.Traffic.Backward || trial.Traffic.Bidirectional; !one && (forward > 0 != there || reverse > 0 != back) {
		t.Errorf("frames went %v", directions)
	}
	if trial.Traffic.Bidirectional && forward-reverse > 1 && r.Pacing.Stalls == 0 {
		t.Errorf("%d frames went forward and %d back", forward, reverse)
	}
	return missed
}

// sane checks what holds of every result.
func sane(t *testing.T, r weir.TrialResult, backend string) {
	t.Helper()
	if r.Backend != backend {
		t.Errorf("back end %q, want %q", r.Backend, backend)
	}
	sum := int64(r.Received) + r.Ledger.Unexplained
	for _, d := range r.Ledger.Drops {
		sum += int64(d.Count)
	}
	if sum != int64(r.Offered) || r.Ledger.Offered != r.Offered || r.Ledger.Received != r.Received {
		t.Errorf("offered %d, received %d, but the ledger says %+v", r.Offered, r.Received, r.Ledger)
	}
	var sent, received, duplicate uint64
	for _, s := range r.Streams {
		sent += s.Sent
		received += s.Received
		duplicate += s.Duplicate
	}
	if sent != r.Offered || received != r.Received {
		t.Errorf("the streams sent %d and received %d frames, all together %d and %d", sent, received, r.Offered, r.Received)
	}
	if !about(r.Latency.N-duplicate, r) {
		t.Errorf("%d latencies of %d frames", r.Latency.N, received)
	}
	if r.Sending < 0 || r.Sending == 0 && r.Offered > 2 || time.Since(r.Start) < r.Sending {
		t.Errorf("frames were sent for %v from %v on", r.Sending, r.Start)
	}
	slow := false
	for _, w := range r.Warnings {
		slow = slow || w.Code == weir.SlowBackend
	}
	// A driver without XDP is always slow to receive.
	if want := backend == "afpacket" && r.Trial.Traffic.Sizes[0] < 9000; slow != want && (cabled == "" || !slow) {
		t.Errorf("warnings %v", r.Warnings)
	}
}

// As fast as it goes, with a DUT that gets only what the generator leaves of
// its CPU, frames are lost, every one at a counter.
func accountsForMaximum(t *testing.T, p *place, backend string) {
	cpus := p.lab.CPUs()
	p.placeDUT(t, cpus.Generator)
	defer p.placeDUT(t, cpus.DUT)
	for _, bypass := range []bool{false, true} {
		t.Run(fmt.Sprint("bypass ", bypass), func(t *testing.T) {
			trial := slowTrial(traffic(nil))
			trial.Maximum, trial.Intended, trial.Bypass = true, 0, bypass
			trial.Duration, trial.Waits.Residual = 20*time.Millisecond, 100*time.Millisecond
			r := p.measure(t, trial)
			sane(t, r, backend)
			p.awaitAll(t, r)
			const stray = 10 // frames of the stack itself may be dropped as well
			if refused := int64(p.refused(t)); !bypass && r.Ledger.Unexplained < refused-stray {
				t.Errorf("%d of %d frames came back, the DUT dropped %d: %+v", r.Received, r.Offered, refused, r.Ledger)
			}
		})
	}
}

// A trial ends with its context, and the result is right about what was sent.
func stopsOnCancel(t *testing.T, p *place) {
	if err := p.tester.reset(watch{}); err != nil {
		t.Fatal(err)
	}
	trial := slowTrial(traffic(nil))
	trial.Duration = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	enough := make(chan error, 1)
	go func() { // once frames come back the trial is under way
		for {
			n, err := p.tester.receivers[1].Count()
			if err != nil || n >= 20 {
				cancel()
				enough <- err
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	r, err := p.tester.Measure(ctx, trial)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := <-enough; err != nil {
		t.Fatal(err)
	}
	if r.Offered == 0 || r.Offered >= r.Trial.Frames() || r.Received > r.Offered {
		t.Errorf("%d frames were offered, %d came back", r.Offered, r.Received)
	}
	if got := int64(r.Received) + r.Ledger.Unexplained; got != int64(r.Offered) {
		t.Errorf("the ledger of a cancelled trial: %+v", r.Ledger)
	}
}

// Learning frames do not count, whether the trial has a rate or not.
func learnsFirst(t *testing.T, p *place) {
	for _, maximum := range []bool{false, true} {
		trial := slowTrial(traffic(nil))
		trial.Waits.Learning = time.Millisecond
		if trial.Maximum = maximum; maximum {
			trial.Intended, trial.Waits.Residual = 0, 0
		}
		r := p.measure(t, trial)
		if r.Received > r.Offered {
			t.Errorf("maximum %v: %d of %d frames came back", maximum, r.Received, r.Offered)
		}
		p.awaitAll(t, r)
	}
}

// Frames that live frames are too small for go through packet sockets, which
// is nothing to be warned of.
func sendsJumbo(t *testing.T, p *place) {
	for _, sizes := range [][]weir.Size{{9018}, {9018, 64}} {
		tr := traffic(func(t *weir.Traffic) { t.Sizes, t.Bidirectional = sizes, true })
		cameBack(t, p, slowTrial(tr), "afpacket")
	}
}

// Where the driver takes no live frame, the tester finds out by itself.
func fallsBack(t *testing.T, p *place) {
	gro := func(on bool) {
		t.Helper()
		port := p.lab.DUT().Ports[0].DUT
		if err := p.lab.InDUT(func() error { return netif.SetFeature(port, "rx-gro", on) }); err != nil {
			t.Fatal(err)
		}
	}
	gro(false) // without NAPI a veth takes none
	defer gro(true)
	cameBack(t, p, slowTrial(traffic(nil)), "afpacket")
	if p.tester.missing == nil {
		t.Error("the tester will try live frames again")
	}
	p.tester.missing = nil
}

// A veth port that segments TCP would make the sender do the DUT's work when packet
// sockets send: that of a lab does not.
func segmentsNothing(t *testing.T, p *place) {
	port := p.tester.config.Ports[0].Tester
	if err := p.tester.unload(); err != nil {
		t.Fatal(err)
	}
	if err := p.tester.load(slowTrial(traffic(nil)), packet); err != nil {
		t.Fatal(err)
	}
	err := p.lab.Tester.Do(func() error {
		features, err := netif.Features(port)
		if on, known := features["tx-tcp-segmentation"]; on || !known {
			t.Errorf("%s: TCP segmentation is %v (known: %v) while packet sockets are open", port, on, known)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.tester.unload(); err != nil {
		t.Fatal(err)
	}
}

// A single port sends with the same back ends.
func sendsAlone(t *testing.T, p *place) {
	port := p.lab.DUT().Ports[0]
	to, err := net.ParseMAC(port.DUTMAC)
	if err != nil {
		t.Fatal(err)
	}
	for size, backend := range map[weir.Size]string{64: "xdp", 9018: "afpacket"} {
		tr := traffic(func(t *weir.Traffic) { t.Sizes = []weir.Size{size} })
		c := SendConfig{Port: port.Tester, To: to, Traffic: tr, Rate: slowly, Duration: briefly, CPUs: p.lab.CPUs().Generator[:1]}
		var r SendResult
		err := p.lab.Tester.Do(func() (err error) {
			r, err = Send(t.Context(), c)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Backend != backend || r.Sent+unsent(r) != r.Intended || r.Short != (len(r.Missing) > 0) || len(r.Warnings) > 0 {
			t.Errorf("size %d: %+v", size, r)
		}
	}
}

// unsent are the frames of a send for which there is a reason why they were not sent.
func unsent(r SendResult) (n uint64) {
	for _, m := range r.Missing {
		n += m.Frames
	}
	return n
}

func refusesTooLarge(t *testing.T, p *place) {
	tr := traffic(func(t *weir.Traffic) { t.Sizes = []weir.Size{9100} })
	if _, err := p.tester.Measure(t.Context(), slowTrial(tr)); err == nil {
		t.Error("frames larger than the MTU were sent")
	}
}
