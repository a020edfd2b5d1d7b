package method

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/sim"
)

// hosts are end hosts that answer each trial of a transfer as they are told.
func hosts(answer func(weir.Trial) (weir.Transferred, error)) Env {
	n := 0
	return Env{
		Traffic: weir.Traffic{Name: "streams", Application: true, Family: weir.IPv4, Seed: 7},
		Factors: weir.Factors{"frame_size": "streams"}, DUTCPUs: 2,
		Measure: func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
			n++
			t.Number = n
			if err := ctx.Err(); err != nil {
				return weir.TrialResult{}, err
			}
			found, err := answer(t)
			if err != nil {
				return weir.TrialResult{}, err
			}
			return weir.TrialResult{Trial: t, Sending: t.Duration, Transferred: &found}, nil
		},
	}
}

// moved is a transfer at a rate in bit/s.
func moved(rate float64, t weir.Trial) weir.Transferred {
	took := t.Duration - t.Transfer.WarmUp
	return weir.Transferred{
		Octets: uint64(rate / 8 * took.Seconds()), Took: took, Server: weir.Destination, Segment: 1448, Interval: time.Second,
		CPU: weir.EndsCPU{Source: took / 4, Destination: took / 2},
	}
}

func steadyRates(n int, rate float64) (out []float64) {
	for range n {
		out = append(out, rate)
	}
	return out
}

func warningOf(r weir.Result, code weir.WarningCode) string {
	for _, w := range r.Warnings {
		if w.Code == code {
			return w.Text
		}
	}
	return ""
}

func TestTransfer(t *testing.T) {
	rates := []float64{90e6, 70e6, 80e6}
	var trials []weir.Trial
	env := hosts(func(t weir.Trial) (weir.Transferred, error) {
		trials = append(trials, t)
		found := moved(rates[len(trials)-1], t)
		found.Rates = steadyRates(10, rates[len(trials)-1]*1.06)
		found.Rates[3] *= 1.4 // a peak
		found.Retransmitted = 3
		found.RTT.Add(2e6, 10)
		return found, nil
	})
	env.Traffic.Server = weir.Source
	r := run(t, "tcp", env, Params{Trials: 3, Transfer: weir.Transfer{Streams: 2}})
	if r.Value != 80e6 || r.Lower != 70e6 || r.Upper != 90e6 || r.Unit != "bit/s" || r.Claim.Name != "TCP goodput" {
		t.Errorf("%v of %v to %v %s, %q", r.Value, r.Lower, r.Upper, r.Unit, r.Claim.Name)
	}
	want := weir.Transfer{Program: "tcp", Streams: 2, WarmUp: time.Second, Seed: 7}
	if d := cmp.Diff(&want, r.Transfer); d != "" {
		t.Errorf("the transfer (-want +got):\n%s", d)
	}
	for _, one := range trials {
		if !one.Maximum || one.Duration != 10*time.Second || one.Purpose != "tcp" || *one.Transfer != want {
			t.Errorf("trial %+v of %+v", one, one.Transfer)
		}
	}
	if len(r.Rates) != 8 || r.Rates[0] != 80e6*1.06 || r.Rates[2] < 110e6 || r.Server != weir.Destination || len(r.Warnings) > 0 {
		t.Errorf("rates %v, server at the %s, warnings %v", r.Rates, r.Server, r.Warnings)
	}
	if again, ok := r.Figure("segments retransmitted"); !ok || again != 3 {
		t.Errorf("figures %v", r.Figures)
	}
	if cpu, _ := r.Figure("CPU of the programs at the destination"); cpu != .5 {
		t.Errorf("figures %v", r.Figures)
	}
	if r.First != 1 || r.Last != 3 || r.Trials != 3 || r.SearchTime != 30 || r.Latency != nil {
		t.Errorf("trials %d to %d, %v s, latency %v", r.First, r.Last, r.SearchTime, r.Latency)
	}
}

