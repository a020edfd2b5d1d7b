package method

import (
	"weir"
	"weir/internal/claim"
)

// figures are what is known of a path.
func (p *path6349) figures() (out []weir.Figure) {
	if p.mtu == 0 {
		return nil
	}
	out = []weir.Figure{
		{Name: claim.PathMTU, Value: float64(p.mtu), Unit: "octets"},
		{Name: claim.BaselineRTT, Value: p.base, Unit: "s"},
	}
	if p.lookups > 0 {
		out = append(out, weir.Figure{Name: claim.StreamLoss, Value: p.loss})
	}
	if p.jitter >= 0 {
		out = append(out, weir.Figure{Name: claim.PathJitter, Value: p.jitter, Unit: "s"})
	}
	if p.bandwidth > 0 {
		out = append(out,
			weir.Figure{Name: claim.Bottleneck, Value: p.bandwidth, Unit: "bit/s"},
			weir.Figure{Name: claim.DelayProduct, Value: p.base * p.bandwidth / 8, Unit: "octets"},
			weir.Figure{Name: claim.IdealThroughput, Value: p.achievable(), Unit: "bit/s"},
		)
	}
	return out
}

// achievable is the most that TCP can carry in one direction (RFC 6349 section
// 4.1.1). The text has headers without options; where TCP stamps its segments,
// the best transfer time ratio is 1.008 at an MTU of 1500.
func (p *path6349) achievable() float64 { return claim.AchievableTCP(p.bandwidth, p.mtu, p.family) }

// metrics are those of RFC 6349 section 4 of a test of TCP. One that nobody
// knows is left out.
func (p *path6349) metrics(t weir.TrialResult) (out []weir.Figure) {
	found := t.Transferred
	ideal := p.achievable() * float64(t.Trial.Traffic.Ports())
	if goodput := found.Goodput(); goodput > 0 && !claim.Beyond(goodput, ideal) {
		out = append(out, weir.Figure{Name: claim.TransferRatio, Value: ideal / goodput}) // the same octets take the inverse of the rates
	}
	known := found.Segment > 0 || found.Retransmitted > 0 // or else nobody says what was sent again
	segment := found.Segment
	if segment == 0 {
		const tcpHeader = 20
		segment = p.mtu - claim.IPHeader(p.family) - tcpHeader
	}
	if again := float64(found.Retransmitted) * float64(segment); known && found.Octets > 0 {
		out = append(out, weir.Figure{Name: claim.Efficiency, Value: float64(found.Octets) / (float64(found.Octets) + again)})
	}
	if found.RTT.N > 0 && p.base > 0 {
		average := found.RTT.Mean()
		out = append(out,
			weir.Figure{Name: claim.AverageRTT, Value: average, Unit: "s"},
			weir.Figure{Name: claim.BufferDelay, Value: (average - p.base) / p.base},
		)
	}
	return out
}
