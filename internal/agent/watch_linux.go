package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"weir"
)

// watcher is the role "watch" being played.
type watcher struct {
	settings WatchSettings
	to       unix.SockaddrInet4
	icmp     int // socket

	// Of what it observes; read when that is over.
	probe  weir.Probe
	echoes map[uint16]time.Time // when those were sent that have no answer yet, by sequence
	dials  []dial               // under way, the oldest first
	err    error
}

// dial is a connection that was asked for.
type dial struct {
	socket int
	at     time.Time
}

func openWatch(_ context.Context, s WatchSettings) (_ Opened, err error) {
	s.Every, s.Limit = cmp.Or(s.Every, watchEvery), cmp.Or(s.Limit, watchLimit)
	if !s.Target.Is4() {
		return Opened{}, fmt.Errorf("the target %v is not an IPv4 address", s.Target)
	}
	w := &watcher{settings: s, to: unix.SockaddrInet4{Addr: s.Target.As4(), Port: HeartbeatPort}}
	if err := RaisePriority(); err != nil {
		return Opened{}, err
	}
	if w.icmp, err = pingSocket(&w.to); err != nil {
		return Opened{}, err
	}
	w.forget()
	w.probeOnce()
	return Opened{
		Commands: observing(w.forget, w.watch, func() (weir.Probe, error) { return w.probe, w.err }),
		Close:    func() { unix.Close(w.icmp) },
	}, nil
}

func (w *watcher) forget() {
	w.probe, w.echoes, w.dials, w.err = weir.Probe{}, make(map[uint16]time.Time), nil, nil
}

// probeOnce probes once, so that both ends know each other's Ethernet address when
// it counts. Whether there was an answer does not matter yet.
func (w *watcher) probeOnce() {
	if w.sendProbes(time.Now()) != nil {
		return
	}
	for len(w.echoes)+len(w.dials) > 0 {
		w.receive(w.settings.Every)
		w.expire(time.Now())
	}
}

// watch sends probes and takes their answers until its time is over and no
// answer is under way.
func (w *watcher) watch(ctx context.Context) {
	for next := time.Now(); ; {
		now := time.Now()
		over := over(ctx, now)
		if !over && !now.Before(next) {
			if w.err = w.sendProbes(now); w.err != nil {
				w.drop()
				return
			}
			// Probes that were missed are not made up for: a crowd of them would
			// measure itself.
			for ; !next.After(now); next = next.Add(w.settings.Every) {
			}
		}
		if over && len(w.echoes)+len(w.dials) == 0 {
			return
		}
		wait := w.settings.Every
		if !over {
			wait = max(0, min(wait, time.Until(next)))
		}
		w.receive(wait)
		w.expire(time.Now())
	}
}

// sendProbes sends one probe of each kind.
func (w *watcher) sendProbes(now time.Time) error {
	sequence := uint16(w.probe.EchoSent)
	request, err := echoRequest(sequence)
	if err == nil {
		err = unix.Sendto(w.icmp, request, 0, &w.to)
	}
	if err != nil {
		return fmt.Errorf("send an echo request to %v: %w", w.settings.Target, err)
	}
	w.probe.EchoSent++
	w.echoes[sequence] = now
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make a socket: %w", err)
	}
	w.probe.AcceptTried++
	at := time.Now()
	if err := unix.Connect(socket, &w.to); err != nil && !errors.Is(err, unix.EINPROGRESS) {
		w.probe.AcceptFailed++
		unix.Close(socket)
		return nil
	}
	w.dials = append(w.dials, dial{socket, at})
	return nil
}

// receive waits for answers and notes when they came.
func (w *watcher) receive(wait time.Duration) {
	polled := []unix.PollFd{{Fd: int32(w.icmp), Events: unix.POLLIN}}
	for _, d := range w.dials {
		polled = append(polled, unix.PollFd{Fd: int32(d.socket), Events: unix.POLLIN})
	}
	limit := unix.NsecToTimespec(wait.Nanoseconds())
	if n, err := unix.Ppoll(polled, &limit, nil); err != nil || n == 0 {
		return
	}
	now := time.Now()
	if polled[0].Revents != 0 {
		w.receiveEchoes(now)
	}
	waiting := w.dials[:0]
	for i, d := range w.dials {
		if polled[i+1].Revents == 0 {
			waiting = append(waiting, d)
			continue
		}
		var octet [1]byte
		if n, err := unix.Read(d.socket, octet[:]); n == 1 && err == nil {
			w.probe.Accept.Add(uint64(now.Sub(d.at)), 1)
		} else {
			w.probe.AcceptFailed++
		}
		abort(d.socket)
	}
	w.dials = waiting
}

func (w *watcher) receiveEchoes(now time.Time) {
	var packet [256]byte
	for {
		n, _, err := unix.Recvfrom(w.icmp, packet[:], 0)
		if err != nil {
			return
		}
		sequence, ours := echoReply(packet[:n])
		if at, waited := w.echoes[sequence]; ours && waited {
			w.probe.Echo.Add(uint64(now.Sub(at)), 1)
			delete(w.echoes, sequence)
		}
	}
}

// expire gives up what has taken too long.
func (w *watcher) expire(now time.Time) {
	for sequence, at := range w.echoes {
		if now.Sub(at) > w.settings.Limit {
			w.probe.EchoLost++
			delete(w.echoes, sequence)
		}
	}
	for len(w.dials) > 0 && now.Sub(w.dials[0].at) > w.settings.Limit {
		w.probe.AcceptFailed++
		abort(w.dials[0].socket)
		w.dials = w.dials[1:]
	}
}

// drop closes what is under way.
func (w *watcher) drop() {
	for _, d := range w.dials {
		abort(d.socket)
	}
}

// abort resets a connection, so that neither side remembers it.
func abort(socket int) {
	unix.SetsockoptLinger(socket, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	unix.Close(socket)
}
