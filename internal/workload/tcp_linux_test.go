package workload

import (
	"context"
	"fmt"
	"os"
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

// ran is what comes of a trial that is to go well.
func ran(t *testing.T, p Path, trial weir.Trial) weir.Transferred {
	t.Helper()
	got, err := p.Run(t.Context(), trial)
	if err != nil || got.Failed != "" {
		t.Fatal(err, got.Failed)
	}
	if got.Version != weir.Version {
		t.Errorf("the version is %q", got.Version)
	}
	return got
}

func TestOwnTCP(t *testing.T) {
	p := joined(t)
	for i := range p.Ends {
		hold(t, p.Ends[i], "100mbit")
	}
	// 94.9 Mbit/s is what an Ethernet of 100 Mbit/s has room for. A receiver that
	// was kept from its CPU before the time that counts has more.
	for name, set := range map[string]func(*weir.Trial){
		"to the server":   func(*weir.Trial) {},
		"from the server": func(t *weir.Trial) { t.Traffic.Server = weir.Source; t.Traffic.Backward = true },
		"streams, IPv6":   func(t *weir.Trial) { t.Transfer.Streams = 3; t.Traffic.Family = weir.IPv6 },
		"both ways":       func(t *weir.Trial) { t.Traffic.Bidirectional = true },
	} {
		t.Run(name, func(t *testing.T) {
			trial := streamed("tcp")
			set(&trial)
			until := testenv.Attend(t)
			got := ran(t, p, trial)
			kept := until()
			least, most := 80e6, 99e6
			if trial.Traffic.Bidirectional {
				least, most = 2*75e6, 2*99e6 // acknowledgements take their part
			}
			if g := got.Goodput(); g < kept.Least(t, least) || g > most*kept.Most(got.Took) {
				t.Errorf("goodput is %.1f Mbit/s, kept %+v", g/1e6, kept)
			}
			if got.Took < 790*time.Millisecond-kept.For || got.Took > 950*time.Millisecond+kept.For {
				t.Errorf("it took %v, kept %+v", got.Took, kept)
			}
			if float64(got.RTT.N) < kept.Least(t, 5) || got.CPU.Source <= 0 || got.CPU.Destination <= 0 || got.Segment < 1400 || got.Segment > 1460 {
				t.Errorf("RTT of %d samples, CPU %v, segments of %d", got.RTT.N, got.CPU, got.Segment)
			}
		})
	}
}

// faulty is what comes of a trial that something happens to.
func faulty(t *testing.T, p Path, trial weir.Trial, when time.Duration, happens func()) (string, time.Duration) {
	t.Helper()
	trial.Duration = time.Minute
	happened := make(chan time.Time, 1)
	go func() {
		time.Sleep(when)
		happened <- time.Now()
		happens()
	}()
	got, err := p.Run(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	return got.Failed, time.Since(<-happened)
}

// pidOf is the process that plays a role at an end of this path, once there is
// one; other tests have their own.
func pidOf(t *testing.T, p Path, role string) (pid int) {
	for range 250 {
		for _, e := range p.Ends {
			said, err := e.Host.Run(context.Background(), "", "sh", "-c", `exec pgrep --ns $$ --nslist net -f "$0"`, os.Args[0]+" "+agent.Verb+" "+role)
			if _, scanned := fmt.Sscan(said, &pid); err == nil && scanned == nil {
				return pid
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("nobody plays the role %s", role)
	return 0
}

func TestOwnStreamBreaksOff(t *testing.T) {
	t.Parallel()
	p := joined(t)
	for i := range p.Ends {
		hold(t, p.Ends[i], "100mbit")
	}
	for _, c := range []struct{ program, role string }{
		{"tcp", "stream-serve"}, {"tcp", "stream-connect"}, {"udp", "stream-serve"},
		{"connections", "connections-serve"}, {"connections", "connections-make"}, {"load", "stream-connect"},
	} {
		t.Run(c.program+" "+c.role, func(t *testing.T) {
			when := 600 * time.Millisecond
			if c.program == "load" {
				when += idleTime
			}
			why, after := faulty(t, p, streamed(c.program), when, func() {
				if pid := pidOf(t, p, c.role); pid > 0 {
					unix.Kill(pid, unix.SIGKILL)
				}
			})
			if !strings.Contains(why, "killed") || !strings.Contains(why, c.role) || after > 3*time.Second {
				t.Errorf("after %v: %q", after, why)
			}
		})
	}
}

func TestOwnStreamLinkDown(t *testing.T) {
	t.Parallel()
	p := joined(t)
	why, after := faulty(t, p, streamed("tcp"), 600*time.Millisecond, func() {
		p.Ends[1].Host.Run(context.Background(), "", "ip", "link", "set", p.Ends[1].Port, "down")
	})
	if !strings.Contains(why, "nothing arrived") || after > 10*time.Second {
		t.Errorf("after %v: %q", after, why)
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
