package frame

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"weir"
)

// checkDecoded decodes f, verifies its checksums, and makes it anew from what
// was decoded, lengths and checksums computed by the other implementation.
func checkDecoded(t *testing.T, tr weir.Traffic, f []byte) {
	t.Helper()
	packet := gopacket.NewPacket(f, layers.LayerTypeEthernet, gopacket.DecodeOptions{})
	if e := packet.ErrorLayer(); e != nil {
		t.Fatal(e.Error())
	}

	var want []gopacket.LayerType
	want = append(want, layers.LayerTypeEthernet)
	for range tr.VLANs {
		want = append(want, layers.LayerTypeDot1Q)
	}
	if tr.Sessions > 0 {
		want = append(want, layers.LayerTypePPPoE, layers.LayerTypePPP)
	}
	want = append(want, map[weir.Family]gopacket.LayerType{weir.IPv4: layers.LayerTypeIPv4, weir.IPv6: layers.LayerTypeIPv6}[tr.Family],
		map[weir.Protocol]gopacket.LayerType{weir.UDP: layers.LayerTypeUDP, weir.TCP: layers.LayerTypeTCP}[tr.Protocol])
	var got []gopacket.LayerType
	var again []gopacket.SerializableLayer
	for i, l := range packet.Layers() {
		switch l := l.(type) {
		case *layers.Dot1Q:
			v := tr.VLANs[i-1]
			if l.VLANIdentifier != v.ID || l.Priority != v.PCP {
				t.Fatalf("tag %d: %+v, want %+v", i, l, v)
			}
		case *layers.PPPoE:
			if l.Version != 1 || l.Type != 1 || l.Code != layers.PPPoECodeSession {
				t.Fatalf("%+v", l)
			}
		case *layers.IPv4:
			if l.TTL != 64 || l.TOS != 0 || l.Id != 0 || l.Flags != 0 || l.IHL != 5 {
				t.Fatalf("%+v", l)
			}
		case *layers.IPv6:
			if l.HopLimit != 64 || l.FlowLabel != 0 || l.TrafficClass != 0 {
				t.Fatalf("%+v", l)
			}
		case *layers.UDP:
			if l.Checksum == 0 {
				t.Fatal("the UDP checksum is missing")
			}
			if err := l.SetNetworkLayerForChecksum(packet.NetworkLayer()); err != nil {
				t.Fatal(err)
			}
		case *layers.TCP:
			if l.Seq != 0 || l.Ack != 0 || !l.ACK || l.SYN || l.PSH || l.Window != 65535 || len(l.Options) > 0 {
				t.Fatalf("%+v", l)
			}
			if err := l.SetNetworkLayerForChecksum(packet.NetworkLayer()); err != nil {
				t.Fatal(err)
			}
		}
		if len(got) < len(want) {
			got = append(got, l.LayerType())
			again = append(again, l.(gopacket.SerializableLayer))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("layers (-want +got):\n%s", diff)
	}
	err, mismatches := packet.VerifyChecksums()
	if err != nil || len(mismatches) > 0 {
		t.Fatalf("checksums: %v %+v", err, mismatches)
	}
	again = append(again, gopacket.Payload(packet.TransportLayer().LayerPayload()))
	buffer := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(buffer, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, again...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(buffer.Bytes(), f); diff != "" {
		t.Fatalf("made anew (-want +got):\n%s", diff)
	}
}
