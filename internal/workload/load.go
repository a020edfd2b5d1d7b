package workload

import (
	"context"
	"errors"
	"time"

	"weir"
	"weir/internal/endhost"
)

// load measures the round trip between the end hosts while streams of TCP fill
// the path, with datagrams of its own beside them. What is echoed takes the way
// of the streams in one direction, and a path without load in the other.
var load = program{
	Info:  Info{Name: "load", Summary: "round trip while streams of TCP fill the path, by weir's own program"},
	begin: beginLoad,
}

const (
	// echoPort is where weir's own server of echoes listens, for the first job.
	echoPort  = 5500
	echoEvery = 20 * time.Millisecond
	// idleTime is how long the path is looked at without load.
	idleTime = time.Second
	// echoLate is how much longer than it sends one waits for its echoes.
	echoLate = 2 * time.Second
)

func beginLoad(ctx context.Context, j *job) (*session, error) {
	streams, err := j.streamed(ctx, weir.TCP)
	if err != nil {
		return nil, err
	}
	echoes, err := j.startRole(ctx, "echo-serve", j.at(echoPort))
	if err != nil {
		return nil, errors.Join(err, streams.end(ctx))
	}
	end := func(ctx context.Context) error { return errors.Join(echoes.Stop(ctx), streams.end(ctx)) }
	idle, err := j.echo(ctx, echoes, idleTime, 0)
	if err == nil && idle.RTT.N == 0 {
		err = errors.New("no echo came back over the path without load")
	}
	if err != nil {
		return nil, errors.Join(err, end(ctx))
	}
	return &session{
		move: func(ctx context.Context) (weir.Transferred, error) {
			out, err := j.load(ctx, streams, echoes)
			out.IdleRTT = idle.RTT.Quantile(.5)
			return out, err
		},
		end: end,
	}, nil
}

// load looks at the path while it is loaded.
func (j *job) load(ctx context.Context, streams *session, s *server) (weir.Transferred, error) {
	outer := ctx
	ctx, cancel := context.WithCancelCause(outer)
	defer cancel(nil)
	var loaded endhost.EchoReport
	echoed := make(chan error, 1)
	go func() {
		var err error
		if loaded, err = j.echo(ctx, s, j.duration, j.WarmUp); err != nil {
			cancel(err)
		}
		echoed <- err
	}()
	out, err := streams.move(ctx)
	if err != nil {
		if why := context.Cause(ctx); why != nil && outer.Err() == nil {
			err = why // the echoes ended first
		}
		cancel(err)
		<-echoed
		return out, err
	}
	if err := <-echoed; err != nil {
		return out, err
	}
	out.RTT = loaded.RTT
	out.Figures = append(out.Figures,
		weir.Figure{Name: "echoes sent", Value: float64(loaded.Sent), Unit: "echoes"},
		weir.Figure{Name: "echoes lost", Value: float64(loaded.Lost), Unit: "echoes"})
	if loaded.RTT.N == 0 {
		return out, errors.New("no echo came back over the loaded path")
	}
	return out, nil
}

// echo has echoes sent for a time.
func (j *job) echo(ctx context.Context, s *server, length, warmUp time.Duration) (r endhost.EchoReport, err error) {
	err = j.playAtClient(ctx, s, length+echoLate, "echo-send", endhost.EchoSend{
		Address: j.address(j.serverEnd()), Port: s.port, Every: echoEvery, Duration: length, WarmUp: warmUp,
	}, &r)
	return r, err
}
