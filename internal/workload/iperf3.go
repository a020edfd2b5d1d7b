package workload

import (
	"cmp"
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
	Info:  Info{Name: "iperf3", Summary: "streams of TCP or UDP by iperf3, which has a warm-up for TCP alone", Tests: iperf3Tests, Tools: iperf3Tools},
	begin: beginIperf3,
}

var (
	iperf3Tests = []string{"tcp", "udp"}
	iperf3Tools = []Tool{
		{Name: "iperf3", Of: iperf3Of, Package: "iperf3", Server: true},
		{Name: "iperf3", Of: iperf3Of, Package: "iperf3"},
	}
)

const (
	iperf3Of   = "the stream program iperf3"
	iperf3Port = 5201
)

// beginIperf3 starts the server, whose port is of TCP also in a test of UDP: that
// is the connection that controls it.
func beginIperf3(ctx context.Context, j *job) (*session, error) {
	s, err := j.streamTest(ctx, iperf3Tests, iperf3Tools[1], "--version", iperf3Port)
	if err != nil {
		return nil, err
	}
	server := service.Program{
		Name: "iperf3", Of: "the server of iperf3", Source: "iperf3", Family: true, // which ends with weir wherever it is
		Argv: func(string) []string { return iperf3Server(j, s.port) },
	}
	_, counted := iperf3Times(j, s.name)
	argv := append([]string{s.client}, iperf3Client(j, s.name, s.port)...)
	return s.begin(ctx, server, argv, time.Duration(counted)*time.Second, func(_ context.Context, said string, failed error) (weir.Transferred, error) {
		report, unread := readIperf3(said)
		switch {
		case failed != nil && report.Error != "":
			return weir.Transferred{}, fmt.Errorf("%w: %s", failed, report.Error)
		case failed != nil || unread != nil:
			return weir.Transferred{}, cmp.Or(failed, unread)
		case report.Error != "":
			return weir.Transferred{}, errors.New(report.Error)
		}
		return report.transferred(j.server)
	})
}

// iperf3Server are the arguments of the server.
func iperf3Server(j *job, port int) []string {
	at := j.address(j.serverEnd())
	return append(familyOption(at, "-4", "-6"), "-s", "-p", strconv.Itoa(port), "-B", at.String())
}

// iperf3Client are the arguments of the client. It has to be told the rate 0 for all
// that UDP can send.
func iperf3Client(j *job, test string, port int) []string {
	omitted, counted := iperf3Times(j, test)
	own := []string{"-J", "-t", strconv.Itoa(counted)}
	if omitted > 0 {
		own = append(own, "-O", strconv.Itoa(omitted))
	}
	return append(familyOption(j.address(j.clientEnd()), "-4", "-6"), iperfArgs(j, test, port, own, 0)...)
}

// iperf3Times are the seconds that iperf3 leaves out at the beginning, and
// those after these.
func iperf3Times(j *job, test string) (omitted, counted int) {
	if test != "udp" {
		omitted = wholeSeconds(j.WarmUp)
	}
	return omitted, max(wholeSeconds(j.duration)-omitted, 1)
}