// What the values of the methods are.
func TestMeasuresOfTransfers(t *testing.T) {
	answer := func(t weir.Trial) (weir.Transferred, error) {
		found := moved(80e6, t)
		found.Count, found.IdleRTT, found.Verified = 900, .0005, true
		for i := range uint64(100) {
			found.RTT.Add((i+1)*1e6, 1)
		}
		return found, nil
	}
	for _, tt := range []struct {
		method  string
		params  Params
		want    float64
		unit    string
		program string
		claim   string
	}{
		{"connections", Params{}, 100, "connections/s", "connections", "connection rate"},
		{"loaded-latency", Params{}, .05, "s", "load", "latency under load"},
		{"netperf", Params{}, 80e6, "bit/s", "netperf", "TCP goodput"},
		{"netperf", Params{Transfer: weir.Transfer{Test: "TCP_RR"}}, 15, "transactions/s", "netperf", "transaction rate"},
		{"netperf", Params{Trial: 2 * time.Second, Transfer: weir.Transfer{Test: "UDP_STREAM"}}, 80e6, "bit/s", "netperf", "UDP goodput, short trials"},
		{"iperf3", Params{}, 80e6, "bit/s", "iperf3", "TCP goodput"},
		{"iperf", Params{}, 80e6, "bit/s", "iperf", "TCP goodput"},
		{"smb", Params{}, 80e6, "bit/s", "smb", "file transfer"},
	} {
		r := run(t, tt.method, hosts(answer), tt.params)
		if r.Value < tt.want*(1-weir.HistogramError) || r.Value > tt.want*(1+weir.HistogramError) || r.Unit != tt.unit || r.Claim.Name != tt.claim || r.Transfer.Program != tt.program {
			t.Errorf("%s %s: %v %s, %q by %s, want %v %s, %q", tt.method, tt.params.Transfer.Test, r.Value, r.Unit, r.Claim.Name, r.Transfer.Program, tt.want, tt.unit, tt.claim)
		}
	}
	for test, want := range map[string]weir.Transfer{
		"tcp": {Program: "iperf3", Test: "tcp", Streams: 1, WarmUp: time.Second, Seed: 7},
		"udp": {Program: "iperf3", Test: "udp", Streams: 1, Seed: 7}, // has none
	} {
		if r := run(t, "iperf3", hosts(answer), Params{Transfer: weir.Transfer{Test: test}}); *r.Transfer != want {
			t.Errorf("iperf3 %s: %+v", test, *r.Transfer)
		}
	}
	r := run(t, "loaded-latency", hosts(answer), Params{})
	for name, want := range map[string]float64{"goodput of the load": 80e6, "round trip without load": .0005, "round trip under load, 99th percentile": .099} {
		if got, ok := r.Figure(name); !ok || got < want*(1-weir.HistogramError) || got > want*(1+weir.HistogramError) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if r.Latency == nil || r.Latency.N != 100 {
		t.Errorf("latency %+v", r.Latency)
	}
}

// A transfer of files takes the time that it takes: what a trial has is an
// estimate, and a result has what it was.
func TestFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		link  float64
		likes time.Duration
	}{
		"no rate":        {0, 2*time.Second + 20800*time.Millisecond},
		"of 1000 Mbit/s": {1e9, 2*time.Second + 4160*time.Millisecond},
	} {
		env := hosts(func(trial weir.Trial) (weir.Transferred, error) {
			if want := (weir.Transfer{Program: "ftp", Files: 13, FileSize: 20e6, Storage: weir.Memory, Seed: 7}); *trial.Transfer != want || trial.Duration != tt.likes {
				t.Errorf("%s: %v of %+v", name, trial.Duration, *trial.Transfer)
			}
			return weir.Transferred{Octets: 260e6, Took: 3 * time.Second, Verified: true,
				Figures: []weir.Figure{{Name: weir.SetUpTime, Value: .4, Unit: "s"}},
				// Two seconds of preparing, login, the files, and two of waiting for the disk.
				Rates: []float64{0, 0, 1e5, 2e8, 3e8, 3e8, 4e8, 3e8, 3e8, 1e8, 0, 0}}, nil
		})
		env.LinkRate = tt.link
		r := run(t, "ftp", env, Params{Trials: 2})
		if r.TrialSeconds != 3 || r.SearchTime != 6 || r.Value != 8*260e6/3. || r.Claim.Name != "file transfer" {
			t.Errorf("%s: %v in %v s, %v s each, %q", name, r.Value, r.SearchTime, r.TrialSeconds, r.Claim.Name)
		}
		if !slices.Equal(r.Rates, []float64{3e8, 3e8, 4e8, 3e8, 3e8}) || len(r.Warnings) > 0 {
			t.Errorf("%s: the seconds that count are %v, warnings %v", name, r.Rates, r.Warnings)
		}
	}
	m, _ := ByName("ftp")
	if p := m.Quickly(m.Params(Params{})).Transfer; p.Files != 1 || p.FileSize != 8e6 {
		t.Errorf("quickly: %+v", p)
	}
	if p := m.ByTheBook(Params{}).Transfer; p.Files != 13 || p.FileSize != 1.9e9 || p.Storage != weir.Disk {
		t.Errorf("by the book: %+v", p)
	}
}

