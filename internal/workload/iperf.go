package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weir"
	"weir/internal/service"
)

// iperf2 is iperf in its second version. It knows no warm-up: all of its time
// counts. What was received is what the receiving end reports: the server
// writes that to a file, and the client says it where it receives.
var iperf2 = program{
	Info:  Info{Name: "iperf", Summary: "streams of TCP or UDP by iperf 2, which has no warm-up", Tests: iperfTests, Tools: iperfTools},
	begin: beginIperf,
}

var (
	iperfTests = []string{"tcp", "udp"}
	iperfTools = []Tool{
		{Name: "iperf", Of: iperfOf, Package: "iperf", Server: true},
		{Name: "iperf", Of: iperfOf, Package: "iperf"},
	}
)

const (
	iperfOf   = "the stream program iperf 2"
	iperfPort = 5001
	iperfLog  = "report" // of the server, in its folder
	// iperfAll is the rate that a stream of UDP is told when it may send all it
	// can, in bit/s: iperf has no word for that.
	iperfAll = 100e9
	// iperfLimit is how long the server may take to report when the client has
	// ended.
	iperfLimit = 30 * time.Second
)

func beginIperf(ctx context.Context, j *job) (*session, error) {
	s, err := j.streamTest(ctx, iperfTests, iperfTools[1], "--version", iperfPort)
	if err != nil {
		return nil, err
	}
	if j.server == weir.Source && !iperfReverses(s.version) {
		return nil, &weir.UnsupportedError{
			Feature: "a server of " + s.version + " that sends", Since: "iperf 2.1.0",
			Remedy: "install a newer one, or let the server be at the destination",
		}
	}
	s.udp, s.log = s.name == "udp", iperfLog
	server := service.Program{
		Name: "iperf", Of: "the server of iperf 2", Source: "iperf", Family: true, // which ends with weir wherever it is
		Argv: func(folder string) []string { return iperfServer(j, s.name, s.port, folder) },
	}
	argv := append([]string{s.client}, iperfClient(j, s.name, s.port)...)
	return s.begin(ctx, server, argv, j.duration, func(ctx context.Context, said string, failed error) (weir.Transferred, error) {
		if failed != nil || j.server == weir.Source {
			found, unread := readIperf(said, j.streams())
			return found, cmp.Or(withOutput(failed, said), unread)
		}
		return s.reported(ctx)
	})
}

// reported is what the server of iperf writes to its log, once it has done so for
// all streams.
func (s *streamTest) reported(ctx context.Context) (found weir.Transferred, err error) {
	var unread error
	err = s.server.Await(ctx, iperfLimit, func(ctx context.Context) error {
		log, err := s.server.At.Host.ReadFile(ctx, s.server.Folder+"/"+s.log)
		if err == nil {
			found, err = readIperf(log, s.streams())
		}
		unread = err
		return err
	})
	if err != nil && unread != nil {
		err = unread // says what is missing; whoever asks adds that the server has ended
	}
	return found, err
}

// iperfServer are the arguments of the server.
func iperfServer(j *job, test string, port int, folder string) []string {
	at := j.address(j.serverEnd())
	argv := append(familyOption(at, "", "-V"), "-s", "-p", strconv.Itoa(port), "-B", at.String(), "-y", "C", "-o", folder+"/"+iperfLog)
	if test == "udp" {
		argv = append(argv, "-u")
	}
	return argv
}

// iperfClient are the arguments of the client.
func iperfClient(j *job, test string, port int) []string {
	own := []string{"-y", "C", "-t", strconv.FormatFloat(j.duration.Seconds(), 'f', -1, 64)}
	return append(familyOption(j.address(j.clientEnd()), "", "-V"), iperfArgs(j, test, port, own, iperfAll)...)
}

// iperfArgs are the arguments of a client that iperf has in both versions, with its
// own ones among them. Streams of UDP without a rate send at the rate all, in bit/s.
func iperfArgs(j *job, test string, port int, own []string, all float64) []string {
	argv := []string{"-c", j.address(j.serverEnd()).String(), "-p", strconv.Itoa(port), "-B", j.address(j.clientEnd()).String()}
	argv = append(argv, own...)
	if j.streams() > 1 {
		argv = append(argv, "-P", strconv.Itoa(j.streams()))
	}
	if test == "udp" {
		argv = append(argv, "-u")
	}
	if test == "udp" || j.Rate > 0 {
		argv = append(argv, "-b", decimal(cmp.Or(j.Rate, all)))
	}
	if j.Payload > 0 {
		argv = append(argv, "-l", strconv.Itoa(j.Payload))
	}
	if j.server == weir.Source {
		argv = append(argv, "-R")
	}
	return argv
}

// iperfReverses says whether the server of a version can send.
func iperfReverses(version string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(version, "iperf version %d.%d", &major, &minor); err != nil {
		return false
	}
	return major == 2 && minor >= 1
}

// readIperf is what all streams have come to, by the lines that one end says
// (-y C): time, address, port, address, port, stream, "from-to" in seconds,
// octets, bit/s, and of UDP at the receiving end also jitter, lost, all
// datagrams, percent, out of order. The rate is the more exact of the two that
// say how long it took.
func readIperf(said string, streams int) (weir.Transferred, error) {
	var parts []weir.Transferred
	all, lost, udp := 0., 0., false
	for line := range strings.Lines(said) {
		f := strings.Split(strings.Trim(line, "\x00\r\n"), ",")
		if len(f) < 9 || f[5] == "-1" { // what it warns of, and the sum, which some releases add
			continue
		}
		octets, err := strconv.ParseUint(f[7], 10, 64)
		rate, wrong := strconv.ParseFloat(f[8], 64)
		if err = errors.Join(err, wrong); err != nil {
			return weir.Transferred{}, fmt.Errorf("read the report of iperf: %w: %q", err, line)
		}
		parts = append(parts, weir.Transferred{Octets: octets, Took: timeOf(octets, rate)})
		if len(f) < 14 {
			continue
		}
		missed, err := strconv.ParseFloat(f[10], 64)
		of, wrong := strconv.ParseFloat(f[11], 64)
		if err = errors.Join(err, wrong); err != nil || of < 0 {
			return weir.Transferred{}, fmt.Errorf("iperf does not say what was received: %q", line)
		}
		lost, all, udp = lost+missed, all+of, true
	}
	if len(parts) != streams {
		return weir.Transferred{}, fmt.Errorf("iperf reports on %d of %d streams: %q", len(parts), streams, lastLines(said))
	}
	t := mergeStreams(parts)
	if udp {
		t.Figures = datagrams(all, all-lost, lost)
	}
	return t, nil
}
