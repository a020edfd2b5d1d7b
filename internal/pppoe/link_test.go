package pppoe

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestPackets gives the client's end of an established session packets, and
// looks at what it answers, what happens, and where the link stands then.
func TestPackets(t *testing.T) {
	const up, terminate = "9 9 9 in 3", "5 1 1 in 4" // LCP, IPCP, IPv6CP; the phase
	for _, c := range []struct{ name, packet, answer, events, state string }{
		{"a code that is unknown", "c0210c07000401020304", "c0210700" + "0008" + "0c070004", "", up},
		{"an NCP's code that LCP alone has", "80210907000c0000000001020304", "80210700" + "0010" + "0907000c0000000001020304", "", up},
		{"a protocol that is unknown", "802b0101000400", "c0210800" + "000b" + "802b0101000400", "", up},
		{"Echo-Request", "c0210907000aMAGIC4142", "c0210a07000aOURS4142", "", up},
		{"Discard-Request", "c0210b070008MAGIC", "", "", up},
		{"Echo-Reply of another request", "c0210a070008MAGIC", "", "", up},
		{"an Echo-Request of this end's", "c02109070008OURS", "c02105000004", "2:0021 2:0057", "4 1 1 in 4"},
		{"an Echo-Request without a magic number", "c021090700060000", "", "", up},
		{"padding", "c0210907000aMAGIC4142000000", "c0210a07000aOURS4142", "", up},
		{"a length beyond the end", "c02109070009MAGIC", "", "", up},
		{"Terminate-Request of LCP", "c02105070004", "c02106070004", "2:0021 2:0057", terminate},
		{"Terminate-Request of IPCP", "802105070004", "802106070004", "2:0021", "9 5 9 in 3"},
		{"Terminate-Ack of IPCP", "802106070004", "80210100", "2:0021", "9 6 9 in 3"},
		{"Protocol-Reject of IPv6CP", "c021080700068057", "", "2:0057", "9 9 1 in 3"},
		{"Protocol-Reject of LCP", "c02108070006c021", "c02105000004", "2:0021 2:0057", terminate},
		{"Protocol-Reject of PAP", "c02108070006c023", "", "", up},
		{"Protocol-Reject that is cut", "c02108070005c0", "", "", up},
		{"Code-Reject of Configure-Request", "c0210707000801010004", "c02105000004", "2:0021 2:0057", terminate},
		{"Code-Reject of Echo-Request", "c0210707000809010004", "", "", up},
		{"Code-Reject that is cut", "c02107070006ffff", "", "", up},
		{"Configure-Request of LCP", "c02101070004", "c0210100000e010405d40506;c02102070004", "2:0021 2:0057", "8 1 1 in 1"},
		{"an Ack again", "IPCPACK", "", "", up},
		{"an option twice", "80210107001003060a00000103060a000001", "80210100;80210407000a03060a000001", "2:0021", "9 6 9 in 3"},
		{"an option that does not end", "8021010700060308", "", "", up},
		{"a Nak to what was answered", "80210301000a03060a000009", "", "", up},
		{"a Challenge again", "c2230109000701aa78", "c2230209001810", "", up},
		{"a Challenge without a value", "c22301090005" + "00", "", "", up},
		{"IPv4", "002145", "", "", up},
		{"half a protocol field", "c0", "", "", up},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
			w.start()
			w.run(time.Second)
			w.mustBeUp()
			l := w.client.Link()
			magic := l.lcp.wish(optionMagic)
			named := strings.NewReplacer("MAGIC", hex.EncodeToString(magic.peer), "OURS", hex.EncodeToString(magic.own),
				"IPCPACK", fmt.Sprintf("8021%x", control{configureAck, l.ipcp.id, l.ipcp.asked}.append(nil)))
			packet, err := hex.DecodeString(named.Replace(c.packet))
			if err != nil {
				t.Fatal(err)
			}
			out := l.Receive(packet, w.now)
			answers := strings.FieldsFunc(named.Replace(c.answer), func(r rune) bool { return r == ';' })
			if len(answers) != len(out.Packets) {
				t.Fatalf("answers %x, want %s", out.Packets, answers)
			}
			for i, want := range answers { // identifiers of its own are 00 here, and not told are values of chance
				got := fmt.Sprintf("%x", out.Packets[i])
				if want[6:8] == "00" {
					got = got[:6] + "00" + got[8:]
				}
				if !strings.HasPrefix(got, want) {
					t.Errorf("answers %s, want %s", got, want)
				}
			}
			var events []string
			for _, e := range out.Events {
				events = append(events, fmt.Sprintf("%d:%04x", e.Kind, uint16(e.Protocol)))
			}
			state := fmt.Sprintf("%d %d %d in %d", l.lcp.state, l.ipcp.state, l.ipv6cp.state, l.phase)
			if got := strings.Join(events, " "); got != c.events || state != c.state {
				t.Errorf("%q and %s, want %q and %s; %+v", got, state, c.events, c.state, *l.counts)
			}
			if out := l.Advance(l.Next()); c.name == "Code-Reject of Echo-Request" && len(out.Packets) > 0 {
				t.Errorf("sends echoes on: %x", out.Packets)
			}
			if c.name == "IPv4" && (out.Datagram.Protocol != IPv4 || string(out.Datagram.Octets) != "E") {
				t.Errorf("brings %+v", out.Datagram)
			}
		})
	}
}

// TestConcentratorCloses ends all sessions from the concentrator's side, one of
// which does not answer.
func TestConcentratorCloses(t *testing.T) {
	for _, dead := range []bool{false, true} {
		w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
		w.start()
		w.run(time.Second)
		w.mustBeUp()
		w.dead = dead
		w.does(1, w.ac.Close("maintenance", w.now))
		w.run(time.Second)
		if left := w.ac.Sessions(); (left > 0) != dead {
			t.Errorf("dead %v: %d sessions after a second", dead, left)
		}
		w.run(6 * time.Second) // Max-Terminate times the Restart timer
		if w.ac.Sessions() > 0 || w.ended(1) != "maintenance" || !dead && w.ended(0) == "" {
			t.Errorf("dead %v: %d sessions, %q %q", dead, w.ac.Sessions(), w.ended(0), w.ended(1))
		}
	}
}
