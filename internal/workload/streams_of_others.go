package workload

import (
	"cmp"
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

// streamTest is a test by a stream program that is not weir's own.
type streamTest struct {
	*job
	name    string // of those that the program knows
	client  string // the path of the program that asks
	version string
	port    int // of the server
	udp     bool
	log     string // the file in the server's folder that has what it says; "": it says it on its standard error
	server  *service.Service
}

// streamTest is the test that a job asks for, one of those that its program knows.
// The client says its version by a flag, and the first server has a port.
func (j *job) streamTest(ctx context.Context, names []string, client Tool, flag string, port int) (*streamTest, error) {
	s := &streamTest{job: j, name: cmp.Or(j.Test, names[0]), port: port + j.number}
	if !slices.Contains(names, s.name) {
		return nil, fmt.Errorf("there is no test %q; there are: %s", j.Test, strings.Join(names, ", "))
	}
	var err error
	if s.client, err = j.clientEnd().find(ctx, client); err != nil {
		return nil, err
	}
	// Some say it as an error.
	said, err := j.clientEnd().Host.Run(ctx, "", "sh", "-c", `"$0" "$1" 2>&1 || true`, s.client, flag)
	if err != nil {
		return nil, fmt.Errorf("ask %s for its version: %w", s.client, err)
	}
	s.version, _, _ = strings.Cut(strings.TrimSpace(said), "\n")
	return s, nil
}

// begin starts the server. The session runs the client, which is to take some
// time, and has read what it says; failed is why the client has failed, or nil.
func (s *streamTest) begin(ctx context.Context, server service.Program, argv []string, length time.Duration,
	read func(ctx context.Context, said string, failed error) (weir.Transferred, error)) (*session, error) {
	var err error
	if s.server, err = s.startServer(ctx, server, s.port, s.udp); err != nil {
		return nil, err
	}
	move := func(ctx context.Context) (weir.Transferred, error) {
		served, stop := whileServed(ctx, s.server)
		defer stop()
		said, failed := s.clientEnd().Host.Run(served, "", argv...)
		found, err := read(ctx, said, failed)
		found.Version = s.version
		if err == nil {
			err = endedEarly(found.Took, length)
		}
		if err != nil {
			if ended := endedSoon(ctx, s.server, s.serverEnd(), s.port); ended != nil {
				err = fmt.Errorf("%w; its server: %w%s", err, ended, s.logged(ctx))
			}
		}
		return found, err
	}
	return &session{move: move, end: s.end}, nil
}

// endedEarly is an error when a program has moved something for much less than its time. What
// is missing may be the time that a connection took, or a program waited for a CPU.
func endedEarly(took, length time.Duration) error {
	if length-took > max(length/10, min(length/2, time.Second)) {
		return fmt.Errorf("it ended after %.1f s of %.1f s", took.Seconds(), length.Seconds())
	}
	return nil
}

// end kills the server and removes its files: it has nothing to say any more,
// and iperf, when it is asked to end, waits for a client that is gone.
func (s *streamTest) end(ctx context.Context) error {
	var err error
	if s.server.Alive() == nil {
		err = s.server.Kill(ctx)
	}
	return errors.Join(err, s.server.Stop(ctx))
}

// logged is the end of the server's log, as the end of a message.
func (s *streamTest) logged(ctx context.Context) string {
	if s.log == "" {
		return ""
	}
	said, err := s.server.At.Host.ReadFile(ctx, s.server.Folder+"/"+s.log)
	if text := lastLines(said); err == nil && text != "" {
		return ": " + text
	}
	return ""
}

// withOutput is an error of a client with the end of what it said, nil for none.
func withOutput(failed error, said string) error {
	if text := lastLines(said); failed != nil && text != "" {
		return &weir.SaidError{Err: failed, Said: strings.Split(text, "\n")}
	}
	return failed
}

// lastLines is the end of what a program said.
func lastLines(said string) string {
	const most = 5
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// timeOf is the time in which octets arrive at a rate in bit/s.
func timeOf(octets uint64, rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Duration(8 * float64(octets) / rate * float64(time.Second))
}

// mergeStreams is what several streams have come to that ran side by side: all of
// their octets in the time of the longest. Their rates do not add up, as the
// last ones to end have the path for themselves for a while.
func mergeStreams(streams []weir.Transferred) weir.Transferred {
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
