package sim

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// between is a trial of a transfer between two end hosts.
func between(asked weir.Transfer) weir.Trial {
	return weir.Trial{Number: 3, Maximum: true, Duration: 10 * time.Second, Transfer: &asked,
		Traffic: weir.Traffic{Application: true, Family: weir.IPv4}}
}

func TestSimTransfers(t *testing.T) {
	const link = 1e8 // bit/s
	tcp, linked := 2e5*1448*8., link/1538*1448.
	both := func(t *weir.Trial) { t.Traffic.Bidirectional = true }
	jumbo := func(t *weir.Trial) { t.Condition.Put(weir.Tuning{Name: "mtu", Value: "9000"}) }
	for name, tt := range map[string]struct {
		asked    weir.Transfer
		link     float64
		change   func(*weir.Trial)
		goodput  float64
		count    float64 // in a second
		rtt      float64
		loss     float64
		verified bool
	}{
		"tcp":              {asked: weir.Transfer{Program: "tcp"}, goodput: tcp, rtt: .0011},
		"both directions":  {asked: weir.Transfer{Program: "tcp"}, change: both, goodput: tcp, rtt: .0011},
		"another program":  {asked: weir.Transfer{Program: "iperf", Streams: 3, WarmUp: time.Second}, goodput: tcp / 1.003, rtt: .0011},
		"a rate":           {asked: weir.Transfer{Program: "iperf3", Rate: 1e6, Streams: 2}, goodput: 2e6, rtt: .0011},
		"load":             {asked: weir.Transfer{Program: "load"}, goodput: tcp, rtt: .0011},
		"connections":      {asked: weir.Transfer{Program: "connections"}, goodput: 8 * 3e4, count: 3e4, rtt: .0011},
		"transactions":     {asked: weir.Transfer{Program: "netperf", Test: "TCP_RR"}, goodput: 8e4, count: 1e4, rtt: .0011},
		"files":            {asked: weir.Transfer{Program: "smb", Files: 10, FileSize: 1e8}, goodput: tcp / 1.05, rtt: .0011, verified: true},
		"UDP at a rate":    {asked: weir.Transfer{Program: "udp", Rate: 8e6, Payload: 1000}, goodput: 8e6},
		"UDP, too fast":    {asked: weir.Transfer{Program: "udp", Rate: 8 * 4e8, Payload: 1000}, goodput: 8 * 3e8, loss: .25},
		"UDP of a program": {asked: weir.Transfer{Program: "iperf3", Test: "udp", Rate: 8e6}, goodput: 8e6},
		"with a firewall":  {asked: weir.Transfer{Program: "tcp"}, change: func(t *weir.Trial) { t.Condition.Put(weir.Firewall{Kind: weir.Stateful}) }, goodput: tcp, rtt: .0011},

		// A link of 100 Mbit/s empties the buffer of 300 frames at 12,191 frames/s.
		"a link":                   {asked: weir.Transfer{Program: "tcp"}, link: link, goodput: linked, rtt: .0001 + 300/(1.5*link/8/1538)},
		"a link, both directions":  {asked: weir.Transfer{Program: "tcp"}, link: link, change: both, goodput: 2 * linked, rtt: .0001 + 300/(3*link/8/1538)},
		"a link, another program":  {asked: weir.Transfer{Program: "ftp", Files: 2, FileSize: 1e7}, link: link, goodput: linked / 1.01, rtt: .0001 + 300/(1.5*link/8/1538), verified: true},
		"a link, faster than that": {asked: weir.Transfer{Program: "tcp"}, link: 1e11, goodput: tcp, rtt: .0011},
		"a link, connections":      {asked: weir.Transfer{Program: "connections"}, link: link, goodput: 8 * 2 * link / 8 / 104 / 10, count: 2 * link / 8 / 104 / 10, rtt: .0001 + 300/(2*link/8/104)},
		"a link, UDP":              {asked: weir.Transfer{Program: "udp", Rate: 8e7}, link: link, goodput: 8e7},
		"a link, UDP too fast":     {asked: weir.Transfer{Program: "udp", Rate: 2 * link / 1538 * 1472, WarmUp: time.Second}, link: link, goodput: link / 1538 * 1472, loss: .5},
		"jumbo frames":             {asked: weir.Transfer{Program: "tcp"}, link: link, change: jumbo, goodput: link / 9038 * 8948, rtt: .0001 + 300/(1.5*link/8/9038)},
		"files in memory":          {asked: weir.Transfer{Program: "ftp", Files: 2, FileSize: 1e7, Storage: weir.Memory}, goodput: tcp / 1.01, rtt: .0011, verified: true},
		"files on disks":           {asked: weir.Transfer{Program: "ftp", Files: 2, FileSize: 1e7, Storage: weir.Disk}, goodput: 8e7, rtt: .0011, verified: true},
		"a link, UDP both ways":    {asked: weir.Transfer{Program: "udp", Rate: 4 * link / 1538 * 1472}, link: link, change: both, goodput: 2 * link / 1538 * 1472, loss: .5},
	} {
		s, err := New(Config{Capacity: 3e5, Buffer: 300, Latency: 25 * time.Microsecond, Link: tt.link, Disk: 1e7})
		if err != nil {
			t.Fatal(err)
		}
		trial := between(tt.asked)
		if tt.change != nil {
			tt.change(&trial)
		}
		r, err := s.Measure(t.Context(), trial)
		if err != nil || r.Transferred == nil || !r.Simulated {
			t.Fatalf("%s: %v", name, err)
		}
		f := r.Transferred
		alike := func(what string, got, want float64) {
			if math.Abs(got-want) > .001*want+1e-6 {
				t.Errorf("%s: %s is %v, want %v", name, what, got, want)
			}
		}
		alike("goodput", f.Goodput(), tt.goodput)
		if tt.count > 0 {
			alike("count", f.PerSecond(), tt.count)
		}
		if tt.rtt > 0 {
			alike("round trip", f.RTT.Quantile(0), tt.rtt)
		}
		alike("idle round trip", f.IdleRTT, 100e-6)
		alike("loss", r.DUTLoss(), tt.loss)
		if want := int(math.Ceil(r.Sending.Seconds())); len(f.Rates) != want || f.Verified != tt.verified || f.Failed != "" || f.Server != weir.Destination {
			t.Errorf("%s: %d rates, want %d; %+v", name, len(f.Rates), want, f)
		}
		if spread := slices.Max(f.Rates)/slices.Min(f.Rates) - 1; len(f.Rates) > 5 && (spread <= 0 || spread > .1) {
			t.Errorf("%s: the rates differ by %v", name, spread)
		}
		alike("CPU", f.CPU.Source.Seconds(), programCPU*f.Took.Seconds()*float64(trial.Traffic.Ports()))
		if datagrams(tt.asked) { // of the whole trial, as those of real programs are
			sent, arrived := f.Figures[0], f.Figures[1]
			if sent.Name != weir.DatagramsSent || arrived.Name != weir.DatagramsReceived || uint64(sent.Value) != r.Offered || uint64(arrived.Value) != r.Received {
				t.Errorf("%s: %+v of %d datagrams, %d of which came back", name, f.Figures, r.Offered, r.Received)
			}
			octets := float64(tt.asked.Payload)
			if octets == 0 {
				octets = ethernetMTU - udpHeaders
			}
			alike("rate sent", 8*octets*sent.Value/trial.Duration.Seconds(), tt.asked.Rate)
		}
		again, _ := s.Measure(t.Context(), trial)
		if d := cmp.Diff(r.Transferred, again.Transferred); d != "" {
			t.Errorf("%s: the same trial again:\n%s", name, d)
		}
	}
}

