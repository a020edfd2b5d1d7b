package method

import (
	"strings"
	"testing"
	"time"

	"weir"
)

func TestClaims(t *testing.T) {
	rfc := Env{
		Traffic: weir.Traffic{Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP},
		Waits:   weir.Waits{Learning: 2 * time.Second, Residual: 2 * time.Second, Settle: 5 * time.Second},
	}
	changed := func(change func(*Env)) Env { e := rfc; change(&e); return e }
	minute := Params{Trial: time.Minute}
	stream := Params{Trial: 2 * time.Minute, Load: 1}
	tests := []struct {
		claim  weir.Claim
		name   string
		missed []string // a part of each
	}{
		{claimThroughput(minute, rfc, ""), "RFC 2544 throughput", nil},
		{claimThroughput(minute, rfc, limitMedium), "RFC 2544 throughput", nil},
		{claimThroughput(minute, rfc, limitTester), "throughput, at least", []string{"section 26.1"}},
		{claimThroughput(Params{Trial: time.Second}, rfc, ""), "throughput, short trials", []string{"section 24: the final determination SHOULD"}},
		{claimThroughput(Params{Trial: time.Second, Exceed: .5}, rfc, ""), "throughput, short trials, exceed ratio 50 %", []string{"section 24", "50 %"}},
		{claimThroughput(Params{Trial: time.Minute, Exceed: .2}, rfc, ""), "throughput, exceed ratio 20 %", []string{"20 %"}},
		{claimThroughput(Params{Trial: time.Minute, Loss: .005}, rfc, ""), "rate at 0.5 % loss", []string{"this goal allows 0.5 %"}},
		{claimThroughput(Params{Trial: time.Second, Loss: .07, Exceed: .5}, rfc, ""), "rate at 7 % loss, exceed ratio 50 %", []string{"allows 7 %", "section 24", "50 %"}},
		{claimThroughput(minute, changed(func(e *Env) { e.Waits = weir.Waits{Residual: time.Second} }), ""), "throughput, short waits",
			[]string{"2s after the learning frames; the wait was 0s", "2s for residual frames; the wait was 1s", "5s for the DUT"}},
		{claimThroughput(minute, changed(func(e *Env) { e.Traffic.Family = weir.IPv6 }), ""), "throughput, other test frames", []string{"udp over ipv6"}},
		{claimThroughput(minute, changed(func(e *Env) { e.Traffic.VLANs = []weir.VLAN{{}} }), ""), "throughput, other test frames", []string{"VLAN"}},
		{claimThroughput(minute, changed(func(e *Env) { e.Traffic.Sizes = []weir.Size{65} }), ""), "throughput, other test frames", []string{"section 9.1"}},
		{claimThroughput(minute, changed(func(e *Env) { e.Traffic.Sizes = []weir.Size{64, 570} }), ""), "throughput, other test frames", []string{"a mix"}},
		{claimFRMOL(), "FRMOL", []string{"only the maximum load"}},
		{claimLatency(stream, rfc, 20), "latency", []string{"average of one tagged frame", "RFC 1242 section 3.8"}},
		{claimLatency(Params{Trial: time.Second, Load: .5}, rfc, 1), "latency, short stream",
			[]string{"SHOULD be at least 120 s", "50 %", "MUST be repeated at least 20 times", "average", "RFC 1242"}},
	}
	for _, tt := range tests {
		if tt.claim.Name != tt.name {
			t.Errorf("claim %q, want %q", tt.claim.Name, tt.name)
		}
		if len(tt.claim.Missed) != len(tt.missed) {
			t.Errorf("%s misses %q, want %d things", tt.name, tt.claim.Missed, len(tt.missed))
			continue
		}
		for i, part := range tt.missed {
			if !strings.Contains(tt.claim.Missed[i], part) {
				t.Errorf("%s misses %q, want %q", tt.name, tt.claim.Missed[i], part)
			}
		}
	}
}
