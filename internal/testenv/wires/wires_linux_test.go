package wires

import "testing"

func TestOfWeir(t *testing.T) {
	ip4 := append(make([]byte, 12), 8, 0)
	ip4 = append(ip4, make([]byte, 20)...)
	for at, want := range map[int]string{0: "", 26: "a packet of 198.18.0.2", 30: "a packet of 198.18.0.2"} {
		b := append([]byte(nil), ip4...)
		if at > 0 {
			copy(b[at:], []byte{198, 18, 0, 2})
		}
		if got := ofWeir(b); got != want {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
	if got := ofWeir(append([]byte{2, 0x77, 0x65, 0xaa, 0, 1}, make([]byte, 20)...)); got != "a frame of 02:77:65:aa:00:01" {
		t.Error(got)
	}
}