// Without a warm-up, where the default has one, there is none: in no trial, and
// neither in a quick run.
func TestNoWarmUp(t *testing.T) {
	for _, name := range []string{"tcp", "rfc6349"} {
		var asked []weir.Transfer
		p := good()
		env := hosts(func(t weir.Trial) (weir.Transferred, error) {
			asked = append(asked, *t.Transfer)
			return p.answer(t)
		})
		m, _ := ByName(name)
		r := run(t, name, env, m.Quickly(m.Params(Params{Transfer: weir.Transfer{WarmUp: NoWarmUp}})))
		if r.Transfer.WarmUp != 0 || len(asked) == 0 {
			t.Errorf("%s: %+v", name, r.Transfer)
		}
		for _, a := range asked {
			if a.WarmUp != 0 {
				t.Errorf("%s: %+v", name, a)
			}
		}
	}
}

// What becomes of a transfer that has no value.
func TestTransferWithoutValue(t *testing.T) {
	missing := &weir.UnsupportedError{Feature: "netperf (netperf)", Remedy: "install the package netperf"}
	lab := errors.New("the store is full")
	for name, tt := range map[string]struct {
		method string
		answer func(weir.Trial) (weir.Transferred, error)
		want   string // Unmeasured
		broken bool
		err    string
	}{
		"missing": {"netperf", func(weir.Trial) (weir.Transferred, error) {
			return weir.Transferred{}, &TransferError{fmt.Errorf("netperf: %w", missing)}
		}, "netperf (netperf) is not available here; install the package netperf", false, ""},
		"not started": {"ftp", func(weir.Trial) (weir.Transferred, error) {
			return weir.Transferred{}, &TransferError{errors.New("ftp: the port 2121 is in use")}
		}, "ftp: the port 2121 is in use", true, ""},
		"broken off": {"tcp", func(t weir.Trial) (weir.Transferred, error) {
			found := moved(1e6, t)
			found.Failed, found.Rates = "nothing arrived at far for 5s", []float64{3e6, 2e6, 1e6, 0, 0}
			return found, nil
		}, "tcp broke off: nothing arrived at far for 5s", true, ""},
		"nothing arrived":        {"tcp", func(t weir.Trial) (weir.Transferred, error) { return moved(0, t), nil }, "tcp came to its end, but nothing arrived", true, ""},
		"nothing was completed":  {"connections", func(t weir.Trial) (weir.Transferred, error) { return moved(1e6, t), nil }, "nothing was completed", true, ""},
		"no round trip":          {"loaded-latency", func(t weir.Trial) (weir.Transferred, error) { return moved(1e6, t), nil }, "no round trip was timed", true, ""},
		"of the lab":             {"tcp", func(weir.Trial) (weir.Transferred, error) { return weir.Transferred{}, lab }, "", false, "trial 1: the store is full"},
		"unsupported by the lab": {"tcp", func(weir.Trial) (weir.Transferred, error) { return weir.Transferred{}, missing }, "", false, "netperf"},
	} {
		m, _ := ByName(tt.method)
		results, err := m.Run(t.Context(), hosts(tt.answer), m.Params(Params{Trials: 2}))
		r := results[0]
		var broken *BrokenOffError
		if got := errors.As(err, &broken); got != tt.broken || got && broken.Cause != r.Unmeasured {
			t.Errorf("%s: error %v", name, err)
		}
		if (tt.want == "") != (r.Unmeasured == "") || !strings.Contains(r.Unmeasured, tt.want) || r.Value != 0 || r.Transfer == nil || r.Transfer.Program == "" {
			t.Errorf("%s: unmeasured because %q, value %v, transfer %+v", name, r.Unmeasured, r.Value, r.Transfer)
		}
		if tt.want != "" && r.Claim.Name != "nothing measured" {
			t.Errorf("%s: claim %q", name, r.Claim.Name)
		}
		if !tt.broken && (tt.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error %v does not say %q", name, err, tt.err)
		}
		if name == "broken off" && (len(r.Rates) != 1 || r.Rates[0] != 2e6 || r.Server != weir.Destination || r.Trials != 1) {
			t.Errorf("%s: rates %v, server at the %s, %d trials", name, r.Rates, r.Server, r.Trials)
		}
	}
}

