package wiring

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"weir"
	"weir/frame"
)

// samples are how many frames of a traffic are sent as probes.
const samples = 8

// ownMark begins the tag of a probe that is a frame of the plan. Behind it are the nonce, the
// port that has sent it, 1 in a frame of the largest size, and its hop limit.
const ownMark = "Who?"

// ownProbes are some of the frames that a port sends of the plan's, with a tag in place of the
// signature, and what they are in words, each once. Of a port that only receives they are what
// answers to those would be, without words: the plan does not need them, and they go to the
// networks for benchmarks alone.
func (a Asked) ownProbes(i int, nonce [4]byte) (probes [][]byte, words []string, err error) {
	port := a.Ports[i]
	for _, t := range a.Traffic {
		if t.Application || t.Sessions > 0 || t.Routes.Count > 0 || i >= 2*max(t.Pairs, 1) {
			continue
		}
		receives := !t.Bidirectional && i%2 != t.Direction()
		if receives {
			if t.Replay != nil || t.Blend != nil {
				continue
			}
			t.Forward, t.Reverse = answers(t.Reverse), answers(t.Forward)
			t.Bidirectional, t.Backward = true, false
		}
		t.Flows = min(t.Flows, samples) // more would be made, and not sent
		b, err := frame.NewPortBuilder(t, i, port.MAC, port.NextHop)
		if err != nil {
			return nil, nil, err
		}
		for n := range uint64(samples) {
			f := b.Frame(nil, n, frame.Signature{Sequence: n})
			p, ok := frame.Parse(f)
			if !ok || (p.Family == weir.IPv6) != port.Tester.Is6() {
				continue // a broadcast frame, or one of the other family
			}
			if receives && !frame.TestNetwork(p.Flow.Destination) {
				continue // nobody has allowed frames to the plan's sources
			}
			if slices.Contains(words, flowWords(p)) && len(f)+frame.FCS < a.Size {
				continue
			}
			tag := append([]byte(ownMark), nonce[:]...)
			tag = append(tag, byte(i), 0, hopLimit(f))
			if len(f)+frame.FCS >= a.Size {
				tag[len(tag)-2] = 1
			}
			if !frame.Retag(f, tag) {
				continue
			}
			if probes = append(probes, f); !receives {
				words = appendNew(words, flowWords(p))
			}
		}
	}
	return probes, words, nil
}

// answers are what comes back to a stream.
func answers(s weir.Stream) weir.Stream {
	return weir.Stream{Source: s.Destination, Destination: s.Source, SourcePort: s.DestinationPort, DestinationPort: s.SourcePort}
}

// flowWords says what a frame is.
func flowWords(p frame.Parsed) string {
	return fmt.Sprintf("%s from %v port %d to %v port %d", strings.ToUpper(string(p.Protocol)), p.Flow.Source, p.Flow.SourcePort, p.Flow.Destination, p.Flow.DestinationPort)
}

// hopLimit is that of a frame.
func hopLimit(f []byte) byte {
	switch ip := gopacket.NewPacket(f, layers.LayerTypeEthernet, gopacket.Lazy).NetworkLayer().(type) {
	case *layers.IPv4:
		return ip.TTL
	case *layers.IPv6:
		return ip.HopLimit
	}
	return 0
}

// ofOwn finds a tag of ours in a frame, also where a router quotes it.
func ofOwn(data []byte, nonce [4]byte) (s sighting, ours bool) {
	i := bytes.Index(data, append([]byte(ownMark), nonce[:]...))
	at := i + len(ownMark) + len(nonce)
	if i < 0 || at+2 >= len(data) {
		return s, false
	}
	return sighting{own: true, from: int(data[at]), large: data[at+1] == 1, sent: data[at+2]}, true
}

// onlyService says what it means that datagrams to the port of a service come through, and no
// frame of the plan.
func (a Asked) onlyService(i int, all []sighting) string {
	own, other := a.Ports[i], a.Ports[i^1]
	text := fmt.Sprintf("datagrams to UDP port %d get from %s to %s, and the frames of the plan do not (%s)", discard, own.Name, other.Name, a.ownWords(i))
	to := a.ownDestination(i)
	if why := a.explain(i, true, to, all); why != "" {
		return text + why
	}
	if to != other.Tester {
		return fmt.Sprintf("%s: has the box a route to %v, and does a filter of it let such frames pass?", text, to)
	}
	return text + ": a filter of the box drops them by their ports or protocol; permit them there, or send others (source_port, destination_port, protocol)"
}

// ownWords says which frames of the plan leave from a port, the first of them by name.
func (a Asked) ownWords(i int) string {
	words := a.sent[i]
	if len(words) == 1 {
		return words[0]
	}
	return fmt.Sprintf("%s, and %d more flows", words[0], len(words)-1)
}

// ownDestination is where the first of the plan's frames from a port goes, or the tester's
// address at the other one where there are none.
func (a Asked) ownDestination(i int) netip.Addr {
	if a.sends(i) {
		words := strings.Fields(a.sent[i][0])
		if to, err := netip.ParseAddr(words[len(words)-3]); err == nil {
			return to
		}
	}
	return a.Ports[i^1].Tester
}
