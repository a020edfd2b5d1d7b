package workload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// held is a path whose ends send no faster than 50 Mbit/s, frame headers
// included. Their queues have room for all that sockets hold: none of the few packets is
// lost with which programs agree on the end.
func held(t *testing.T) Path {
	t.Helper()
	testenv.NeedTool(t, "tc", "ip", "ss", "iperf3", "iperf")
	p := joined(t)
	for _, e := range p.Ends {
		at(t, e, "tc", "qdisc", "add", "dev", e.Port, "root", "tbf", "rate", "50mbit", "burst", "8k", "limit", "8m")
	}
	return p
}

// installed leaves a test of netperf out where it is missing: it is in no
// distribution's free packages.
func installed(t *testing.T, program string) {
	t.Helper()
	if program == "netperf" {
		testenv.LikeTool(t, program, netperfSource)
	}
}

// stream is a trial of a second.
func stream(program, test string, set ...func(*weir.Trial)) weir.Trial {
	trial := weir.Trial{
		Traffic:  weir.Traffic{Application: true, Family: weir.IPv4},
		Duration: time.Second,
		Transfer: &weir.Transfer{Program: program, Test: test},
	}
	for _, s := range set {
		s(&trial)
	}
	return trial
}

func fromServer(t *weir.Trial) { t.Traffic.Server = weir.Source }
func overIPv6(t *weir.Trial)   { t.Traffic.Family = weir.IPv6 }
func backward(t *weir.Trial)   { t.Traffic.Backward = true }
func bothWays(t *weir.Trial)   { t.Traffic.Bidirectional = true }
func three(t *weir.Trial)      { t.Transfer.Streams = 3 }
func small(t *weir.Trial)      { t.Transfer.Payload = 1400 }
func warm(t *weir.Trial)       { t.Duration, t.Transfer.WarmUp = 2*time.Second, time.Second }

// What each program says has arrived is no more than what has come to the ports.
func TestStreamPrograms(t *testing.T) {
	t.Parallel()
	p := held(t)
	for _, trial := range []weir.Trial{
		stream("iperf3", "", warm),
		stream("iperf3", "tcp", fromServer, overIPv6),
		stream("iperf3", "udp", small, three),
		stream("iperf", "", three, fromServer),
		stream("iperf", "", overIPv6),
		stream("iperf", "udp", small, bothWays),
		stream("netperf", "", backward),
		stream("netperf", "TCP_STREAM", three, fromServer, overIPv6),
		stream("netperf", "UDP_STREAM", small, fromServer),
	} {
		name := fmt.Sprintf("%s %s %s %s", trial.Transfer.Program, trial.Transfer.Test, trial.Traffic.Server, trial.Traffic.Family)
		t.Run(name, func(t *testing.T) {
			installed(t, trial.Transfer.Program)
			came := carried(t, p)
			got := performed(t, p, trial)
			// The octets of both ways are those of their rates in the longer time.
			if all := came(); got.Octets > all && !trial.Traffic.Bidirectional || got.Took <= 0 {
				t.Errorf("%d octets in %v, and the ports had %d", got.Octets, got.Took, all)
			}
			if !strings.Contains(strings.ToLower(got.Version), "perf") || !strings.ContainsAny(got.Version, "23") {
				t.Errorf("the version is %q", got.Version)
			}
			if udp := strings.HasPrefix(strings.ToLower(trial.Transfer.Test), "udp"); udp != (len(got.Figures) > 0 && got.Figures[0].Name == weir.DatagramsSent) {
				t.Errorf("the figures are %v", got.Figures)
			}
			if trial.Transfer.Program == "iperf3" && (got.CPU.Source <= 0 || got.CPU.Destination <= 0) {
				t.Errorf("CPU times are %v", got.CPU)
			}
		})
	}
}

func TestStreamAtRate(t *testing.T) {
	t.Parallel()
	p := held(t)
	at10 := func(t *weir.Trial) { t.Transfer.Rate, t.Transfer.Payload = 10e6, 1400 }
	for _, program := range []string{"iperf3", "iperf"} {
		var began time.Time
		got := performed(t, p, stream(program, "udp", at10), func(weir.Trial) { began = time.Now() })
		all := time.Since(began)
		sent, received, lost := figure(t, got, weir.DatagramsSent), figure(t, got, weir.DatagramsReceived), figure(t, got, weir.DatagramsLost)
		if octets := float64(got.Octets); 8*1400*sent > 10.5e6*all.Seconds() || lost < 0 || received > sent || octets < 1400*(received-2) || octets > 1400*(received+2) {
			t.Errorf("%s: %v of %v octets, at 10 Mbit/s in less than %v", program, got.Figures, octets, all)
		}
	}
	installed(t, "netperf")
	var refused *weir.UnsupportedError
	if _, err := p.Run(t.Context(), stream("netperf", "", at10)); err == nil || errors.As(err, &refused) || !strings.Contains(err.Error(), "cannot hold a rate") {
		t.Errorf("netperf at a rate: %v", err)
	}
	if _, err := p.Run(t.Context(), stream("netperf", "TCP_CRR")); err == nil || !strings.Contains(err.Error(), "TCP_STREAM, TCP_RR, UDP_STREAM") {
		t.Errorf("a test that there is not: %v", err)
	}
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	installed(t, "netperf")
	p := held(t)
	began := time.Now()
	got := performed(t, p, stream("netperf", "TCP_RR", three))
	all := time.Since(began).Seconds()
	if trip := figure(t, got, "round trip, mean"); got.PerSecond() <= 0 || trip <= 0 || trip > all {
		t.Errorf("%v transactions/s of %v s each in %v s", got.PerSecond(), trip, all)
	}
}

