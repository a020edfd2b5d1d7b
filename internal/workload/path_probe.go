package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/endhost"
)

// probe looks at the path itself: the largest packets that pass without being
// fragmented in the direction of the octets, and the round trip without load.
// With Transfer.Payload, packets of that size, headers included, have to pass.
var probe = program{
	Info:  Info{Name: "path", Summary: "path MTU and round trip without load, by weir's own program"},
	begin: beginPath,
}

const (
	// pathPort is where weir's own server of probes listens, for the first job.
	pathPort = 5600
	// Round trips whose time is taken, and the time between two.
	pathEchoes     = 50
	pathEchoEvery  = 10 * time.Millisecond
	pathProbeLimit = 30 * time.Second // for all probes, when none of the larger ones is answered
)

func beginPath(ctx context.Context, j *job) (*session, error) {
	s, err := j.startRole(ctx, "echo-serve", j.at(pathPort))
	if err != nil {
		return nil, err
	}
	j.pausing.Store(true)
	return &session{
		move: func(ctx context.Context) (weir.Transferred, error) { return j.lookAtPath(ctx, s) },
		end:  s.Stop,
	}, nil
}

// lookAtPath finds the MTU and the round trip of a path.
func (j *job) lookAtPath(ctx context.Context, s *server) (weir.Transferred, error) {
	out := weir.Transferred{Version: weir.Version}
	r, err := j.probe(ctx, s, j.Payload, pathEchoes)
	if err != nil {
		return out, err
	}
	way := r.There // of the octets
	if j.server == weir.Source {
		way = r.Back
	}
	if !way.Passes {
		return out, errors.New(refusedBy(way, j.Payload, j.source, j.destination))
	}
	out.PathMTU = way.Largest
	if r.RTT.N == 0 {
		return out, errors.New("no small packet came back in time")
	}
	out.IdleRTT = r.RTT.Quantile(.5)
	out.Figures = []weir.Figure{
		{Name: weir.LeastRTT, Value: r.RTT.Quantile(0), Unit: "s"},
		{Name: "round trips lost", Value: float64(r.Lost), Unit: "packets"},
	}
	return out, nil
}

// probe has a path probed from the client's end.
func (j *job) probe(ctx context.Context, s *server, size, echoes int) (r endhost.PathReport, err error) {
	err = j.playAtClient(ctx, s, pathProbeLimit, "path-probe", endhost.PathProbe{
		Address: j.address(j.serverEnd()), Port: s.port, Size: size, Echoes: echoes, Every: pathEchoEvery,
	}, &r)
	return r, err
}

// refusedBy says what does not pass from one end to the other.
func refusedBy(p endhost.Passage, size int, from, to End) string {
	text := fmt.Sprintf("packets of %d octets do not pass from %s to %s", size, from.Host.Name(), to.Host.Name())
	switch {
	case p.Cut > 0:
		text += fmt.Sprintf(" as a whole: they arrived in fragments of %d octets, although that was forbidden", p.Cut)
	case p.Port > 0:
		text += fmt.Sprintf(": the port %s takes at most %d", from.Port, p.Port)
	}
	if p.Largest > 0 {
		text += fmt.Sprintf("; the largest that do have %d", p.Largest)
	}
	return text + " (set the MTU of every link on the path)"
}

// ProveMTU is nil when packets of exactly mtu octets, headers included, pass in
// both directions without being fragmented. The error says which direction
// refuses them, and the largest ones that it lets through.
func (p Path) ProveMTU(ctx context.Context, family weir.Family, mtu int) (err error) {
	j := &job{family: family, source: p.Ends[0], destination: p.Ends[1], server: weir.Destination}
	s, err := j.startRole(ctx, "echo-serve", j.at(pathPort))
	if err != nil {
		return fmt.Errorf("prove the MTU of the path: %w", err)
	}
	defer func() { err = errors.Join(err, s.Stop(ctx)) }()
	r, err := j.probe(ctx, s, mtu, 0)
	if err != nil {
		return fmt.Errorf("prove the MTU of the path: %w", err)
	}
	if !r.There.Passes {
		err = errors.New(refusedBy(r.There, mtu, p.Ends[0], p.Ends[1]))
	}
	if !r.Back.Passes {
		err = errors.Join(err, errors.New(refusedBy(r.Back, mtu, p.Ends[1], p.Ends[0])))
	}
	return err
}
