package workload

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"weir"
	"weir/internal/agent"
	"weir/internal/endhost"
)

// flood has subscribers come while PADIs from made-up addresses come beside them, after
// as many came without. Others have sessions meanwhile, and so has the end host itself.
var flood = program{
	Info:  Info{Name: "pppoe-flood", Summary: "what PPPoE sessions lose, and how long their set-up takes, while PADIs from made-up addresses come, by weir's own program"},
	begin: beginFlood,
}

const (
	// established is how many subscribers have sessions before the flood, and
	// establishedEcho how often each asks whether the concentrator is alive.
	established     = 500
	establishedEcho = time.Second
	// usualHonest is how many subscribers come during the flood where nobody says, and
	// usualFlood how many PADIs in a second.
	usualHonest = 200
	usualFlood  = 100_000
	// honestShare is the part of the flood's time in which they come: the last of them
	// is to be there before its end.
	honestShare = 0.8
)

func beginFlood(ctx context.Context, j *job) (*session, error) {
	honest := j.Sessions
	if honest == 0 {
		honest = usualHonest
	}
	c, err := j.gather(ctx, established+honest, establishedEcho)
	if err != nil {
		return nil, err
	}
	stay, err := c.come(ctx, 0, established, 0, establishedEcho)
	if err != nil {
		return nil, errors.Join(err, c.server.Stop(ctx))
	}
	end := func(ctx context.Context) error { return errors.Join(dismiss(ctx, stay), c.server.Stop(ctx)) }
	echoes, err := j.startRole(ctx, "echo-serve", j.at(echoPort))
	if err != nil {
		return nil, errors.Join(err, end(ctx))
	}
	f := &flooding{crowd: c, stay: stay, echoes: echoes, honest: honest}
	return &session{
		move: f.move,
		end:  func(ctx context.Context) error { return errors.Join(echoes.Stop(ctx), end(ctx)) },
	}, nil
}

// flooding is a trial with a flood.
type flooding struct {
	*crowd
	stay   *agent.Agent // subscribers that have sessions all the time
	echoes *server      // beyond the session of the end host itself
	honest int          // subscribers that come
}

// move has subscribers come without the flood, and then with it.
func (f *flooding) move(ctx context.Context) (weir.Transferred, error) {
	out := weir.Transferred{Version: weir.Version}
	came, err := told(ctx, f.stay, "connect")
	if err != nil {
		return out, err
	}
	if came.Up < established {
		return out, fmt.Errorf("%d of %d sessions came about before the flood: %s", came.Up, established, reasons(came.Failed))
	}
	calm, err := f.comeAndGo(ctx)
	if err != nil {
		return out, err
	}
	before, err := told(ctx, f.stay, "count")
	if err != nil {
		return out, err
	}
	served, err := f.served(ctx)
	if err != nil {
		return out, err
	}
	sent, echoed, come, err := f.flooded(ctx)
	if err != nil {
		return out, err
	}
	after, err := told(ctx, f.stay, "count")
	if err != nil {
		return out, err
	}
	is, err := f.served(ctx)
	out.Count, out.Took = uint64(come.Up), sent.Took
	out.CPU = endsCPU(f.job.server, come.CPU+sent.CPU, 0)
	after.Protocol.Echoes -= before.Protocol.Echoes
	after.Protocol.Echoed -= before.Protocol.Echoed
	after.Protocol.Unechoed -= before.Protocol.Unechoed
	for reason, n := range before.Lost {
		if after.Lost[reason] -= n; after.Lost[reason] == 0 {
			delete(after.Lost, reason)
		}
	}
	if come.Up > 0 {
		out.Figures = []weir.Figure{{Name: weir.SetUpUnderFlood, Value: come.Times.Quantile(.5), Unit: "s"}}
	}
	out.Figures = slices.Concat(out.Figures, []weir.Figure{
		{Name: "set-up under the flood, 99th percentile", Value: come.Times.Quantile(.99), Unit: "s"},
		{Name: "set-up without the flood, median", Value: calm.Times.Quantile(.5), Unit: "s"},
		{Name: "set-up without the flood, 99th percentile", Value: calm.Times.Quantile(.99), Unit: "s"},
		{Name: weir.FloodRate, Value: float64(cameTo(is)-cameTo(served)) / sent.Took.Seconds(), Unit: "PADIs/s"},
	}, failedFigures(weir.SessionsFailed, come.Failed), heldFigures(after), faultFigures("at the concentrator", is.Protocol.Faults(served.Protocol)), []weir.Figure{
		{Name: "frames that the subscribers had no room for", Value: float64(come.Missed + after.Missed - before.Missed), Unit: "frames"},
		{Name: "datagrams sent in a session", Value: float64(echoed.Sent), Unit: "datagrams"},
		{Name: weir.SessionDatagramsLost, Value: float64(echoed.Lost), Unit: "datagrams"},
		{Name: "PADIs that the concentrator had no room for", Value: float64(is.Missed - served.Missed), Unit: "PADIs"},
		{Name: "CPU of the concentrator", Value: (is.CPU - served.CPU).Seconds() / sent.Took.Seconds(), Unit: "CPUs"},
	})
	return out, err
}

// cameTo is how many PADIs have come to a concentrator's port, with those few of subscribers.
func cameTo(r endhost.ServedReport) uint64 { return r.Protocol.Initiations + r.Missed }

// comeAndGo has the subscribers come, evenly spread, and leave.
func (f *flooding) comeAndGo(ctx context.Context) (r endhost.SubscribersReport, err error) {
	rate := max(1, int(math.Ceil(float64(f.honest)/(honestShare*f.job.duration.Seconds()))))
	a, err := f.come(ctx, established, established+f.honest, rate, establishedEcho)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, a.Stop(ctx)) }()
	if r, err = told(ctx, a, "connect"); err != nil {
		return r, err
	}
	_, err = told(ctx, a, "disconnect")
	return r, err
}

// flooded has the subscribers come while the flood does, with datagrams in the session of
// the end host.
func (f *flooding) flooded(ctx context.Context) (sent endhost.PADIFlooded, echoed endhost.EchoReport, came endhost.SubscribersReport, err error) {
	j, rate := f.job, f.job.Flood
	if rate == 0 {
		rate = usualFlood
	}
	ctx, cancel := context.WithTimeoutCause(ctx, j.duration+setupLimit, errors.New("the flood does not end"))
	defer cancel()
	flood, echo := make(chan error, 1), make(chan error, 1)
	go func() {
		at := j.line[0]
		flood <- agent.Play(ctx, at.self(), "padi-flood", endhost.PADIFlood{Port: at.Port, Service: lineService, Rate: rate, Duration: j.duration, Seed: j.Seed}, &sent)
	}()
	go func() {
		var err error
		echoed, err = j.echo(ctx, f.echoes, j.duration, 0)
		echo <- err
	}()
	came, err = f.comeAndGo(ctx)
	if err != nil {
		cancel()
	}
	return sent, echoed, came, errors.Join(err, <-flood, <-echo)
}
