package tester

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"weir"
	"weir/frame"
	"weir/internal/testenv"
)

// Frames that differ in more than size and flow come back through a router like
// all others, with each back end, and what is sent besides them counts nowhere.
func TestAssortedTraffic(t *testing.T) {
	testenv.NeedRoot(t)
	p := openPlace(t)
	kinds := assortedKinds(t)
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			p.tester.missing = b.missing
			for name, tr := range kinds {
				t.Run(name, func(t *testing.T) { cameBack(t, p, slowTrial(tr), b.name) })
			}
			t.Run("broadcast alone", func(t *testing.T) { sendsBroadcasts(t, p) })
		})
	}
}

// assortedKinds are frames that differ in more than size and flow.
func assortedKinds(t *testing.T) map[string]weir.Traffic {
	return map[string]weir.Traffic{
		"blend": assorted(weir.IPv4, func(t *weir.Traffic) { blend(t, 0.1) }),
		"extensions": assorted(weir.IPv6, func(t *weir.Traffic) {
			t.Extensions, t.Extended = []weir.Extension{weir.HopByHop, weir.RoutingHeader, weir.DestinationOptions}, 0.5
		}),
		"all extended": assorted(weir.IPv6, func(t *weir.Traffic) {
			t.Extensions, t.Extended, t.Bidirectional = []weir.Extension{weir.DestinationOptions}, 1, true
		}),
		"broadcast": assorted(weir.IPv4, func(t *weir.Traffic) { t.Broadcast, t.Bidirectional = 0.1, true }),
		"all at once": assorted(weir.IPv6, func(t *weir.Traffic) {
			blend(t, 0.5)
			t.Extensions, t.Extended, t.Broadcast = []weir.Extension{weir.HopByHop}, 0.1, 0.01
		}),
		"backward": assorted(weir.IPv4, func(t *weir.Traffic) {
			blend(t, 0.5)
			t.Backward, t.Broadcast, t.Burst = true, 0.01, 16
		}),
		"networks": assorted(weir.IPv4, func(t *weir.Traffic) {
			t.Forward, t.Reverse = frame.DestinationNetworks(weir.IPv4, 1)
			t.Flows = 1000
		}),
		"replay":     captured(t),
		"TCP upload": upload(t),
	}
}

func assorted(family weir.Family, change func(*weir.Traffic)) weir.Traffic {
	t := weir.Traffic{Sizes: []weir.Size{150, 1518, 594}, Family: family, Protocol: weir.UDP, Flows: 3, Seed: 1}
	t.Forward, t.Reverse = frame.DefaultStreams(family)
	change(&t)
	return t
}

func blend(t *weir.Traffic, share float64) {
	other := weir.IPv6
	if t.Family == weir.IPv6 {
		other = weir.IPv4
	}
	t.Blend = &weir.Blend{Share: share}
	t.Blend.Forward, t.Blend.Reverse = frame.DefaultStreams(other)
}

// captured is the traffic of a capture with frames of both families in it.
func captured(t *testing.T) weir.Traffic {
	t.Helper()
	file := filepath.Join(t.TempDir(), "some.pcap")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := pcapgo.NewWriter(f)
	if err := w.WriteFileHeader(65536, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	tr := assorted(weir.IPv4, func(t *weir.Traffic) { blend(t, 0.5) })
	b, err := frame.NewPortBuilder(tr, 0, make([]byte, 6), make([]byte, 6))
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(50) {
		octets := b.Frame(nil, i, frame.Signature{})
		info := gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(octets), Length: len(octets)}
		if err := w.WritePacket(info, octets); err != nil {
			t.Fatal(err)
		}
	}
	c, err := frame.ReadCapture(file)
	if err != nil {
		t.Fatal(err)
	}
	return weir.Traffic{Sizes: c.Sizes(), Replay: c.Replay(), Seed: 1}
}

// upload is the traffic of a capture in which TCP segments follow each other, in bursts: a
// router with GRO merges them, and cuts them again.
func upload(t *testing.T) weir.Traffic {
	t.Helper()
	c, err := frame.ReadCapture("../../examples/replay.pcap")
	if err != nil {
		t.Fatal(err)
	}
	return weir.Traffic{Sizes: c.Sizes(), Replay: c.Replay(), Seed: 1, Burst: 16}
}

// sendsBroadcasts looks for the broadcast frames where they arrive: the DUT's
// port receives them besides the load.
func sendsBroadcasts(t *testing.T, p *place) {
	before := p.packets(t, 0, "rx")
	r := p.measure(t, slowTrial(assorted(weir.IPv4, func(t *weir.Traffic) { t.Broadcast = 0.25 })))
	p.awaitAll(t, r)
	got := p.packets(t, 0, "rx") - before
	if want := r.Offered + r.Offered/3; got+p.refused(t) < want || got > want+5 { // and neighbour discovery
		t.Errorf("the DUT received %d frames, want %d with the broadcast frames to %d others", got, want, r.Offered)
	}
}
