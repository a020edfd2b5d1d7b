//go:build unix

package endhost

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/agent"
)

// stream is one of a test's. Its send or receive runs on a thread of its own.
type stream interface {
	send() error
	receive() error
	count() uint64                  // octets that have arrived
	retransmitted() (uint64, error) // segments that were sent again since the beginning; 0 of UDP
	sent(to *Sent) error            // adds what the sender knows, before TCP's connection has ended and after UDP's last datagram
	roundTrips(h *weir.Histogram)   // adds round trips, when it has ended
	received(*Received) error       // adds what the receiver knows of datagrams, when it has ended
	halt()
	close()
}

const (
	// sampleEvery is how often TCP is asked for its round trip.
	sampleEvery = 50 * time.Millisecond
	// overtime is how much longer TCP sends than its receiver counts: that one's
	// clock began before.
	overtime = 50 * time.Millisecond
	// drainLimit and quietLimit are how long a receiver waits for datagrams that
	// are still under way: at most, and after the last one.
	drainLimit = 5 * time.Second
	quietLimit = 500 * time.Millisecond
)

// end is one end of a test.
type end struct {
	kernel
	Streams
	streams []stream
	failed  chan error // of a stream
	playing int        // streams whose end was not taken from failed yet

	// Of the receiver, read when counted is closed.
	counted chan struct{}
	found   Received
	fault   error
}

func newEnd(k kernel, s Streams) *end {
	return &end{kernel: k, Streams: s, failed: make(chan error, MaxStreams)}
}

// opened is an end that was opened, and tells something.
func (e *end) opened(value any) agent.Opened {
	return agent.Opened{
		Value: value,
		Commands: map[string]agent.Command{
			"receive":  agent.Do(func(ctx context.Context, _ struct{}) (any, error) { e.receive(ctx); return nil, nil }),
			"send":     agent.Do(func(ctx context.Context, _ struct{}) (Sent, error) { return e.send(ctx) }),
			"received": agent.Do(e.received),
		},
		Close: e.close,
	}
}

// start starts the streams, each on a thread of its own.
func (e *end) start(play func(stream) error) {
	// A place for each stream; the rest of the program has one too. A collector
	// would wait for streams that wait for the other end.
	runtime.GOMAXPROCS(len(e.streams) + 1)
	debug.SetGCPercent(-1)
	for _, s := range e.streams {
		e.playing++
		go func() {
			runtime.LockOSThread()
			e.failed <- play(s)
		}()
	}
}

// stop ends all streams, and returns the first fault of one.
func (e *end) stop() (err error) {
	for _, s := range e.streams {
		s.halt()
	}
	for ; e.playing > 0; e.playing-- {
		if fault := <-e.failed; err == nil {
			err = fault
		}
	}
	return err
}

// until waits while all goes well.
func (e *end) until(ctx context.Context, when time.Time) error {
	timer := time.NewTimer(time.Until(when))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-e.failed:
		e.playing--
		if err == nil {
			err = errors.New("a stream ended before its time")
		}
		return err
	}
}

// send plays the sender, whose clock begins now.
func (e *end) send(ctx context.Context) (out Sent, err error) {
	begun := time.Now()
	e.start(stream.send)
	defer func() { err = errors.Join(err, e.stop()) }()
	if err := e.until(ctx, begun.Add(e.WarmUp)); err != nil {
		return out, err
	}
	// A slow start loses segments in the warm-up: these are of no octets that
	// count.
	cpu, last := cpuTime(), begun.Add(e.Duration)
	before, err := e.retransmitted()
	if err != nil {
		return out, err
	}
	if err := e.until(ctx, last); err != nil {
		return out, err
	}
	out.CPU = cpuTime() - cpu
	after, err := e.retransmitted()
	if err != nil {
		return out, err
	}
	out.Retransmitted = after - before
	if e.Protocol == weir.TCP {
		err = e.until(ctx, last.Add(overtime))
	} else { // the numbers are known when all have ended
		err = e.stop()
	}
	for _, s := range e.streams {
		if err == nil {
			err = s.sent(&out)
		}
	}
	if err != nil {
		return out, err
	}
	err = e.stop()
	for _, s := range e.streams {
		s.roundTrips(&out.RTT)
	}
	return out, err
}

// receive begins to take what comes, and to count it.
func (e *end) receive(ctx context.Context) {
	begun := time.Now()
	e.start(stream.receive)
	e.counted = make(chan struct{})
	go func() {
		defer close(e.counted)
		if e.fault = e.countFrom(ctx, begun); e.fault != nil {
			e.stop() // the sender notices
		}
	}()
}

// countFrom counts what arrives in the time that counts of a test.
func (e *end) countFrom(ctx context.Context, begun time.Time) error {
	if err := e.until(ctx, begun.Add(e.WarmUp)); err != nil {
		return err
	}
	from, before, cpu := time.Now(), e.count(), cpuTime()
	// What ends after that is no fault: on a busy machine this is noticed later than that
	// the sender has ended.
	end := begun.Add(e.Duration)
	if err := e.until(ctx, end); err != nil && (ctx.Err() != nil || time.Now().Before(end)) {
		return err
	}
	e.found = Received{Took: time.Since(from), Octets: e.count() - before, CPU: cpuTime() - cpu}
	return nil
}

// received ends receiving, and returns what came of all that was sent.
func (e *end) received(ctx context.Context, all Sent) (Received, error) {
	if e.counted == nil {
		return Received{}, errors.New("this end does not receive")
	}
	if <-e.counted; e.fault != nil {
		return e.found, e.fault
	}
	if e.Protocol == weir.TCP {
		e.stop() // that the other end has ended meanwhile is no fault
		return e.found, nil
	}
	err := e.drain(ctx, all.Datagrams)
	if err = errors.Join(err, e.stop()); err != nil {
		return e.found, err
	}
	for _, s := range e.streams {
		if err := s.received(&e.found); err != nil {
			return e.found, err
		}
	}
	return e.found, nil
}

// drain waits for the datagrams that are still under way.
func (e *end) drain(ctx context.Context, wanted uint64) error {
	limit, last, quiet := time.Now().Add(drainLimit), uint64(0), time.Now()
	for now := time.Now(); now.Before(limit) && now.Sub(quiet) < quietLimit; now = time.Now() {
		var have uint64
		for _, s := range e.streams {
			have += s.(*udpStream).arrived.Load()
		}
		if have >= wanted {
			return nil
		}
		if have != last || e.unread() { // what a socket has, its thread had no CPU for
			last, quiet = have, now
		}
		if err := e.until(ctx, now.Add(10*time.Millisecond)); err != nil {
			return err
		}
	}
	return nil
}

// unread reports whether a socket has something that was not taken yet.
func (e *end) unread() bool {
	for _, s := range e.streams {
		if ready, _ := unix.Poll([]unix.PollFd{{Fd: int32(s.(*udpStream).fd), Events: unix.POLLIN}}, 0); ready > 0 {
			return true
		}
	}
	return false
}

// count is how many octets all streams have received so far.
func (e *end) count() (sum uint64) {
	for _, s := range e.streams {
		sum += s.count()
	}
	return sum
}

// retransmitted is how many segments all streams have sent again so far.
func (e *end) retransmitted() (sum uint64, err error) {
	for _, s := range e.streams {
		n, err := s.retransmitted()
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// close ends the test, whatever it is doing.
func (e *end) close() {
	if e.counted != nil {
		<-e.counted
	}
	e.stop()
	for _, s := range e.streams {
		s.close()
	}
}
