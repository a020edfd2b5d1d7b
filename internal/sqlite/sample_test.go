package sqlite

import (
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"weir"
)

// open opens a store in a folder that is not there yet.
func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "some folder", "100% weir?.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func begin(t *testing.T, s *Store, c weir.Campaign) *Session {
	t.Helper()
	n, err := s.Begin(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func sampleManifest() weir.Manifest {
	return weir.Manifest{
		Weir: weir.Version, Started: time.Date(2026, 11, 21, 4, 33, 7, 5, time.UTC), Kernel: "6.18.1", CPUModel: "Some CPU",
		CPUs: 2, Testbed: "netns", Platform: "linux", Backend: "xdp", Simulated: true, Seed: 1<<64 - 1,
		Ceiling:  map[string]float64{"64": 4.1e6, "imix": 2.2e6},
		Settings: []weir.Setting{{Where: "dut", Name: "net.ipv4.ip_forward", Value: "1"}},
		Plan:     "sizes: [64]\n",
	}
}

func sampleTrial(number int) weir.TrialResult {
	addr := func(s string) weir.AddressSet {
		return weir.AddressSet{First: netip.MustParseAddr(s), Count: 1, Order: weir.Fixed}
	}
	r := weir.TrialResult{
		Trial: weir.Trial{
			Number: number, Purpose: "throughput", Intended: 1e6, Duration: time.Second,
			Waits: weir.Waits{Residual: 50 * time.Millisecond},
			Traffic: weir.Traffic{
				Name: "64", Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 256, Seed: 7,
				Forward: weir.Stream{Source: addr("198.18.0.2"), Destination: addr("198.19.0.2"),
					SourcePort: weir.PortSet{First: 1024, Last: 65535, Order: weir.Random}},
			},
		},
		Start: time.Date(2026, 11, 21, 4, 33, 9, 123456789, time.UTC), Sending: 999_990 * time.Microsecond,
		Offered: 1_000_000, Received: 990_000,
		Streams:  []weir.StreamResult{{Direction: "forward", Sent: 1_000_000, Received: 990_000, Lost: 10_000}},
		Ledger:   weir.Balance(1_000_000, 990_000, []weir.Drop{{Place: "dut d0 rx ring full", Count: 9_990}}),
		Pacing:   weir.Pacing{Batch: 64, LongestStall: 31 * time.Microsecond},
		Host:     weir.HostLoad{Steal: 10 * time.Millisecond},
		DUTCPU:   940 * time.Millisecond,
		Warnings: []weir.Warning{weir.Warn(weir.StealTime, "1 %%"), weir.Warn(weir.UnexplainedLoss, "10 frames")},
		Backend:  "xdp",
	}
	for i := range uint64(200) {
		r.Latency.Add(20_000+i*i*10, 4_950)
	}
	return r
}

func sampleResult(value float64) weir.Result {
	return weir.Result{
		Method: "throughput", Claim: weir.Claim{Name: "throughput, short trials", Missed: []string{"RFC 2544 section 24: 60 s"}},
		Factors: weir.Factors{"frame_size": 64.0, "firewall": "none"}, Value: value, Unit: "frames/s", Lower: value, Upper: value * 1.005,
		TrialSeconds: 1, Trials: 12, SearchTime: 12, Latency: sampleTrial(1).Latency.Summary(), CPUPerFrame: 1e-6, MeanSize: 64,
		Warnings: []weir.Warning{weir.Warn(weir.StealTime, "1 %%")}, Ledger: sampleTrial(1).Ledger, Took: 13 * time.Second,
	}
}

// record writes a whole small campaign and returns what should come back.
func record(t *testing.T, s *Store, end string) weir.Campaign {
	t.Helper()
	c := weir.Campaign{Name: "a name"}
	n := begin(t, s, c)
	c.ID, c.Manifest = n.ID(), sampleManifest()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(n.RecordManifest(t.Context(), c.Manifest))
	for i := range 3 {
		r := sampleTrial(i + 1)
		check(n.RecordTrial(t.Context(), r))
		c.Trials = append(c.Trials, r)
	}
	for _, v := range []float64{812e3, 846e3} {
		r := sampleResult(v)
		check(n.RecordResult(t.Context(), r))
		c.Results = append(c.Results, r)
	}
	if end != "" {
		check(n.End(t.Context(), end))
		c.Ended = end
	}
	return c
}