// many is more than the test before has left in a queue, in octets.
const many = 1_000_000

// stations are the ports of the servers.
var stations = []struct {
	program, test string
	port          int
}{{"iperf3", "", iperf3Port}, {"iperf", "", iperfPort}, {"iperf", "udp", iperfPort}, {"netperf", "", netperfPort}}

func TestStreamPortInUse(t *testing.T) {
	t.Parallel()
	p := held(t)
	for _, s := range stations {
		t.Run(s.program+" "+s.test, func(t *testing.T) {
			installed(t, s.program)
			end := occupy(t, p.Ends[1], s.port, s.test == "udp")
			_, err := p.Run(t.Context(), stream(s.program, s.test))
			end()
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d of dut", s.port)) ||
				!strings.Contains(err.Error(), "in use") && !strings.Contains(err.Error(), "Unable to start netserver") {
				t.Errorf("%v", err)
			}
		})
	}
}

// occupy has a program of another user of the host listen on a port, until end.
func occupy(t *testing.T, e End, port int, udp bool) (end func()) {
	t.Helper()
	argv := []string{"iperf", "-s", "-p", fmt.Sprint(port)}
	if udp {
		argv = append(argv, "-u")
	}
	other, err := e.Host.(weir.Starter).Start(t.Context(), weir.Program{Argv: argv})
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, other.Stdout)
	testenv.Await(t, "another program listens", func() bool { return at(t, e, "ss", "-Hlntu", fmt.Sprintf("sport = :%d", port)) != "" })
	return func() {
		if err := other.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestStreamServerKilled(t *testing.T) {
	t.Parallel()
	p := held(t)
	for _, s := range stations {
		t.Run(s.program+" "+s.test, func(t *testing.T) {
			installed(t, s.program)
			long := stream(s.program, s.test, func(t *weir.Trial) { t.Duration = time.Hour })
			moving := begin(func() (weir.Transferred, error) { return p.Run(t.Context(), long) })
			moving.awaitOctets(t, p.Ends[1], many)
			kill(t, p.Ends[1], s.port)
			if got, err := moving.end(); err != nil || !strings.Contains(got.Failed, "killed") {
				t.Errorf("%v, failed: %q", err, got.Failed)
			}
		})
	}
}

func TestStreamCancelled(t *testing.T) {
	t.Parallel()
	p := held(t)
	for _, s := range stations {
		t.Run(s.program+" "+s.test, func(t *testing.T) {
			installed(t, s.program)
			ctx, cancel := context.WithCancel(t.Context())
			long := stream(s.program, s.test, func(t *weir.Trial) { t.Duration = time.Hour })
			moving := begin(func() (weir.Transferred, error) { return p.Run(ctx, long) })
			moving.awaitOctets(t, p.Ends[1], many)
			cancel()
			if _, err := moving.end(); !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
			for _, e := range p.Ends {
				if left := at(t, e, "ss", "-Hlntu"); left != "" {
					t.Errorf("left %s", left)
				}
			}
		})
	}
}

var holder = regexp.MustCompile(`pid=(\d+),`)

// kill kills what listens on a port of an end.
func kill(t *testing.T, e End, port int) {
	t.Helper()
	said := at(t, e, "ss", "-Hlntup", fmt.Sprintf("sport = :%d", port))
	m := holder.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("nothing has port %d: %s", port, said)
	}
	at(t, e, "kill", "-KILL", m[1])
}

// unfit is a host on which nothing is installed.
type unfit struct{ weir.Host }

func (unfit) Name() string { return "unfit" }
func (unfit) Run(context.Context, string, ...string) (string, error) {
	return "", errors.New("exit status 127")
}

func TestStreamProgramMissing(t *testing.T) {
	bare := End{Host: unfit{}, Address: streamJob(weir.Transfer{}, 0, "", "").source.Address}
	for program, want := range map[string]string{
		"iperf3": "install the package iperf3", "iperf": "install the package iperf",
		"netperf": "install the package netperf (Debian has it in the component non-free, Ubuntu in multiverse)",
	} {
		_, err := Path{Ends: [2]End{bare, bare}}.Run(t.Context(), stream(program, ""))
		var missing *weir.UnsupportedError
		if !errors.As(err, &missing) || missing.Remedy != want {
			t.Errorf("%s: %v", program, err)
		}
	}
}
