package frame

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"weir"
)

// captured are frames as a capture has them, with the fixed parts of others.
func captured(t testing.TB, all ...gopacket.SerializableLayer) []byte {
	t.Helper()
	var network gopacket.NetworkLayer
	for _, l := range all {
		if n, ok := l.(gopacket.NetworkLayer); ok {
			network = n
		}
		if c, ok := l.(interface {
			SetNetworkLayerForChecksum(gopacket.NetworkLayer) error
		}); ok {
			if err := c.SetNetworkLayerForChecksum(network); err != nil {
				t.Fatal(err)
			}
		}
	}
	b := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, all...); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(b.Bytes())
}

func ethernet(t layers.EthernetType) *layers.Ethernet {
	return &layers.Ethernet{SrcMAC: net.HardwareAddr{6, 5, 4, 3, 2, 1}, DstMAC: net.HardwareAddr{6, 0, 0, 0, 0, 9}, EthernetType: t}
}

func ip4(p layers.IPProtocol) *layers.IPv4 {
	return &layers.IPv4{Version: 4, TTL: 9, TOS: 0x28, Id: 77, Protocol: p, SrcIP: net.IP{198, 18, 0, 7}, DstIP: net.IP{198, 19, 0, 8}}
}

func ip6(next layers.IPProtocol) *layers.IPv6 {
	return &layers.IPv6{Version: 6, HopLimit: 9, FlowLabel: 99, NextHeader: next, SrcIP: net.ParseIP("2001:2:0:1::7"), DstIP: net.ParseIP("2001:2:0:2::8")}
}

var (
	datagram = &layers.UDP{SrcPort: 4000, DstPort: 40000}
	segment  = &layers.TCP{SrcPort: 4000, DstPort: 40001, Seq: 0x12345678, Ack: 9, ACK: true, PSH: true, Window: 512,
		Options: []layers.TCPOption{{OptionType: 1}, {OptionType: 1}, {OptionType: 8, OptionLength: 10, OptionData: make([]byte, 8)}}}
)

// text is a payload of n octets.
func text(n int) gopacket.Payload { return bytes.Repeat([]byte("payload."), n/8+1)[:n] }

// sendable are captured frames that can be sent.
func sendable(t testing.TB) [][]byte {
	options := ip4(layers.IPProtocolUDP)
	options.Options = []layers.IPv4Option{{OptionType: 1}, {OptionType: 1}, {OptionType: 1}, {OptionType: 0}}
	long := ip6(layers.IPProtocolIPv6HopByHop)
	tlv := &layers.IPv6HopByHop{}
	tlv.NextHeader = layers.IPProtocolUDP
	tlv.Options = []*layers.IPv6HopByHopOption{{OptionType: 1, OptionData: make([]byte, 4)}}
	return [][]byte{
		captured(t, ethernet(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), datagram, text(100)),
		captured(t, ethernet(layers.EthernetTypeIPv4), ip4(layers.IPProtocolTCP), segment, text(1400)),
		captured(t, ethernet(layers.EthernetTypeIPv6), ip6(layers.IPProtocolTCP), segment, text(19)),
		captured(t, ethernet(layers.EthernetTypeDot1Q), &layers.Dot1Q{VLANIdentifier: 7, Type: layers.EthernetTypeIPv4}, ip4(layers.IPProtocolUDP), datagram, text(12)),
		captured(t, ethernet(layers.EthernetTypeIPv4), options, datagram, text(33)),
		captured(t, ethernet(layers.EthernetTypeIPv6), long, tlv, datagram, text(64)),
		append(captured(t, ethernet(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), datagram, text(13)), 1, 2, 3, 4, 5), // padded by whoever sent it
	}
}

// record writes frames to a capture file.
func record(t testing.TB, format string, link layers.LinkType, frames ...[]byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "some."+format)
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var write func(gopacket.CaptureInfo, []byte) error
	if format == "pcapng" {
		w, err := pcapgo.NewNgWriter(f, link)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Flush()
		write = w.WritePacket
	} else {
		w := pcapgo.NewWriter(f)
		if err := w.WriteFileHeader(65536, link); err != nil {
			t.Fatal(err)
		}
		write = w.WritePacket
	}
	for _, b := range frames {
		if err := write(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(b), Length: len(b)}, b); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// What is replayed is what was captured but for Ethernet addresses, signature
