package workload

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir/internal/agent"
	"weir/internal/endhost"
)

const (
	// listenLimit is how long a server may take until it listens, on a machine that is busy.
	listenLimit = time.Minute
	// roleGrace is how much longer than it was told a role may take.
	roleGrace = time.Minute
	// endedLimit is how long the end of a server may take to be known.
	endedLimit = 30 * time.Second
	// lookEvery is how often it is looked whether a server still runs.
	lookEvery = 500 * time.Millisecond
)

// server is a role of weir's own that serves at an end, on a port.
type server struct {
	*agent.Agent
	at   End
	port int
}

// self is where weir's own program runs at an end.
func (e End) self() agent.Place {
	return agent.Place{Host: e.Host, CPUs: e.CPUs, Env: []string{endhost.Env}, Self: e.Self}
}

// startRole starts a role that listens at the server's end of a job, and waits until
// it does.
func (j *job) startRole(ctx context.Context, role string, settings any) (*server, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, listenLimit, fmt.Errorf("it does not listen after %v", listenLimit))
	defer cancel()
	var at endhost.Listening
	a, err := agent.Start(ctx, j.serverEnd().self(), role, settings, &at)
	if err != nil {
		return nil, err
	}
	return &server{a, j.serverEnd(), int(at.Port)}, nil
}

// at is where a role listens at the server's end of a job.
func (j *job) at(port int) endhost.Listen {
	return endhost.Listen{Address: j.address(j.serverEnd()), Port: port + j.number}
}

// playAtClient plays a role to its end at the client's end of a job, and reads what
// it tells into found.
func (j *job) playAtClient(ctx context.Context, s *server, limit time.Duration, role string, settings, found any) error {
	return s.during(ctx, limit, func(ctx context.Context) error {
		return agent.Play(ctx, j.clientEnd().self(), role, settings, found)
	})
}

// during does what needs a server and takes a time. Its context ends when it takes
// far longer or the server has ended; that is the error then.
func (s *server) during(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit+roleGrace, fmt.Errorf("it did not end after %v", limit+roleGrace))
	defer cancel()
	served, stop := whileServed(ctx, s)
	defer stop()
	err := do(served)
	if err != nil && ctx.Err() == nil {
		if ended := endedSoon(ctx, s, s.at, s.port); ended != nil {
			err = ended
		}
	}
	return err
}

// play has weir's own program play a role at an end and reads what it tells into
// found, unless that is nil.
func (j *job) play(ctx context.Context, at End, role string, settings, found any) error {
	return agent.Play(ctx, agent.Place{Host: at.Host, Self: at.Self}, role, settings, found)
}

// whileServed is a context that ends soon after a server has: a client that sends
// datagrams would not notice that nobody takes them.
func whileServed(ctx context.Context, server process) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(ctx)
	go func() {
		for ctx.Err() == nil {
			// The client has some time to say itself what is wrong.
			gone := server.Alive() != nil
			select {
			case <-ctx.Done():
			case <-time.After(lookEvery):
			}
			if gone {
				stop(errors.New("there is no server any more"))
			}
		}
	}()
	return ctx, func() { stop(nil) }
}

// endedSoon is why the server of a client that failed has ended, or nil when it
// has not: a connection is closed before it is known that a process is no more, on a
// busy machine long before. One that listens still is not waited for that long.
func endedSoon(ctx context.Context, server process, at End, port int) error {
	const each, soon = 20 * time.Millisecond, 50
	late := time.Now().Add(endedLimit)
	for look := 0; (look < soon || time.Now().Before(late)) && server.Alive() == nil && ctx.Err() == nil; look++ {
		if look >= soon && (portInUse(ctx, at, port, false) || portInUse(ctx, at, port, true)) {
			break
		}
		time.Sleep(each)
	}
	return server.Alive()
}
