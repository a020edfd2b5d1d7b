package agent

import (
	"encoding/hex"
	"testing"
)

func TestEcho(t *testing.T) {
	request, err := echoRequest(0x1234)
	if err != nil {
		t.Fatal(err)
	}
	var sum uint32
	for i := 0; i < len(request); i += 2 {
		sum += uint32(request[i])<<8 | uint32(request[i+1])
	}
	if sum = sum>>16 + sum&0xffff; sum != 0xffff { // RFC 1071: that of a whole message
		t.Errorf("%s has the checksum %#x", hex.EncodeToString(request), sum)
	}
	packet := append(make([]byte, 24), request...)
	packet[0] = 0x46 // a header with an option
	if _, ours := echoReply(packet); ours {
		t.Error("a request was taken for a reply")
	}
	packet[24] = 0 // RFC 792
	if sequence, ours := echoReply(packet); !ours || sequence != 0x1234 {
		t.Errorf("%#x, %v", sequence, ours)
	}
	packet[28]++ // of another process
	if _, ours := echoReply(packet); ours {
		t.Error("a reply to another process was taken")
	}
	for n := range packet {
		if _, ours := echoReply(packet[:n]); ours {
			t.Errorf("%d octets were taken for a reply", n)
		}
	}
}
