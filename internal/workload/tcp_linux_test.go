package workload

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/agent"
	"weir/internal/endhost"
	"weir/internal/testenv"
)

// hold holds what an end sends to a rate.
func hold(t *testing.T, e End, rate string) {
	t.Helper()
	at(t, e, "ip", "link", "set", "dev", e.Port, "gso_max_segs", "1") // each frame counts by itself
	at(t, e, "tc", "qdisc", "replace", "dev", e.Port, "root", "tbf", "rate", rate, "burst", "20k", "limit", "300k", "overhead", "24")
}

// streamed is a trial of 1 s with a warm-up of 200 ms.
func streamed(program string) weir.Trial {
	return weir.Trial{
		Traffic:  weir.Traffic{Application: true, Family: weir.IPv4},
		Duration: time.Second,
		Transfer: &weir.Transfer{Program: program, WarmUp: 200 * time.Millisecond},
	}
}

// starved is what a transfer says whose programs had no CPU in the time that counts.
var starved = regexp.MustCompile("none ended in the time that counts|no echo came back|no small packet came back|no connection came about: no answer|it ended after")

// performed is what comes of a trial that is to go well. One in whose second nothing moved, as
// no program had a CPU, says nothing and is done again, for longer. Before each attempt begin
// is called with its trial.
func performed(t *testing.T, p Path, trial weir.Trial, begin ...func(weir.Trial)) (got weir.Transferred) {
	t.Helper()
	var err error
	none, shortest := true, trial.Duration
	for times := range testenv.Longer {
		trial.Duration = times * shortest
		for _, do := range begin {
			do(trial)
		}
		got, err = p.Run(t.Context(), trial)
		none = got.Octets+got.Count == 0 && got.PathMTU == 0 || trial.Transfer.Program == "tcp" && got.RTT.N == 0
		if said := fmt.Sprint(err, got.Failed); !starved.MatchString(said) && (err != nil || got.Failed != "" || !none) {
			break
		}
	}
	if err != nil || got.Failed != "" {
		t.Fatal(err, got.Failed, states(p))
	}
	if none {
		t.Fatalf("nothing moved in %v: %+v", trial.Duration, got)
	}
	return got
}

// states are what the kernels of both ends say of their addresses, routes, neighbours, queues
// and counters, for who looks for the reason of a failure.
func states(p Path) (said string) {
	for _, e := range p.Ends {
		text, err := e.Host.Run(context.Background(), "", "sh", "-c", `ip -s -d address show dev "$0"; for f in 4 6; do ip -$f route show table all; ip -$f neighbor; done; tc -s qdisc show dev "$0"; cat /proc/net/netstat /proc/net/snmp /proc/net/snmp6`, e.Port)
		said += fmt.Sprintf("\n%s: %s %v", e.Host.Name(), text, err)
	}
	return said
}

// ran is what comes of a trial of one of weir's own programs, as performed says.
func ran(t *testing.T, p Path, trial weir.Trial, begin ...func(weir.Trial)) weir.Transferred {
	t.Helper()
	got := performed(t, p, trial, begin...)
	if got.Version != weir.Version {
		t.Errorf("the version is %q", got.Version)
	}
	return got
}

func TestOwnTCP(t *testing.T) {
	t.Parallel()
	p := joined(t)
	for i := range p.Ends {
		hold(t, p.Ends[i], "100mbit")
	}
	for name, set := range map[string]func(*weir.Trial){
		"to the server":   func(*weir.Trial) {},
		"from the server": func(t *weir.Trial) { t.Traffic.Server = weir.Source; t.Traffic.Backward = true },
		"streams, IPv6":   func(t *weir.Trial) { t.Transfer.Streams = 3; t.Traffic.Family = weir.IPv6 },
		"both ways":       func(t *weir.Trial) { t.Traffic.Bidirectional = true },
	} {
		t.Run(name, func(t *testing.T) {
			trial := streamed("tcp")
			set(&trial)
			came := carried(t, p)
			got := ran(t, p, trial)
			// The octets of both ways are those of their rates in the longer time.
			if all := came(); got.Octets > all && !trial.Traffic.Bidirectional || got.Took <= 0 {
				t.Errorf("%d octets in %v, and the ports had %d", got.Octets, got.Took, all)
			}
			if got.CPU.Source <= 0 || got.CPU.Destination <= 0 || got.Segment < 1400 || got.Segment > 1460 {
				t.Errorf("CPU %v, segments of %d", got.CPU, got.Segment)
			}
		})
	}
}

