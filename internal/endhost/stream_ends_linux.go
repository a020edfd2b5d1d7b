package endhost

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"weir"
)

// stream is one of a test's. Its send or receive runs on a thread of its own.
type stream interface {
	send() error
	receive() error
	count() uint64 // octets that have arrived
	tell(to *sent) error
	again() (uint64, error) // segments that were sent again since the beginning; 0 of UDP
	timed(h *weir.Histogram)
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

// end is one end of a test that is ready.
type end struct {
	StreamSend
	peer      *control
	streams   []stream
	failed    chan error // of a stream
	collector int        // its setting before
	ended     int        // streams whose end was taken from failed
}

func newEnd(s StreamSend, peer *control, streams []stream) *end {
	// A place for each stream; the rest of the program has one too. A collector
	// would wait for streams that wait for the other end.
	runtime.GOMAXPROCS(len(streams) + 1)
	return &end{StreamSend: s, peer: peer, streams: streams, failed: make(chan error, len(streams)), collector: debug.SetGCPercent(-1)}
}

func (e *end) start(play func(stream) error) {
	for _, s := range e.streams {
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
	for ; e.ended < len(e.streams); e.ended++ {
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
	case <-e.peer.gone:
		return e.peer.why
	case err := <-e.failed:
		e.ended++
		if err == nil {
			err = errors.New("a stream ended before its time")
		}
		select { // the end of a stream has its cause at the other end
		case <-e.peer.gone:
			return e.peer.why
		case <-time.After(100 * time.Millisecond):
			return err
		}
	}
}

// send plays the sender, whose clock begins when the receiver says so.
func (e *end) send(ctx context.Context) (out sent, err error) {
	m, err := e.peer.hear(ctx, peerLimit)
	if err != nil {
		return out, err
	}
	if !m.Go {
		return out, errors.New("the receiver did not say when to begin")
	}
	begun := time.Now()
	e.start(stream.send)
	defer func() { err = errors.Join(err, e.stop()) }()
	if err := e.until(ctx, begun.Add(e.WarmUp)); err != nil {
		return out, err
	}
	// A slow start loses segments in the warm-up: these are of no octets that
	// count.
	cpu, last := cpuTime(), begun.Add(e.Duration)
	before, err := e.again()
	if err != nil {
		return out, err
	}
	if err := e.until(ctx, last); err != nil {
		return out, err
	}
	out.CPU = cpuTime() - cpu
	after, err := e.again()
	if err != nil {
		return out, err
	}
	out.Retransmitted = after - before
	if e.Protocol == weir.TCP {
		err = e.until(ctx, last.Add(overtime))
	} else { // the numbers are known when all have ended
		err = e.stop()
	}
	if err != nil {
		return out, err
	}
	for _, s := range e.streams {
		if err := s.tell(&out); err != nil {
			return out, err
		}
	}
	err = e.stop()
	for _, s := range e.streams {
		s.timed(&out.RTT)
	}
	return out, err
}

// receive plays the receiver, and returns what both have to say: its own part,
// and the sender's.
func (e *end) receive(ctx context.Context) (out received, theirs sent, err error) {
	e.start(stream.receive)
	defer func() { err = errors.Join(err, e.stop()) }()
	begun := time.Now()
	if err := e.peer.say(message{Go: true}); err != nil {
		return out, theirs, err
	}
	if err := e.until(ctx, begun.Add(e.WarmUp)); err != nil {
		return out, theirs, err
	}
	from, before, cpu := time.Now(), e.counts(), cpuTime()
	if err := e.until(ctx, begun.Add(e.Duration)); err != nil {
		return out, theirs, err
	}
	out.Took, out.Streams = time.Since(from), e.counts()
	for i := range out.Streams {
		out.Streams[i] -= before[i]
	}
	out.CPU = cpuTime() - cpu
	m, err := e.peer.hear(ctx, peerLimit)
	if err != nil {
		return out, theirs, err
	}
	if m.Sent == nil {
		return out, theirs, errors.New("the sender did not say what it had sent")
	}
	if e.Protocol == weir.TCP {
		e.stop() // that the other end has ended meanwhile is no fault
		return out, *m.Sent, nil
	}
	return out, *m.Sent, e.drain(ctx, &out, *m.Sent)
}

// drain takes what is under way of UDP, and counts it all.
func (e *end) drain(ctx context.Context, out *received, theirs sent) error {
	if len(theirs.Datagrams) != len(e.streams) {
		return fmt.Errorf("the sender speaks of %d streams, there are %d", len(theirs.Datagrams), len(e.streams))
	}
	var wanted uint64
	for _, n := range theirs.Datagrams {
		wanted += n
	}
	limit, last, quiet := time.Now().Add(drainLimit), uint64(0), time.Now()
	for now := time.Now(); now.Before(limit) && now.Sub(quiet) < quietLimit; now = time.Now() {
		var have uint64
		for _, s := range e.streams {
			have += s.(*udpStream).arrived.Load()
		}
		if have >= wanted {
			break
		}
		if have != last {
			last, quiet = have, now
		}
		if err := e.until(ctx, now.Add(10*time.Millisecond)); err != nil {
			return err
		}
	}
	if err := e.stop(); err != nil {
		return err
	}
	for _, s := range e.streams {
		if err := s.(*udpStream).heard(out); err != nil {
			return err
		}
	}
	return nil
}

func (e *end) counts() []uint64 {
	out := make([]uint64, len(e.streams))
	for i, s := range e.streams {
		out[i] = s.count()
	}
	return out
}

// again is how many segments all streams have sent again so far.
func (e *end) again() (sum uint64, err error) {
	for _, s := range e.streams {
		n, err := s.again()
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func (e *end) close() {
	debug.SetGCPercent(e.collector)
	for _, s := range e.streams {
		s.close()
	}
}
