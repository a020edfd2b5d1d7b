package workload

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
	"weir/internal/service"
)

// streamServer is the server of a stream program, at an end of a job.
type streamServer struct {
	*service.Service
	// log is the file in its folder that has what it says; "": it says it on its
	// standard error.
	log string
}

// startServer starts the server of a stream program and waits until it listens
// on a port, of UDP or of TCP. Two programs may share a port of UDP without
// being told, so that one that is in use is looked for before.
func startServer(ctx context.Context, j *job, p service.Program, port int, udp bool, log string) (*streamServer, error) {
	at := j.serving()
	if udp {
		if user, err := boundTo(ctx, at.Host, port); err == nil && user != "" {
			return nil, fmt.Errorf("port %d of %s is in use: %s", port, at.Host.Name(), user)
		}
	}
	s, err := service.Start(ctx, at.place(), p)
	if err != nil {
		return nil, err
	}
	server := &streamServer{s, log}
	if udp {
		err = s.Await(ctx, listenLimit, func(ctx context.Context) error { return server.bound(ctx, port) })
	} else {
		err = awaitListening(ctx, s, port)
	}
	if err != nil {
		err = fmt.Errorf("port %d of %s: %w%s", port, at.Host.Name(), err, server.lastLines(ctx))
		return nil, errors.Join(err, server.end(ctx))
	}
	return server, nil
}

// end kills the server and removes its files: it has nothing to say any more,
// and iperf, when it is asked to end, waits for a client that is gone.
func (s *streamServer) end(ctx context.Context) error {
	var err error
	if s.Alive() == nil {
		err = s.Kill(ctx)
	}
	return errors.Join(err, s.Stop(ctx))
}

// bound is nil when the server has a port of UDP.
func (s *streamServer) bound(ctx context.Context, port int) error {
	user, err := boundTo(ctx, s.At.Host, port)
	if err == nil && !strings.Contains(user, fmt.Sprintf("pid=%d,", s.PID())) {
		err = fmt.Errorf("it does not listen on port %d", port)
	}
	return err
}

// boundTo says whose a port of UDP is; "" when it is nobody's.
func boundTo(ctx context.Context, h weir.Host, port int) (string, error) {
	said, err := h.Run(ctx, "", "ss", "-Hlunp", fmt.Sprintf("sport = :%d", port))
	return strings.TrimSpace(said), err
}

// ask runs a client of the server.
func (s *streamServer) ask(ctx context.Context, h weir.Host, argv []string) (string, error) {
	ctx, stop := whileServed(ctx, s)
	defer stop()
	return h.Run(ctx, "", argv...)
}

// explained is why a client has failed: its own error, what it said on its
// standard output, and what its server says when that has ended.
func (s *streamServer) explained(ctx context.Context, err error, said string) error {
	if text := lastLines(said); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	if ended := endedSoon(ctx, s); ended != nil {
		err = fmt.Errorf("%w; its server: %w%s", err, ended, s.lastLines(ctx))
	}
	return err
}

// lastLines is the end of the server's log, as the end of a message.
func (s *streamServer) lastLines(ctx context.Context) string {
	if s.log == "" {
		return ""
	}
	said, err := s.At.Host.ReadFile(ctx, s.Folder+"/"+s.log)
	if text := lastLines(said); err == nil && text != "" {
		return ": " + text
	}
	return ""
}

// lastLines is the end of what a program said.
func lastLines(said string) string {
	const most = 5
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// testOf is the test that a job asks for, one of those that its program knows.
func testOf(j *job, tests []string) (string, error) {
	if j.Test == "" {
		return tests[0], nil
	}
	if !slices.Contains(tests, j.Test) {
		return "", fmt.Errorf("there is no test %q; there are: %s", j.Test, strings.Join(tests, ", "))
	}
	return j.Test, nil
}

// versionOf is the line in which a program says its version. Some say it as an
// error.
func versionOf(ctx context.Context, h weir.Host, path, flag string) (string, error) {
	said, err := h.Run(ctx, "", "sh", "-c", `"$0" "$1" 2>&1 || true`, path, flag)
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", path, err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return line, nil
}

// complete is nil for a stream that has run as long as it was asked to.
func complete(t weir.Transferred, asked time.Duration) error {
	const enough = 0.9 // what is missing may be the time that a connection took
	if t.Took.Seconds() < enough*asked.Seconds() {
		return fmt.Errorf("it ended after %.1f s of %.1f s", t.Took.Seconds(), asked.Seconds())
	}
	return nil
}

// timeOf is the time in which octets arrive at a rate in bit/s.
func timeOf(octets uint64, rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(8 * float64(octets) / rate * float64(time.Second))
}

// together is what several streams have come to that ran side by side: all of
// their octets in the time of the longest. Their rates do not add up, as the
// last ones to end have the path for themselves for a while.
func together(streams []weir.Transferred) weir.Transferred {
	whole := streams[0]
	for _, s := range streams[1:] {
		whole.Octets += s.Octets
		whole.Count += s.Count
		whole.Retransmitted += s.Retransmitted
		whole.Took = max(whole.Took, s.Took)
	}
	return whole
}

// wholeSeconds is a time in seconds, rounded up, for programs that know no
// others.
func wholeSeconds(d time.Duration) int {
	return int((d + time.Second - 1) / time.Second)
}

// datagrams are the figures of a test that may lose some.
func datagrams(sent, received, lost float64) []weir.Figure {
	return []weir.Figure{
		{Name: weir.DatagramsSent, Value: sent, Unit: "datagrams"},
		{Name: weir.DatagramsReceived, Value: received, Unit: "datagrams"},
		{Name: weir.DatagramsLost, Value: lost, Unit: "datagrams"},
	}
}

// familyOption is the option for the family of an address.
func familyOption(a netip.Addr, v4, v6 string) []string {
	option := v4
	if a.Is6() {
		option = v6
	}
	if option == "" {
		return nil
	}
	return []string{option}
}

// decimal is a rate in bit/s without a fraction or an exponent.
func decimal(rate float64) string { return strconv.FormatFloat(rate, 'f', 0, 64) }