// pidOf is the process that plays a role at an end of this path; 0: nobody does.
func pidOf(p Path, role string) (pid int) {
	for _, e := range p.Ends {
		said, err := e.Host.Run(context.Background(), "", "sh", "-c", `exec pgrep --ns $$ --nslist net -f "$0"`, os.Args[0]+" "+agent.Verb+" "+role)
		if _, scanned := fmt.Sscan(said, &pid); err == nil && scanned == nil {
			return pid
		}
	}
	return 0
}

func TestOwnStreamBreaksOff(t *testing.T) {
	t.Parallel()
	p := joined(t)
	for i := range p.Ends {
		hold(t, p.Ends[i], "100mbit")
	}
	for i, c := range []struct{ program, role string }{
		{"tcp", "stream-serve"}, {"tcp", "stream-connect"}, {"udp", "stream-serve"},
		{"connections", "connections-serve"}, {"connections", "connections-make"}, {"load", "stream-connect"},
	} {
		t.Run(c.program+" "+c.role, func(t *testing.T) {
			if i > 1 {
				testenv.Long(t)
			}
			trial := streamed(c.program)
			trial.Duration = time.Hour
			moving := begin(func() (weir.Transferred, error) { return p.Run(t.Context(), trial) })
			moving.awaitOctets(t, p.Ends[1], many/2)
			moving.await(t, "somebody plays the role "+c.role, func() bool { return pidOf(p, c.role) > 0 })
			unix.Kill(pidOf(p, c.role), unix.SIGKILL)
			if got, err := moving.end(); err != nil || !strings.Contains(got.Failed, "killed") || !strings.Contains(got.Failed, c.role) {
				t.Errorf("%q, %v", got.Failed, err)
			}
		})
	}
}

func TestOwnStreamLinkDown(t *testing.T) {
	t.Parallel()
	p := joined(t)
	for i := range p.Ends { // a stream without limits would take the CPUs from all others
		hold(t, p.Ends[i], "100mbit")
	}
	trial := streamed("tcp")
	trial.Duration = time.Hour
	moving := begin(func() (weir.Transferred, error) { return p.Run(t.Context(), trial) })
	moving.awaitOctets(t, p.Ends[1], some)
	at(t, p.Ends[1], "ip", "link", "set", p.Ends[1].Port, "down")
	if got, err := moving.end(); err != nil || !strings.Contains(got.Failed, "nothing arrived") {
		t.Errorf("%q, %v", got.Failed, err)
	}
}

func TestOwnStreamRefused(t *testing.T) {
	t.Parallel()
	p := joined(t)
	trial := streamed("tcp")
	trial.Transfer.Rate = 1e6
	if _, err := p.Run(t.Context(), trial); err == nil || !strings.Contains(err.Error(), "all it can") {
		t.Error(err)
	}
	j := &job{family: weir.IPv4, source: p.Ends[0], destination: p.Ends[1], server: weir.Destination}
	for _, role := range []string{"stream-serve", "connections-serve", "echo-serve"} {
		settings := any(j.at(streamPort))
		if role == "stream-serve" {
			settings = endhost.Streams{Address: j.address(j.serverEnd()), Port: streamPort}
		}
		first, err := j.startRole(t.Context(), role, settings)
		if err != nil {
			t.Fatal(err)
		}
		second, err := j.startRole(t.Context(), role, settings)
		if err == nil {
			second.Stop(t.Context())
			t.Errorf("%s: a port was used twice", role)
		} else if !strings.Contains(err.Error(), "5300: ") || !strings.Contains(err.Error(), "address already in use") {
			t.Error(err)
		}
		if err := first.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
