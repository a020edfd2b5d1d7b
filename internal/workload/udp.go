package workload

import (
	"context"

	"weir"
	"weir/internal/endhost"
)

// udp is a stream test of weir's own. Its datagrams are those of the whole test:
// what was sent is what was received and what was lost.
var udp = program{
	name:    "udp",
	summary: "streams of UDP, by weir's own program, which numbers all datagrams",
	usual:   weir.Destination,
	either:  true,
	begin:   func(ctx context.Context, j *job) (*session, error) { return j.streamed(ctx, weir.UDP) },
}

// countsOf are the figures of a test of UDP.
func countsOf(d endhost.Datagrams) []weir.Figure {
	out := append(datagrams(float64(d.Sent), float64(d.Received), float64(d.Lost)),
		weir.Figure{Name: weir.DatagramsDropped, Value: float64(d.Dropped), Unit: "datagrams"},
		weir.Figure{Name: "payload of a datagram", Value: float64(d.Payload), Unit: "octets"})
	if d.Jitter > 0 {
		out = append(out, weir.Figure{Name: "jitter", Value: d.Jitter, Unit: "s"})
	}
	for _, f := range []weir.Figure{
		{Name: "datagrams received late", Value: float64(d.Late), Unit: "datagrams"},
		{Name: "datagrams received twice", Value: float64(d.Duplicate), Unit: "datagrams"},
		{Name: "datagrams refused by the sending port's queue", Value: float64(d.Refused), Unit: "datagrams"},
	} {
		if f.Value > 0 {
			out = append(out, f)
		}
	}
	return out
}
