package workload

import (
	"context"
	"errors"

	"weir"
	"weir/internal/endhost"
)

// tcp is a stream test of weir's own. What counts is what the receiver has
// taken; it copies it, as a program does that has a use for it.
var tcp = program{
	name:    "tcp",
	summary: "streams of TCP, by weir's own program",
	usual:   weir.Destination,
	either:  true,
	begin:   func(ctx context.Context, j *job) (*session, error) { return j.streamed(ctx, weir.TCP) },
}

// streamPort is where weir's own server of streams listens, for the first job.
const streamPort = 5300

// streamed makes streams of weir's own ready.
func (j *job) streamed(ctx context.Context, p weir.Protocol) (*session, error) {
	if p == weir.TCP && j.Rate > 0 {
		return nil, errors.New("TCP sends all it can: take away the rate, or take udp")
	}
	s, err := j.serve(ctx, "stream-serve", j.at(streamPort))
	if err != nil {
		return nil, err
	}
	return &session{
		move: func(ctx context.Context) (weir.Transferred, error) { return j.stream(ctx, p, s) },
		end:  s.Stop,
	}, nil
}

// stream runs the streams, and returns what came of them.
func (j *job) stream(ctx context.Context, p weir.Protocol, s *server) (weir.Transferred, error) {
	out := weir.Transferred{Version: weir.Version}
	var r endhost.StreamReport
	err := j.ask(ctx, s, j.duration, "stream-send", endhost.StreamSend{
		Address: j.address(j.serving()), Port: s.port, Protocol: p, Streams: j.streams(),
		Duration: j.duration, WarmUp: j.WarmUp, Rate: j.Rate, Payload: j.Payload,
		Receive: j.server == weir.Source,
	}, &r)
	if err != nil {
		return out, err
	}
	out.Octets, out.Took = r.Octets, r.Took
	out.CPU = weir.EndsCPU{Source: r.SenderCPU, Destination: r.ReceiverCPU}
	out.Retransmitted, out.RTT, out.Segment = r.Retransmitted, r.RTT, r.Segment
	if d := r.Datagrams; d != nil {
		out.Figures = countsOf(*d)
	}
	return out, nil
}