// A slower DUT is slower for transfers, too, and its noise is theirs.
func TestSimTransfersUnderConditions(t *testing.T) {
	goodput := func(c Config, change func(*weir.Trial)) float64 {
		s, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		trial := between(weir.Transfer{Program: "tcp"})
		change(&trial)
		r, err := s.Measure(t.Context(), trial)
		if err != nil {
			t.Fatal(err)
		}
		return r.Transferred.Goodput()
	}
	plain := goodput(Config{Capacity: 1e5}, func(*weir.Trial) {})
	if got := goodput(Config{Capacity: 1e5, FirewallCost: .5}, func(t *weir.Trial) { t.Condition.Put(weir.Firewall{Kind: weir.Stateful}) }); math.Abs(got/plain-.5) > 1e-6 {
		t.Errorf("a firewall that takes as long as forwarding leaves %v of it", got/plain)
	}
	noisy := Config{Capacity: 1e5, Noise: .05, Seed: 4}
	if a, b := goodput(noisy, func(*weir.Trial) {}), goodput(noisy, func(t *weir.Trial) { t.Number = 4 }); a == b || a < plain/2 || a > 2*plain {
		t.Errorf("with noise %v and %v, without %v", a, b, plain)
	}
	// What the link holds back is no work of the DUT.
	for link, want := range map[float64]float64{0: 1, 1e8: 1.5 * 1e8 / 8 / 1538 / 1e5} {
		s, _ := New(Config{Capacity: 1e5, Link: link})
		if r, err := s.Measure(t.Context(), between(weir.Transfer{Program: "tcp"})); err != nil || math.Abs(r.DUTCPU.Seconds()/r.Sending.Seconds()-want) > 1e-6 {
			t.Errorf("with a link of %v bit/s the DUT's CPU is busy for %v of %v, want %v of it; %v", link, r.DUTCPU, r.Sending, want, err)
		}
	}
	path := weir.Trial{}
	s, _ := New(Config{Capacity: 1e5, Latency: time.Millisecond})
	path = between(weir.Transfer{Program: "path"})
	r, err := s.Measure(t.Context(), path)
	if err != nil || r.Transferred.PathMTU != 1500 || r.Transferred.IdleRTT != .00205 {
		t.Errorf("path %+v, %v", r.Transferred, err)
	}
}
