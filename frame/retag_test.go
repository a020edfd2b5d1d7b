package frame

import (
	"bytes"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"weir"
)

// A frame with a tag is what it was but for the tag, and no test frame any more.
func TestRetag(t *testing.T) {
	tag := []byte("Who? 123456!")
	capture, err := ReadCapture(record(t, "pcap", layers.LinkTypeEthernet, sendable(t)...))
	if err != nil {
		t.Fatal(err)
	}
	for name, tr := range map[string]weir.Traffic{
		"udp":       traffic(weir.IPv4, weir.UDP, 0, 64, 1518),
		"tcp":       traffic(weir.IPv4, weir.TCP, 0, 128),
		"two tags":  traffic(weir.IPv4, weir.UDP, 2, 66),
		"ipv6":      traffic(weir.IPv6, weir.UDP, 0, 84),
		"ipv6, tcp": traffic(weir.IPv6, weir.TCP, 1, 128),
		"a blend":   blended(traffic(weir.IPv4, weir.UDP, 0, 128), 0.5),
		"a capture": {Sizes: capture.Sizes(), Replay: capture.Replay()},
	} {
		b := portBuilder(t, tr, 0)
		for i := range uint64(8) {
			f := b.Frame(nil, i, Signature{Trial: 1, Sequence: i})
			was := bytes.Clone(f)
			p := mustParse(t, f)
			if !Retag(f, tag) {
				t.Fatalf("%s: frame %d is not taken", name, i)
			}
			if _, isTest := Parse(f); isTest || !bytes.Equal(f[p.Payload:][:len(tag)], tag) {
				t.Errorf("%s: frame %d has no tag in place of its signature", name, i)
			}
			if !bytes.Equal(f[:34], was[:34]) || !bytes.Equal(f[p.Payload+len(tag):], was[p.Payload+len(tag):]) {
				t.Errorf("%s: frame %d has other addresses or another payload", name, i)
			}
			if packet := gopacket.NewPacket(f, layers.LayerTypeEthernet, gopacket.Default); !checksumHolds(packet) {
				t.Errorf("%s: the checksum of frame %d is wrong", name, i)
			}
		}
	}
	if Retag([]byte("no frame"), tag) {
		t.Error("what is no frame is taken")
	}
}

// checksumHolds reports whether a packet's L4 checksum is that of its octets.
func checksumHolds(p gopacket.Packet) bool {
	l4, ok := p.TransportLayer().(interface {
		SetNetworkLayerForChecksum(gopacket.NetworkLayer) error
		gopacket.LayerWithChecksum
	})
	if !ok || l4.SetNetworkLayerForChecksum(p.NetworkLayer()) != nil {
		return false
	}
	err, result := l4.VerifyChecksum()
	return err == nil && result.Valid
}
