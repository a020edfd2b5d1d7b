package importer

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
)

const (
	firewalls = "testdata/netbenches/AMD_GX-412TC_4Cores/Intel_i210AT/firewalls/results/fbsd11.0vs11.1"
	tsolro    = "testdata/netbenches/AMD_GX-412TC_4Cores/Intel_i210AT/TSOLRO/results/fbsd11.1"
)

// one is the only campaign at paths.
func one(t *testing.T, format string, paths ...string) weir.Campaign {
	t.Helper()
	cs, err := Import(format, paths, Options{Now: time.Unix(1700000000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if len(cs) != 1 {
		t.Fatalf("there are %d campaigns, not 1", len(cs))
	}
	return cs[0]
}

func about(got, want, relative float64) bool { return math.Abs(got-want) <= relative*math.Abs(want) }

// TestImported holds what is true of everything that is imported: it is marked
// with its source, claims no name of an RFC, and names what is not known.
func TestImported(t *testing.T) {
	for _, c := range []struct {
		name, path, format string
		results            int
		unit, claim        string
	}{
		{"netbenches", firewalls, "netbenches", 140, "frames/s", "FRMOL, published"},
		{"netbenches without factors", tsolro, "netbenches", 15, "frames/s", "FRMOL, published"},
		{"numbers", tsolro + "/disabled.pps", "netbenches", 5, "frames/s", "FRMOL, published"},
		{"pkt-gen", firewalls + "/RAW", "pkt-gen", 2, "frames/s", "FRMOL, published"},
		{"one log of pkt-gen", firewalls + "/RAW/bench.11.0.forwarding.inet4.1.receiver", "pkt-gen", 1, "frames/s", "frames received, published"},
		{"iperf3, TCP", "testdata/iperf3/tcp.1.json", "iperf3", 1, "bit/s", "TCP goodput, published"},
		{"iperf3, UDP", "testdata/iperf3/udp.json", "iperf3", 1, "bit/s", "UDP goodput, published"},
		{"iperf3, both", "testdata/iperf3", "iperf3", 2, "bit/s", ""},
		{"TRex counters", "testdata/trex/stats.json", "trex", 1, "frames/s", "forwarding rate at one load, published"},
		{"TRex search", "testdata/trex/ndr.json", "trex", 1, "frames/s", "PDR at 0.1 % loss, published"},
		{"CSIT search", "testdata/csit/ndrpdr.info.json", "csit", 2, "frames/s", ""},
		{"CSIT rates", "testdata/csit/mrr.info.json", "csit", 1, "frames/s", "MRR, published"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := one(t, "", c.path)
			in := got.Manifest.Imported
			if in == nil || in.Format != c.format || in.What == "" || len(in.Notes) == 0 || !filepath.IsAbs(in.Source) {
				t.Fatalf("it is marked as %+v", in)
			}
			if got.Ended != "complete" || got.Name == "" || got.Manifest.Started.IsZero() {
				t.Errorf("it ended %q, began %v and is called %q", got.Ended, got.Manifest.Started, got.Name)
			}
			if len(got.Results) != c.results {
				t.Fatalf("there are %d results, want %d", len(got.Results), c.results)
			}
			for i, r := range got.Results {
				if r.Method != Method || r.Unit != c.unit || r.Value <= 0 || r.Run.Arm == "" || r.Run.Number < 1 || r.Factors["frame_size"] == nil {
					t.Errorf("result %d is %+v", i+1, r)
				}
				if !strings.HasSuffix(r.Claim.Name, ", published") || strings.Contains(r.Claim.Name, "RFC") || strings.Contains(strings.ToLower(r.Claim.Name), "throughput") {
					t.Errorf("result %d claims %q", i+1, r.Claim.Name)
				}
				if c.claim != "" && r.Claim.Name != c.claim {
					t.Errorf("result %d claims %q, want %q", i+1, r.Claim.Name, c.claim)
				}
			}
		})
	}
}

func TestNetbenches(t *testing.T) {
	c := one(t, "", firewalls)
	e := c.Manifest.Experiment
	if e == nil || e.Schedule != "" || e.Runs != 5 || len(e.Arms) != 28 || e.Arms[0] != "11.0, none, inet4" {
		t.Fatalf("the experiment is %+v", e)
	}
	want := []weir.Factor{
		{Name: "version", Levels: []string{"11.0", "11.1BETA1"}},
		{Name: "firewall", Levels: []string{"none", "ipf stateful", "ipf stateless", "ipfw stateful", "ipfw stateless", "pf stateful", "pf stateless"}},
		{Name: "family", Levels: []string{"inet4", "inet6"}},
	}
	if !slices.EqualFunc(e.Factors, want, func(a, b weir.Factor) bool { return a.Name == b.Name && slices.Equal(a.Levels, b.Levels) }) {
		t.Errorf("the factors are %v", e.Factors)
	}
	if c.Name != "firewalls fbsd11.0vs11.1, netbenches" || c.Manifest.CPUModel != "AMD GX-412TC 4Cores" {
		t.Errorf("it is called %q and its CPU %q", c.Name, c.Manifest.CPUModel)
	}
	if s := c.Manifest.Settings; len(s) != 2 || s[0].Value != "Intel i210AT" || s[1].Name != "system of 11.0" || !strings.Contains(s[1].Value, "11.0-RELEASE-p10") {
		t.Errorf("the settings are %v", s)
	}
	// The first run has the logs of both ends: 80,000,000 frames at 1,488,134/s.
	r := c.Results[0]
	offered, _ := r.Figure(weir.OfferedLoad)
	sent, _ := r.Figure(figureSent)
	if r.Value != 508462 || offered != 1488134 || sent != 80e6 || !about(r.LossRatio, 1-508462.0/1488134, 1e-12) || r.MeanSize != 64 {
		t.Errorf("the first run is %v frames/s of %v offered, %v sent, %v lost, size %v", r.Value, offered, sent, r.LossRatio, r.MeanSize)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("the number does not follow from its log: %v", r.Warnings)
	}
	if _, ok := c.Results[2].Figure(weir.OfferedLoad); ok || c.Results[2].LossRatio != 0 {
		t.Errorf("the third run has no logs here, and its load is known: %+v", c.Results[2])
	}
	if !slices.ContainsFunc(c.Manifest.Imported.Notes, func(s string) bool { return strings.Contains(s, "known of 2 of 140 runs") }) {
		t.Errorf("the notes do not say of how many runs the loss is known: %q", c.Manifest.Imported.Notes)
	}
}

// TestNumberAgainstLog holds that a number which does not follow from its own log
// is not passed on without a word.
func TestNumberAgainstLog(t *testing.T) {
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(firewalls)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder+"/11.0.forwarding.inet4.pps", []byte("518462\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if w := one(t, "", folder).Results[0].Warnings; len(w) != 1 || !strings.Contains(w[0].Text, "the median of the receiver's log is 508,507.5") {
		t.Errorf("the warnings are %v", w)
	}
}

// TestTree holds that each folder with results is a campaign of its own.
func TestTree(t *testing.T) {
	cs, err := Import("", []string{"testdata/netbenches"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sets []int
	for _, c := range cs {
		sets = append(sets, len(c.Manifest.Experiment.Arms))
	}
	if !slices.Equal(sets, []int{3, 28}) {
		t.Errorf("the campaigns have %v sets", sets)
	}
}

func TestPktGenLoss(t *testing.T) {
	c := one(t, "pkt-gen", firewalls+"/RAW")
	r := c.Results[0]
	if r.Value != 508507.5 || r.Run.Arm != "bench.11.0.forwarding.inet4" || !about(r.LossRatio, .6583, 1e-3) || r.Factors["frame_size"] != 64 {
		t.Errorf("%v frames/s of %q at size %v, %v lost", r.Value, r.Run.Arm, r.Factors["frame_size"], r.LossRatio)
	}
	if received, _ := r.Figure(figureReceived); received < 25e6 || received > 29e6 {
		t.Errorf("%v frames were received", received)
	}
	alone := one(t, "", firewalls+"/RAW/bench.11.0.forwarding.inet4.1.sender")
	if got := alone.Results[0]; got.Value != 1488134 || got.Claim.Name != "what a generator sent, published" {
		t.Errorf("a sender alone is %v, called %q", got.Value, got.Claim.Name)
	}
}

func TestPktGenPrefixes(t *testing.T) {
	path := write(t, "new.receiver", `712.1 main_thread [2639] 14.880 Mpps (14.895 Mpkts 7.142 Gbps in 1001000 usec) 512.00 avg_batch 99999 min_space
713.1 main_thread [2639] 999 pps (1.000 Kpkts 480 Kbps in 1001000 usec) 1.00 avg_batch 1 min_space
714.1 main_thread [2639] 14.870 Mpps (14.885 Mpkts 7.137 Gbps in 1001000 usec) 512.00 avg_batch 99999 min_space
`)
	if got := one(t, "pkt-gen", path).Results[0].Value; got != 14.87e6 {
		t.Errorf("the median is %v", got)
	}
}

func TestIperf3(t *testing.T) {
	c := one(t, "", "testdata/iperf3")
	if e := c.Manifest.Experiment; e == nil || !slices.Equal(e.Arms, []string{"tcp", "udp"}) {
		t.Fatalf("the experiment is %+v", e)
	}
	if y := c.Manifest.Started.Year(); y < 2020 {
		t.Errorf("it was measured in %d", y)
	}
	udp := c.Results[1]
	if udp.Factors["protocol"] != "UDP" || !about(udp.Value, 50e6, .01) || udp.LossRatio != 0 {
		t.Errorf("UDP is %+v", udp)
	}
	lossy := strings.ReplaceAll(read(t, "testdata/iperf3/udp.json"), `"lost_packets":	0`, `"lost_packets":	446`)
	if got := one(t, "", write(t, "lossy.json", lossy)).Results[0].LossRatio; !about(got, 446.0/4461, .01) {
		t.Errorf("with 446 of some 4461 packets lost the loss ratio is %v", got)
	}
}

func TestTRex(t *testing.T) {
	if r := one(t, "", "testdata/trex/stats.json").Results[0]; r.Value != 44841136 || !about(r.LossRatio, 1-1345203434.0/1345758742, 1e-9) {
		t.Errorf("the counters give %v frames/s and a loss of %v", r.Value, r.LossRatio)
	}
	if r := one(t, "", "testdata/trex/ndr.json").Results[0]; r.Value != 6250000 || r.LossRatio != .0005 || r.TrialSeconds != 20 {
		t.Errorf("the search gives %v frames/s, a loss of %v, trials of %v s", r.Value, r.LossRatio, r.TrialSeconds)
	}
	over := strings.ReplaceAll(read(t, "testdata/trex/stats.json"), `"rx_pps":44841136.0`, `"rx_pps":0`)
	if r := one(t, "trex", write(t, "over.json", over)).Results[0]; r.Claim.Name != "loss ratio, published" || r.Unit != "" || r.Value != r.LossRatio {
		t.Errorf("counters that were read when all was over give %+v", r)
	}
}

func TestCSIT(t *testing.T) {
	c := one(t, "", "testdata/csit/ndrpdr.info.json")
	ndr, pdr := c.Results[0], c.Results[1]
	if ndr.Value != 16005189.18033835 || ndr.Upper != 16085616.035761887 || ndr.LossRatio != 0 || ndr.Factors["frame_size"] != 64 || ndr.Factors["version"] != "21.01-release" {
		t.Errorf("NDR is %+v", ndr)
	}
	if pdr.Value != 16576737.004486663 || pdr.LossRatio != .005 || pdr.Run != ndr.Run {
		t.Errorf("PDR is %+v", pdr)
	}
	if r := one(t, "", "testdata/csit/mrr.info.json").Results[0]; r.Value != 17e6 || r.Trials != 3 || r.Factors["frame_size"] != "imix" {
		t.Errorf("MRR is %+v", r)
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