// and checksums, which are right.
func TestReplay(t *testing.T) {
	frames := sendable(t)
	for _, format := range []string{"pcap", "pcapng"} {
		file := record(t, format, layers.LinkTypeEthernet, frames...)
		c, err := ReadCapture(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if diff := cmp.Diff(&weir.Replay{File: file, SHA256: hex.EncodeToString(sum[:]), Frames: len(frames), Flows: 4}, c.Replay()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := c.Destinations(); len(got) != 2 || got[0].String() != "198.19.0.8" || got[1].String() != "2001:2:0:2::8" {
			t.Errorf("destinations %v", got)
		}
		tr := weir.Traffic{Sizes: c.Sizes(), Replay: c.Replay(), Bidirectional: true}
		for port := range 2 {
			b := portBuilder(t, tr, port)
			for i := range uint64(2 * len(frames)) {
				was := frames[i%uint64(len(frames))]
				checkReplayed(t, was, b.Frame(nil, i, Signature{Trial: 1, Stream: 2, Sequence: i, Time: 3}), i)
			}
		}
	}
}

func checkReplayed(t *testing.T, was, got []byte, i uint64) {
	t.Helper()
	want := slices.Concat(was, make([]byte, max(0, 60-len(was))))
	p := mustParse(t, got)
	if p.Signature.Sequence != i || !slices.Equal(got[:6], there) || !slices.Equal(got[6:12], here) {
		t.Errorf("frame %d: %+v in %x", i, p, got[:14])
	}
	packet := gopacket.NewPacket(got, layers.LayerTypeEthernet, gopacket.DecodeOptions{})
	if packet.ErrorLayer() != nil || packet.TransportLayer() == nil {
		t.Fatalf("frame %d: %v", i, packet)
	}
	l4 := p.Payload - len(packet.TransportLayer().LayerContents())
	checksum := udpChecksum
	if p.Protocol == weir.TCP {
		checksum = tcpChecksum
	}
	// What may differ is taken over; all else is as it was.
	copy(want, got[:12])
	copy(want[l4+checksum:], got[l4+checksum:][:2])
	copy(want[p.Payload:], got[p.Payload:][:signatureSize(p.Short)])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("frame %d (-want +got):\n%s", i, diff)
	}
}

// Each reason for leaving a frame out, counted.
func TestReadCaptureLeavesOut(t *testing.T) {
	udp4 := func(change func(*layers.IPv4)) []byte {
		ip := ip4(layers.IPProtocolUDP)
		change(ip)
		return captured(t, ethernet(layers.EthernetTypeIPv4), ip, datagram, text(30))
	}
	good := udp4(func(*layers.IPv4) {})
	wrongLength := slices.Clone(good)
	binary.BigEndian.PutUint16(wrongLength[38:], 20)
	fragment6 := captured(t, ethernet(layers.EthernetTypeIPv6), ip6(layers.IPProtocolIPv6Fragment), text(40))
	file := record(t, "pcap", layers.LinkTypeEthernet,
		captured(t, ethernet(layers.EthernetTypeARP), text(46)), []byte{1, 2, 3},
		udp4(func(ip *layers.IPv4) { ip.Flags = layers.IPv4MoreFragments }), udp4(func(ip *layers.IPv4) { ip.FragOffset = 9 }), fragment6,
		captured(t, ethernet(layers.EthernetTypeIPv4), ip4(layers.IPProtocolICMPv4), text(64)),
		captured(t, ethernet(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), datagram, text(11)),
		captured(t, ethernet(layers.EthernetTypeIPv4), ip4(layers.IPProtocolTCP), segment, text(0)),
		captured(t, ethernet(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), datagram, text(int(MaxReplaySize)-45)),
		udp4(func(ip *layers.IPv4) { ip.TTL = 1 }),
		udp4(func(ip *layers.IPv4) { ip.DstIP = net.IP{224, 0, 0, 5} }), udp4(func(ip *layers.IPv4) { ip.DstIP = net.IPv4bcast.To4() }),
		udp4(func(ip *layers.IPv4) { ip.SrcIP = net.IP{0, 0, 0, 0} }), udp4(func(ip *layers.IPv4) { ip.SrcIP = net.IP{127, 0, 0, 1} }), udp4(func(ip *layers.IPv4) { ip.SrcIP = net.IP{169, 254, 0, 1} }),
		wrongLength, good[:50],
		good,
	)
	c, err := ReadCapture(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []weir.Unsent{
		{Reason: "at the end of their hop limit", Frames: 1}, {Reason: "fragments", Frames: 3}, {Reason: "from an address that no router forwards", Frames: 3}, {Reason: "larger than 3400 octets", Frames: 1}, {Reason: "malformed", Frames: 2},
		{Reason: "neither UDP nor TCP", Frames: 1}, {Reason: "not IP", Frames: 2}, {Reason: "to no single node", Frames: 2}, {Reason: "without room for a signature", Frames: 2},
	}
	replay := c.Replay()
	if diff := cmp.Diff(want, replay.Reasons); diff != "" || replay.Frames != 1 || replay.Left != 17 {
		t.Errorf("%d frames (-want +got):\n%s", c.Frames(), diff)
	}
}

func TestReadCaptureOfMany(t *testing.T) {
	frames := slices.Repeat([][]byte{sendable(t)[0]}, MaxReplayFrames+3)
	c, err := ReadCapture(record(t, "pcap", layers.LinkTypeEthernet, frames...))
	if err != nil {
		t.Fatal(err)
	}
	if why := c.Replay().WhyLeft(); c.Frames() != MaxReplayFrames || why != "3 after the first 4096" {
		t.Errorf("%d frames; left out are %s", c.Frames(), why)
	}
}

// Each interface of a pcapng has its own link type and snap length, and each section its own interfaces.
func TestReadCaptureOfSeveralInterfaces(t *testing.T) {
	good := sendable(t)[0]
	raw := good[14:]
	var section [2]bytes.Buffer
	for i, links := range [][]layers.LinkType{
		{layers.LinkTypeRaw, layers.LinkTypeEthernet, layers.LinkTypeLinuxSLL2},
		{layers.LinkTypeEthernet, 275},
	} {
		w, err := pcapgo.NewNgWriter(&section[i], links[0])
		if err != nil {
			t.Fatal(err)
		}
		for at, l := range links {
			if at > 0 {
				if _, err := w.AddInterface(pcapgo.NgInterface{LinkType: l, SnapLength: 60}); err != nil {
					t.Fatal(err)
				}
			}
			b := good
			if l != layers.LinkTypeEthernet {
				b = raw
			}
			for n := range at + 1 {
				length := len(b) + n // the first whole, all others cut
				if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(b), Length: length, InterfaceIndex: at}, b); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "several.pcapng")
	if err := os.WriteFile(file, slices.Concat(section[0].Bytes(), section[1].Bytes()), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := ReadCapture(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = "1 cut short when they were captured, 2 not taken from an Ethernet but from a link type that weir does not know, " +
		"3 not taken from an Ethernet but from all ports at once (tcpdump -i any), 1 not taken from an Ethernet but from raw IP"
	if got := c.Replay(); got.Frames != 2 || got.Left != 7 || got.WhyLeft() != want {
		t.Errorf("%d frames, %d left: %s", got.Frames, got.Left, got.WhyLeft())
	}
}

func TestReadCaptureRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	good, err := os.ReadFile(record(t, "pcap", layers.LinkTypeEthernet, sendable(t)...))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, file, want string }{
		{"no such file", filepath.Join(dir, "none"), "no such file or directory"},
		{"a folder", dir, "is a folder and no file"},
		{"empty", write("empty", nil), "is no capture: it is empty"},
		{"text", write("text", bytes.Repeat([]byte("nothing"), 9)), "is neither pcap nor pcapng"},
		{"cut", write("cut", good[:len(good)-9]), "breaks off in frame 7"},
		{"another link", record(t, "pcap", layers.LinkTypeRaw, sendable(t)...), "has no frame that can be sent: 7 not taken from an Ethernet but from raw IP"},
		{"another link in both", record(t, "pcapng", layers.LinkTypeNull, sendable(t)[:2]...), "has no frame that can be sent: 2 not taken from an Ethernet but from the loopback of a BSD"},
		{"nothing in it", record(t, "pcapng", layers.LinkTypeEthernet), "has no frame that can be sent: there are none"},
		{"nothing of use", record(t, "pcapng", layers.LinkTypeEthernet, make([]byte, 60)), "has no frame that can be sent: 1 not IP"},
	} {
		if _, err := ReadCapture(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// A capture that is not what it was is not sent.
func TestReplayOfAChangedCapture(t *testing.T) {
	file := record(t, "pcap", layers.LinkTypeEthernet, sendable(t)...)
	c, err := ReadCapture(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-6]++
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	tr := weir.Traffic{Sizes: c.Sizes(), Replay: c.Replay()}
	if _, err := NewPortBuilder(tr, 0, here, there); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("error %v, want that it has changed", err)
	}
}

// Whatever a captured frame holds, one that can be sent is a test frame.
func FuzzCapturedKind(f *testing.F) {
	for _, b := range sendable(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		k, reason := capturedKind(slices.Clone(b))
		if reason != "" {
			return
		}
		sent := slices.Clone(k.Octets)
		k.finish(sent, 0, Signature{Sequence: 5})
		if p := mustParse(t, sent); p.Signature.Sequence != 5 {
			t.Errorf("%+v", p)
		}
	})
}

// Addresses of IPv4 that no node has are told from those of one.
func TestUnicast(t *testing.T) {
	for address, want := range map[string]bool{"0.1.2.3": false, "240.0.0.1": false, "255.255.255.255": false, "224.0.0.5": false, "1.0.0.1": true, "198.18.0.2": true, "2001:db8::1": true} {
		ip := ip4(layers.IPProtocolUDP)
		if a := netip.MustParseAddr(address); a.Is4() {
			ip.DstIP = a.AsSlice()
			if _, reason := capturedKind(captured(t, ethernet(layers.EthernetTypeIPv4), ip, datagram, text(30))); (reason == "") != want {
				t.Errorf("a frame to %s: %q", address, reason)
			}
		}
		if got := unicast(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// However many reasons a capture has, the sentence has few, and link types without a name are one.
func TestManyReasons(t *testing.T) {
	c := &Capture{}
	for n := range 300 {
		c.add(packet{link: layers.LinkType(30_000 + n)})
	}
	if len(c.Left) != 1 || c.Left[0].Frames != 300 {
		t.Errorf("300 link types are %d reasons", len(c.Left))
	}
	r := weir.Replay{}
	for _, reason := range strings.Split("abcdefghijkl", "") {
		r.Reasons = append(r.Reasons, weir.Unsent{Reason: reason, Frames: 2})
	}
	if got := r.WhyLeft(); !strings.HasSuffix(got, "2 h, and 8 others") {
		t.Errorf("%q", got)
	}
}
