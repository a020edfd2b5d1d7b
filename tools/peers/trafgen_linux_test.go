package main

import "testing"

func TestTrafgenFrame(t *testing.T) {
	got := trafgenFrame([]byte{2, 0, 0, 0, 0, 1}, []byte{2, 0, 0, 0, 0, 0xab})
	const want = "{ 0x02, 0x00, 0x00, 0x00, 0x00, 0xab, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, c16(0x0800), " +
		"0x45, 0, c16(46), c16(0), c16(0), 64, 17, csumip(14, 33), 198, 18, 0, 2, 198, 19, 0, 2, " +
		"c16(1024), c16(9), c16(26), csumudp(14, 34), fill(0, 18) }"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
