package proof

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/stats"
)

func TestBetween(t *testing.T) {
	m := model{seed: 21, replicates: 10, effects: []float64{0, 0.1}, noise: 0.01, same: true}
	a := m.campaign()
	m.seed = 22
	b := m.campaign()
	for i := range b.Results {
		if b.Results[i].Run.Arm == arms[1] && b.Results[i].Factors["frame_size"] == 64 {
			b.Results[i].Value *= 0.9
		}
	}
	a.Name, b.Name = "before", "after"
	a.Manifest.Kernel, b.Manifest.Kernel = "6.1", "6.12"
	b.Manifest.Plan = "another"
	p, err := Between(a, b)
	if err != nil {
		t.Fatal(err)
	}
	all := values(p)
	if len(all) != 4 {
		t.Fatalf("%d comparisons, want two sizes with two arms", len(all))
	}
	for _, c := range all {
		e := c.Effects[0]
		want := stats.Inconclusive
		if c.Traffic == "64" && c.Arm == arms[1] {
			want = stats.Proven
			if math.Abs(e.Change.Estimate+0.1) > 0.02 {
				t.Errorf("the change is %v, want -10 %%", e.Change)
			}
		}
		if e.Verdict != want || c.Blocks != 0 || c.Baseline != "before" || e.Arm != "after" || len(c.Runs) != 20 {
			t.Errorf("%s, %s: %+v, vetoes %v, want %s", title(c), c.Arm, e, c.Vetoes, want)
		}
	}
	var said []string
	for _, w := range p.Warnings {
		said = append(said, w.Text)
	}
	if got := strings.Join(said, "\n"); !strings.Contains(got, `the kernel differs: "6.1" and "6.12"`) || !strings.Contains(got, "the plans differ") || strings.Contains(got, "CPU") {
		t.Error(got)
	}
}

func TestBetweenRefuses(t *testing.T) {
	m := model{seed: 1, replicates: 4, effects: []float64{0, 0.1}, noise: 0.01, sizes: []int{64}}
	a := m.campaign()
	m.sizes = []int{512}
	if p, err := Between(a, m.campaign()); err == nil {
		t.Errorf("nothing in common, and no error: %+v", p.Comparisons)
	}
	if p, err := Between(a, a); err != nil || len(p.Comparisons) == 0 || !strings.HasSuffix(p.Experiment.Arms[1], "(2)") {
		t.Errorf("with itself: %v, %v", p.Experiment, err)
	}
}

