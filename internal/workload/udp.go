package workload

import (
	"context"
	"fmt"

	"weir"
	"weir/internal/endhost"
)

// udp is a stream test of weir's own. Its datagrams are those of the whole test:
// what was sent is what was received and what was lost.
var udp = program{
	Info:  Info{Name: "udp", Summary: "streams of UDP, by weir's own program, which numbers all datagrams"},
	begin: func(ctx context.Context, j *job) (*session, error) { return j.streamed(ctx, weir.UDP) },
}

// countsOf are the figures of a test of UDP.
func countsOf(s endhost.Sent, r endhost.Received) ([]weir.Figure, error) {
	if r.Datagrams > s.Datagrams {
		return nil, fmt.Errorf("%d datagrams were received of %d that were sent: something on the path makes its own", r.Datagrams, s.Datagrams)
	}
	out := append(datagrams(float64(s.Datagrams), float64(r.Datagrams), float64(s.Datagrams-r.Datagrams)),
		weir.Figure{Name: "payload of a datagram", Value: float64(s.Payload), Unit: "octets"})
	if !r.Untold {
		out = append(out, weir.Figure{Name: weir.DatagramsDropped, Value: float64(r.Dropped), Unit: "datagrams"})
	}
	if r.Jitter > 0 {
		out = append(out, weir.Figure{Name: weir.Jitter, Value: r.Jitter, Unit: "s"})
	}
	for _, f := range []weir.Figure{
		{Name: "datagrams received late", Value: float64(r.Late), Unit: "datagrams"},
		{Name: "datagrams received twice", Value: float64(r.Duplicate), Unit: "datagrams"},
		{Name: "datagrams refused by the sending port's queue", Value: float64(s.Refused), Unit: "datagrams"},
	} {
		if f.Value > 0 {
			out = append(out, f)
		}
	}
	return out, nil
}
