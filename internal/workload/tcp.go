package workload

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"

	"weir"
	"weir/internal/agent"
	"weir/internal/endhost"
)

// tcp is a stream test of weir's own. What counts is what the receiver has
// taken; it copies it, as a program does that has a use for it.
var tcp = program{
	Info:  Info{Name: "tcp", Summary: "streams of TCP, by weir's own program"},
	begin: func(ctx context.Context, j *job) (*session, error) { return j.streamed(ctx, weir.TCP) },
}

// streamPort is where weir's own server of streams listens, for the first job.
const streamPort = 5300

// streamed makes streams of weir's own ready.
func (j *job) streamed(ctx context.Context, p weir.Protocol) (*session, error) {
	if p == weir.TCP && j.Rate > 0 {
		return nil, errors.New("TCP sends all it can: take away the rate, or take udp")
	}
	settings := endhost.Streams{
		Test: rand.Uint64(), Send: j.server == weir.Source,
		Address: j.address(j.serverEnd()), Port: streamPort + j.number, Protocol: p, Streams: j.streams(),
		Duration: j.duration, WarmUp: j.WarmUp, Rate: j.Rate, Payload: j.Payload,
	}
	s, err := j.startRole(ctx, "stream-serve", settings)
	if err != nil {
		return nil, err
	}
	settings.Send = !settings.Send
	return &session{
		move: func(ctx context.Context) (out weir.Transferred, err error) {
			out.Version = weir.Version
			err = s.during(ctx, j.duration, func(ctx context.Context) error { return j.stream(ctx, settings, s, &out) })
			return out, err
		},
		end: s.Stop,
	}, nil
}

// stream has the streams of a client run, and says what came of them.
func (j *job) stream(ctx context.Context, settings endhost.Streams, s *server, out *weir.Transferred) (err error) {
	var ports []int
	client, err := agent.Start(ctx, j.clientEnd().self(), "stream-connect", settings, &ports)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = cmp.Or(endedSoon(ctx, client, s.at, s.port), err)
		}
		err = cmp.Or(err, client.Stop(ctx))
	}()
	if err := s.Ask(ctx, "join", ports, nil); err != nil {
		return err
	}
	sender, receiver := client, s.Agent
	if !settings.Send {
		sender, receiver = receiver, sender
	}
	if err := receiver.Ask(ctx, "receive", nil, nil); err != nil {
		return err
	}
	var sent endhost.Sent
	if err := sender.Ask(ctx, "send", nil, &sent); err != nil {
		return err
	}
	var got endhost.Received
	if err := receiver.Ask(ctx, "received", sent, &got); err != nil {
		return err
	}
	out.Octets, out.Took = got.Octets, got.Took
	out.CPU = weir.EndsCPU{Source: sent.CPU, Destination: got.CPU}
	out.Retransmitted, out.RTT, out.Segment = sent.Retransmitted, sent.RTT, sent.Segment
	if settings.Protocol == weir.UDP {
		out.Figures, err = countsOf(sent, got)
	}
	return err
}