// Of three campaigns the others are arms beside the first.
func TestBetweenThree(t *testing.T) {
	m := model{seed: 3, replicates: 10, effects: []float64{0, 0.1}, noise: 0.01, sizes: []int{64}}
	cs := []weir.Campaign{m.campaign(), m.campaign(), m.campaign()}
	for i := range cs {
		cs[i].Name = []string{"a", "b", "b"}[i]
	}
	for i := range cs[2].Results {
		cs[2].Results[i].Value *= 1.1
	}
	p, err := Between(cs...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range values(p) {
		if len(c.Arms) != 3 || len(c.Effects) != 2 || c.Effects[0].Arm != "b (2)" || c.Effects[0].Verdict == stats.Proven || c.Effects[1].Arm != "b (3)" || c.Effects[1].Verdict != stats.Proven {
			t.Errorf("%s, %s: %+v", title(c), c.Arm, c.Effects)
		}
	}
}

// TestBetweenInherits: what vetoes a campaign vetoes what it is compared with.
func TestBetweenInherits(t *testing.T) {
	m := model{seed: 1, replicates: 10, effects: []float64{0, 0.1}, noise: 0.01, same: true, sizes: []int{64}}
	a := m.campaign()
	m.change = func(r *weir.Result, _ int) {
		if r.Run.Again {
			r.Value *= 1.2
		}
	}
	p, err := Between(a, m.campaign())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Comparisons {
		if !has(c.Vetoes, stats.BaselineDiffers) || c.Effects[0].Verdict != stats.Vetoed {
			t.Errorf("%s: %s, vetoes %v", title(c), c.Effects[0].Verdict, c.Vetoes)
		}
	}
}

// Arms that stood side by side on two days of a virtual machine, of which the second
// was half as fast: their rates are in terms of plain forwarding where both have
// it, and have no verdict where they have not.
func TestBetweenReferences(t *testing.T) {
	day := func(seed uint64, speed, effect float64, reference string) weir.Campaign {
		m := model{seed: seed, replicates: 6, effects: []float64{0, effect}, noise: 0.003, same: true, sizes: []int{64}}
		m.change = func(r *weir.Result, _ int) { r.Value *= speed }
		c := m.campaign()
		c.ID = fmt.Sprint(seed)
		c.Manifest.Experiment.Schedule, c.Manifest.Experiment.Reference = weir.Abreast, reference
		c.Manifest.Settings = []weir.Setting{{Name: weir.VirtualMachine, Value: "yes"}}
		return c
	}
	for _, c := range []struct {
		name      string
		effect    float64 // of the second day
		reference string
		want      stats.Verdict
	}{
		{"the same cost", -.25, arms[0], stats.Inconclusive},
		{"a higher cost", -.28, arms[0], stats.Proven},
		{"without a reference", -.28, "", stats.Vetoed},
	} {
		p, err := Between(day(1, 1, -.25, c.reference), day(2, .5, c.effect, c.reference))
		if err != nil {
			t.Fatal(err)
		}
		got := values(p)
		at := slices.IndexFunc(got, func(c Comparison) bool { return c.Arm == arms[1] })
		if at < 0 || got[at].Effects[0].Verdict != c.want {
			t.Fatalf("%s: %d comparisons, %+v", c.name, len(got), got)
		}
		for _, c := range p.Comparisons {
			if c.Figure != "" && c.Effects[0].Verdict != stats.Vetoed {
				t.Errorf("%s of another minute is compared: %s", c.Figure, c.Effects[0].Verdict)
			}
		}
		if c.reference == "" {
			continue
		}
		if e := got[at].Effects[0]; len(got) != 1 || math.Abs(e.Change.Estimate-math.Expm1(c.effect+.25)) > .01 || !strings.Contains(p.Warnings[0].Text, "in terms of plain forwarding") {
			t.Errorf("%s: %d comparisons, %+v, %v", c.name, len(got), e.Change, p.Warnings[0])
		}
	}
	// A build whose reference does not count does not either.
	a, b := day(1, 1, -.25, arms[0]), day(2, .5, -.25, arms[0])
	for i := range a.Results {
		if r := &a.Results[i]; r.Run.Block == 1 && r.Run.Arm == arms[0] {
			r.Value = 0
		}
	}
	p, err := Between(a, b)
	if err != nil || values(p)[0].LeftOut != 1 {
		t.Errorf("%+v, %v", p.Comparisons, err)
	}
}

func TestEffects(t *testing.T) {
	m := model{seed: 5, replicates: 12, effects: []float64{0, math.Log(0.9), math.Log(0.7)}, noise: 0.02, waves: 0.05, same: true}
	c := m.campaign()
	for i := range c.Results {
		r := &c.Results[i]
		if r.Factors["frame_size"] == 512 && r.Factors["firewall"] == "stateful" {
			r.Value *= 1.1
		}
	}
	e := c.Manifest.Experiment
	e.Factors = append(e.Factors, weir.Factor{Name: "frame_size", Levels: []string{"64", "512"}, Traffic: true})
	p, err := Of(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Effects) != 1 || len(p.Warnings) > 0 {
		t.Fatalf("%d effects, warnings %v", len(p.Effects), p.Warnings)
	}
	var names []string
	want := map[string]float64{
		"firewall stateless": 0.9, "firewall stateful": 0.7 * math.Sqrt(1.1), "frame_size 512": math.Exp(-0.3) * math.Cbrt(1.1),
		"firewall stateless frame_size 512": 1, "firewall stateful frame_size 512": 1.1,
	}
	for _, term := range p.Effects[0].Terms {
		name := ""
		for i := range term.Factors {
			name += " " + term.Factors[i] + " " + term.Levels[i]
		}
		name = name[1:]
		names = append(names, name)
		if w := want[name] - 1; w < term.Change.Lower-0.02 || w > term.Change.Upper+0.02 {
			t.Errorf("%s: %+v, the truth is %v", name, term.Change, w)
		}
	}
	if diff := cmp.Diff([]string{"firewall stateless", "firewall stateful", "frame_size 512", "firewall stateless frame_size 512", "firewall stateful frame_size 512"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestImported: runs without blocks, numbers or goals.
func TestImported(t *testing.T) {
	c := model{seed: 7, replicates: 10, effects: []float64{0, 0.2}, noise: 0.02, sizes: []int{64}, unblocked: true}.campaign()
	c.Manifest.Imported = &weir.Imported{Format: "netbenches"}
	c.Manifest.Experiment.Confidence = 0
	for i := range c.Results {
		c.Results[i].Width, c.Results[i].CPUPerFrame, c.Results[i].LossRatio = 0, 0, float64(i)/100
	}
	slices.SortStableFunc(c.Results, func(a, b weir.Result) int { return strings.Compare(a.Run.Arm, b.Run.Arm) })
	for i := range c.Results {
		c.Results[i].Run.Number = 0
	}
	p, err := Of(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Comparisons) != 1 || len(p.Comparisons[0].Runs) != 20 {
		t.Fatalf("%+v", p.Comparisons)
	}
	if e := p.Comparisons[0].Effects[0]; e.Verdict != stats.Proven || e.Freedom > 18 {
		t.Errorf("%+v", e)
	}
}

// TestLevelsThatComeWithAnArm: a level that a result says beside its factors
// and that only one arm has does not split the comparison.
func TestLevelsThatComeWithAnArm(t *testing.T) {
	c := model{seed: 7, replicates: 4, effects: []float64{0, 0.2}, noise: 0.02}.campaign()
	for i := range c.Results {
		if r := &c.Results[i]; r.Run.Arm == arms[1] {
			r.Factors["rules"] = 25
		}
	}
	p, err := Of(c)
	if err != nil {
		t.Fatal(err)
	}
	if all := values(p); len(all) != 2 || len(all[0].Effects) != 1 || all[0].Factors["rules"] != nil {
		t.Errorf("%d comparisons: %+v", len(all), all)
	}
}

// BenchmarkOf is the proof of a campaign of 10,000 runs.
func BenchmarkOf(b *testing.B) {
	c := model{seed: 1, replicates: 1250, effects: []float64{0, 0, 0.1}, noise: 0.02, waves: 0.1, same: true}.campaign()
	e := c.Manifest.Experiment
	e.Factors = append(e.Factors, weir.Factor{Name: "frame_size", Levels: []string{"64", "512"}, Traffic: true})
	for b.Loop() {
		if _, err := Of(c); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(c.Results)), "runs")
}

// benched is a campaign that measured two sizes once, in rounds.
func benched(name string, knee, saturated float64) weir.Campaign {
	c := weir.Campaign{ID: name, Name: name, Ended: "complete"}
	for _, size := range []int{64, 512} {
		c.Results = append(c.Results, weir.Result{Method: "sweep", Claim: weir.Claim{Name: "capacity, windows"}, Unit: "frames/s", LossRatio: .005,
			Factors: weir.Factors{"frame_size": size}, Value: knee, Lower: .9 * knee, Upper: 1.1 * knee, CPUPerFrame: 1e-6, Latency: &weir.Latency{P50: 1e-5},
			Sweep: &weir.Sweep{Rounds: 3, Saturated: weir.Bounds{Value: saturated, Lower: .9 * saturated, Upper: 1.1 * saturated}}})
	}
	return c
}

// Of two benches the intervals from their rounds say what differs; what has no
// interval is not compared.
func TestBetweenBenches(t *testing.T) {
	p, err := Between(benched("before", 800e3, 900e3), benched("after", 820e3, 1200e3))
	if err != nil || len(p.Comparisons) != 4 {
		t.Fatalf("%d comparisons, %v", len(p.Comparisons), err)
	}
	for _, c := range p.Comparisons {
		want := map[string]stats.Verdict{"": stats.Inconclusive, "saturated": stats.Proven}[c.Figure]
		if len(c.Effects) != 1 || c.Effects[0].Verdict != want || len(c.Vetoes) > 0 || c.Arms[0].N != 3 {
			t.Errorf("%s: %+v, vetoes %v; want %s", title(c), c.Effects, c.Vetoes, want)
		}
	}
	without := benched("after", 1, 1)
	for i := range without.Results {
		without.Results[i].Lower, without.Results[i].Upper = 0, 0
	}
	if p, err := Between(benched("before", 800e3, 900e3), without); err != nil || !has(p.Comparisons[0].Vetoes, TooFewRuns) {
		t.Errorf("without an interval: %+v, %v", p.Comparisons, err)
	}
}