// One that breaks off behind a complete one leaves no value, and one that was
// interrupted leaves that of the complete one.
func TestSecondTransfer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	env := hosts(func(t weir.Trial) (weir.Transferred, error) {
		found := moved(5e6, t)
		if t.Number == 2 {
			found.Failed = "the server ended"
		}
		return found, nil
	})
	results, err := tcpStream.Run(ctx, env, Params{Trials: 2})
	if r := results[0]; r.Value != 0 || r.Unmeasured != "tcp broke off: the server ended" || r.Trials != 2 {
		t.Errorf("%v of %d trials, %q, %v", r.Value, r.Trials, r.Unmeasured, err)
	}
	for _, cause := range []error{context.Canceled, &TransferError{errors.New("killed")}} {
		ctx, cancel := context.WithCancel(t.Context())
		env = hosts(func(t weir.Trial) (weir.Transferred, error) {
			if t.Number == 2 {
				cancel()
				return weir.Transferred{}, cause
			}
			return moved(5e6, t), nil
		})
		results, err = tcpStream.Run(ctx, env, Params{Trials: 2})
		if r := results[0]; r.Value != 5e6 || r.Unmeasured != "" || r.Trials != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v of %d trials, %q, %v", cause, r.Value, r.Trials, r.Unmeasured, err)
		}
	}
	cancel()
}

func TestLossOfDatagrams(t *testing.T) {
	env := hosts(func(t weir.Trial) (weir.Transferred, error) {
		found := moved(80e6, t)
		found.Figures = []weir.Figure{{Name: weir.DatagramsSent, Value: 1000}, {Name: weir.DatagramsReceived, Value: 880}, {Name: weir.DatagramsDropped, Value: 20}}
		return found, nil
	})
	r := run(t, "udp", env, Params{})
	if r.LossRatio != .1 || r.Claim.Name != "UDP goodput" {
		t.Errorf("loss ratio %v, %q", r.LossRatio, r.Claim.Name)
	}
	if len(r.Warnings) > 0 { // those of the trial say it, and it is said once
		t.Errorf("warnings %v", r.Warnings)
	}
	all := hosts(func(t weir.Trial) (weir.Transferred, error) { // loses all of it, which is a result
		found := moved(0, t)
		found.Figures = []weir.Figure{{Name: weir.DatagramsSent, Value: 1000}, {Name: weir.DatagramsReceived}}
		return found, nil
	})
	if r := run(t, "udp", all, Params{}); r.LossRatio != 1 || r.Value != 0 || r.Unmeasured != "" {
		t.Errorf("loss ratio %v, %q", r.LossRatio, r.Unmeasured)
	}
	uncounted := hosts(func(t weir.Trial) (weir.Transferred, error) { return moved(80e6, t), nil })
	measure := uncounted.Measure
	uncounted.Measure = func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, t)
		r.Offered, r.Received = 100, 75
		return r, err
	}
	if r := run(t, "udp", uncounted, Params{}); r.LossRatio != .25 {
		t.Errorf("loss ratio of the trial %v", r.LossRatio)
	}
	if r := run(t, "tcp", uncounted, Params{}); r.LossRatio != 0 {
		t.Errorf("loss ratio of TCP %v", r.LossRatio)
	}
}

// Every method of a transfer finds the truth of a simulated testbed.
func TestTransfersOfASimulatedDUT(t *testing.T) {
	tcp := 1e5 / 1.5 * 1448 * 8
	want := map[string]float64{
		"tcp": tcp, "rfc6349": tcp, "iperf3": tcp / 1.002, "iperf": tcp / 1.003, "netperf": tcp / 1.001,
		"udp": 1e5 * 1472 * 8, "connections": 1e4, "loaded-latency": 90e-6 + 256e-5,
		"pppoe-setup": 1e5 / 21, "pppoe-flood": 9 * 90e-6,
		"ftp": tcp / 1.01, "smb": tcp / 1.05, "http": tcp / 1.005, "sftp": tcp / 1.08, "rsync": tcp / 1.03, "pipe": tcp / 1.1,
	}
	for _, m := range All() {
		if !m.Application {
			continue
		}
		env := simulated(t, sim.Config{Capacity: 1e5, Buffer: 256, Latency: 20 * time.Microsecond})
		env.Traffic = weir.Traffic{Name: "streams", Application: true, Family: weir.IPv4}
		r := run(t, m.Name, env, Params{})
		if r.Value < want[m.Name]*.999 || r.Value > want[m.Name]*1.001 || !r.Simulated || r.Unmeasured != "" {
			t.Errorf("%s: %v, want %v; %q", m.Name, r.Value, want[m.Name], r.Unmeasured)
		}
		if len(r.Warnings) > 0 || strings.HasPrefix(r.Claim.Name, "nothing") {
			t.Errorf("%s: %q with warnings %v", m.Name, r.Claim.Name, r.Warnings)
		}
	}
}
