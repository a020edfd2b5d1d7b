package pppoe

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// TestFraming has another decoder find the same headers in all frames of a session.
func TestFraming(t *testing.T) {
	w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
	w.start()
	w.run(time.Minute)
	w.mustBeUp()
	w.does(0, w.client.Close("", w.now))
	w.run(10 * time.Second)
	codes := make(map[Code]int)
	for _, b := range w.sent {
		f, err := DecodeFrame(b)
		if err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		codes[f.Code]++
		p := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)
		ether, _ := p.Layer(layers.LayerTypeEthernet).(*layers.Ethernet)
		header, _ := p.Layer(layers.LayerTypePPPoE).(*layers.PPPoE)
		if ether == nil || header == nil || ether.SrcMAC.String() != f.Src.String() || ether.DstMAC.String() != f.Dst.String() ||
			header.Code != layers.PPPoECode(f.Code) || header.SessionId != f.ID || header.Version != 1 || header.Type != 1 || int(header.Length) != len(f.Payload) {
			t.Errorf("%x is %+v here, and elsewhere %+v %+v", b, f, ether, header)
		}
		if ppp, ok := p.Layer(layers.LayerTypePPP).(*layers.PPP); ok != (f.Code == Session) || ok && uint16(ppp.PPPType) != binary.BigEndian.Uint16(f.Payload) {
			t.Errorf("%x is another PPP frame elsewhere: %v", b, ppp)
		}
	}
	for _, c := range []Code{PADI, PADO, PADR, PADS, PADT, Session} {
		if codes[c] == 0 {
			t.Errorf("no frame of code %#x was sent", c)
		}
	}
}

// TestPADI is the example of RFC 2516 appendix B.
func TestPADI(t *testing.T) {
	s := session{own: MAC{0, 1, 2, 3, 4, 5}, peer: broadcast}
	want := "ffffffffffff00010203040588631109000000040101" + "0000"
	if got := fmt.Sprintf("%x", s.frame(PADI, Tags{{ServiceName, nil}}.Append(nil))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
