package workload

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"weir"
	"weir/internal/service"
)

// iperf3 is iperf3 of ESnet. It counts whole seconds: the duration of a trial is
// rounded up to such, and so is the warm-up in it. A test of UDP has none and
// counts all of its time: iperf3 takes what was lost in the time that it leaves
// out for lost in the test.
var iperf3 = program{
	name:    "iperf3",
	summary: "streams of TCP or UDP by iperf3, which has a warm-up for TCP alone",
	usual:   weir.Destination,
	either:  true,
	tests:   iperf3Tests,
	tools: []Tool{
		{Name: "iperf3", Of: iperf3Of, Package: "iperf3", Server: true},
		{Name: "iperf3", Of: iperf3Of, Package: "iperf3"},
	},
	begin: beginIperf3,
}

var iperf3Tests = []string{"tcp", "udp"}

const (
	iperf3Of   = "the stream program iperf3"
	iperf3Port = 5201
)

func beginIperf3(ctx context.Context, j *job) (*session, error) {
	test, err := testOf(j, iperf3Tests)
	if err != nil {
		return nil, err
	}
	client, err := service.Find(ctx, j.asking().Host, "iperf3", iperf3Of, "iperf3")
	if err != nil {
		return nil, err
	}
	version, err := versionOf(ctx, j.asking().Host, client, "--version")
	if err != nil {
		return nil, err
	}
	port := iperf3Port + j.number
	server, err := startServer(ctx, j, service.Program{
		Name: "iperf3", Of: "the server of iperf3", Source: "iperf3",
		Argv: func(string) []string { return iperf3Server(j, port) },
	}, port, false, "") // the connection that controls a test is of TCP, also of one of UDP
	if err != nil {
		return nil, err
	}
	move := func(ctx context.Context) (weir.Transferred, error) {
		said, err := server.ask(ctx, j.asking().Host, append([]string{client}, iperf3Client(j, test, port)...))
		report, unread := readIperf3(said)
		switch {
		case err != nil && report.Error != "":
			return weir.Transferred{}, server.explained(ctx, fmt.Errorf("%w: %s", err, report.Error), "")
		case err != nil:
			return weir.Transferred{}, server.explained(ctx, err, "")
		case unread != nil:
			return weir.Transferred{}, server.explained(ctx, unread, "")
		case report.Error != "":
			return weir.Transferred{}, server.explained(ctx, errors.New(report.Error), "")
		}
		found, err := report.transferred(j.server)
		if err != nil {
			return found, err
		}
		found.Version = version
		_, counted := iperf3Times(j, test)
		return found, complete(found, time.Duration(counted)*time.Second)
	}
	return &session{move: move, end: server.end}, nil
}

// iperf3Server are the arguments of the server.
func iperf3Server(j *job, port int) []string {
	at := j.address(j.serving())
	return append(familyOption(at, "-4", "-6"), "-s", "-p", strconv.Itoa(port), "-B", at.String())
}

// iperf3Client are the arguments of the client.
func iperf3Client(j *job, test string, port int) []string {
	own, other := j.address(j.asking()), j.address(j.serving())
	argv := append(familyOption(own, "-4", "-6"), "-c", other.String(), "-p", strconv.Itoa(port), "-B", own.String(), "-J")
	omitted, counted := iperf3Times(j, test)
	argv = append(argv, "-t", strconv.Itoa(counted))
	if omitted > 0 {
		argv = append(argv, "-O", strconv.Itoa(omitted))
	}
	if j.streams() > 1 {
		argv = append(argv, "-P", strconv.Itoa(j.streams()))
	}
	if test == "udp" {
		argv = append(argv, "-u")
	}
	if test == "udp" || j.Rate > 0 { // 0, all it can, is not what iperf3 takes by itself for UDP
		argv = append(argv, "-b", decimal(j.Rate))
	}
	if j.Payload > 0 {
		argv = append(argv, "-l", strconv.Itoa(j.Payload))
	}
	if j.server == weir.Source {
		argv = append(argv, "-R")
	}
	return argv
}

// iperf3Times are the seconds that iperf3 leaves out at the beginning, and
// those after these.
func iperf3Times(j *job, test string) (omitted, counted int) {
	if test != "udp" {
		omitted = wholeSeconds(j.WarmUp)
	}
	return omitted, max(wholeSeconds(j.duration)-omitted, 1)
}
