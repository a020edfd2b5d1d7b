package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// near fails unless got is want to within a share of it.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got-want) <= share*math.Abs(want)+1e-15) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// exps are values whose logarithms are those given.
func exps(logs ...float64) []float64 {
	out := make([]float64, len(logs))
	for i, l := range logs {
		out[i] = math.Exp(l)
	}
	return out
}

// Student's sleep data (Biometrika 6, 1908), as R has them in sleep.
var (
	sleep1 = []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	sleep2 = []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
)

// TestWelchPublished: R's t.test(extra ~ group, sleep) has t = -1.8608,
// df = 17.776, p = 0.07939 and the interval -3.3654832 to 0.2054832.
func TestWelchPublished(t *testing.T) {
	change, p, err := Welch(exps(sleep1...), exps(sleep2...), 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "p", p, 0.0793941401873583, 1e-9)
	near(t, "lower", math.Log1p(change.Lower), -0.20548323071171137, 1e-9)
	near(t, "estimate", math.Log1p(change.Estimate), 1.58, 1e-9)
	near(t, "upper", math.Log1p(change.Upper), 3.3654832307117104, 1e-9)
}

// TestPairedPublished: R's paired t.test of the same data has t = -4.0621,
// df = 9, p = 0.002833 and the interval -2.4598858 to -0.7001142; 4 of the 1,024
// signs are as far out.
func TestPairedPublished(t *testing.T) {
	var obs []Observation
	for i := range sleep1 {
		obs = append(obs, Observation{Block: i + 1, Arm: "1", Value: math.Exp(sleep1[i]), Order: 2*i + 1},
			Observation{Block: i + 1, Arm: "2", Value: math.Exp(sleep2[i]), Order: 2*i + 2})
	}
	c, err := Compare(obs, Options{Baseline: "1"})
	if err != nil {
		t.Fatal(err)
	}
	e := c.Effects[0]
	near(t, "p", e.P, 0.002832890197384273, 1e-8)
	near(t, "lower", math.Log1p(e.Change.Lower), 0.7001142367230175, 1e-8)
	near(t, "upper", math.Log1p(e.Change.Upper), 2.459885763276983, 1e-8)
	near(t, "degrees of freedom", e.Freedom, 9, 0)
	near(t, "p of the signs", e.RankP, 4.0/1024, 1e-12)
	near(t, "upper by Welch", math.Log1p(e.Welch.Upper), 3.3654832307117104, 1e-9)
}

func TestMannWhitneyPublished(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []float64
		want float64
	}{
		// Hollander and Wolfe (1973), p. 69: permeability of the human chorioamnion.
		{"Hollander and Wolfe", []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}, []float64{1.15, 0.88, 0.90, 0.74, 1.21}, 0.2544122544122544},
		{"apart", []float64{1, 2, 3}, []float64{4, 5, 6}, 0.1},
		{"one of each", []float64{1}, []float64{2}, 1},
		{"all alike", []float64{1, 1, 1}, []float64{1, 1, 1}, 1},
		{"none", nil, []float64{1}, 1},
		{"each side alike", []float64{5, 5, 5}, []float64{5.0001, 5.0001, 5.0001}, 0.1},
		// R has 0.5278924 by the normal distribution; this is the share of all choices.
		{"ties", []float64{14.8, 7.3, 5.6, 6.3, 9.0, 4.2, 10.6, 12.5, 12.9, 16.1, 11.4, 2.7},
			[]float64{12.7, 14.2, 12.6, 2.1, 17.7, 11.8, 16.9, 7.9, 16.0, 10.6, 5.6, 5.6, 7.6, 11.3, 8.3, 6.7, 3.6, 1.0, 2.4, 6.4, 9.1, 6.7, 18.6, 3.2, 6.2, 6.1, 15.3, 10.6, 1.8, 5.9, 9.9, 10.6, 14.8, 5.0, 2.6, 4.0}, 0.5289634326085448},
	} {
		t.Run(c.name, func(t *testing.T) {
			near(t, "p", MannWhitney(c.a, c.b), c.want, 1e-9)
			near(t, "p the other way round", MannWhitney(c.b, c.a), c.want, 1e-9)
		})
	}
}

func TestHolm(t *testing.T) {
	// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		near(t, "adjusted", got[i], want, 1e-12)
	}
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("above 1: %v", got)
	}
}

// TestFactorialPublished: the peas of Venables and Ripley (npk in R), 2^3 in
// blocks of four. aov(yield ~ block + (N + P + K)^2) has N 5.617, P -1.183,
// K -3.983 with a standard error of 1.604 on 12 degrees of freedom; N:P -3.767,
// N:K -4.700, P:K 0.567 with twice that; p of N 0.00437, of K 0.02880.
func TestFactorialPublished(t *testing.T) {
	var rows []Row
	for i, x := range []struct {
		npk   string
		yield float64
	}{
		{"011", 49.5}, {"110", 62.8}, {"000", 46.8}, {"101", 57.0},
		{"100", 59.8}, {"111", 58.5}, {"001", 55.5}, {"010", 56.0},
		{"010", 62.8}, {"111", 55.8}, {"100", 69.5}, {"001", 55.0},
		{"100", 62.0}, {"111", 48.8}, {"001", 45.5}, {"010", 44.2},
		{"110", 52.0}, {"000", 51.5}, {"101", 49.8}, {"011", 48.8},
		{"101", 57.2}, {"110", 59.0}, {"011", 53.2}, {"000", 56.0},
	} {
		rows = append(rows, Row{Levels: []string{x.npk[:1], x.npk[1:2], x.npk[2:]}, Block: i/4 + 1, Value: math.Exp(x.yield / 100)})
	}
	levels := []string{"0", "1"}
	terms, err := Factorial(rows, []Factor{{Name: "N", Levels: levels}, {Name: "P", Levels: levels}, {Name: "K", Levels: levels}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ value, err, p float64 }{
		{5.617, 1.604, 0.00437}, {-1.183, 1.604, 0.47490}, {-3.983, 1.604, 0.02880},
		{-3.767, 3.208, 0.26317}, {-4.700, 3.208, 0.16865}, {0.567, 3.208, 0.86275},
	}
	if len(terms) != len(want) {
		t.Fatalf("%d terms: %+v", len(terms), terms)
	}
	for i, w := range want {
		name := terms[i].Factors
		if terms[i].Freedom != 12 {
			t.Errorf("%v has %v degrees of freedom, want 12", name, terms[i].Freedom)
		}
		near(t, name[0]+" estimate", 100*math.Log1p(terms[i].Change.Estimate), w.value, 1e-3)
		near(t, name[0]+" error", 100*terms[i].Error, w.err, 1e-3)
		near(t, name[0]+" p", terms[i].P, w.p, 1e-3)
	}
}

// TestNoncentral holds the distribution against SciPy's stats.nct.cdf.
func TestNoncentral(t *testing.T) {
	for _, c := range []struct{ x, freedom, shift, want float64 }{
		{2, 10, 1.5, 0.6591540724421909}, {2.2, 10, 2.2, 0.47922996091620196}, {3.5, 4, 2.3, 0.7307526633449579},
		{12, 30, 10, 0.8494793222050965}, {2.5, 200, 3, 0.30880000928171114}, {25, 1, 12.7, 0.6117380382321438},
		{7, 2, 4.3, 0.6821186485190308}, {3, 3, 0, 0.9711655571887814},
	} {
		near(t, "probability", noncentral(c.x, c.freedom, c.shift), c.want, 1e-6)
	}
	// Beyond its series: two digits are enough for a number of runs.
	near(t, "far out", noncentral(40, 20, 35), 0.7555827867467783, 0.02)
}

// TestChancePublished: at a deviation of 0.8 % five runs a side see 1.63 %, ten
// 1.06 % and twenty 0.73 % in 80 % of cases.
func TestChancePublished(t *testing.T) {
	for _, c := range []struct{ n, d, want float64 }{{5, 1.63, 0.804945915212748}, {10, 1.06, 0.8000310516493389}, {20, 0.73, 0.8028936739166073}} {
		near(t, "chance", chance(c.d, 0.8*math.Sqrt(2/c.n), 2*(c.n-1), 0.05), c.want, 1e-6)
	}
}

// TestCritical holds the limits against the library's inverse.
func TestCritical(t *testing.T) {
	for _, freedom := range []float64{1, 2, 3, 3.7, 5, 9.5, 22, 100, 12345} {
		for _, alpha := range []float64{0.5, 0.1, 0.05, 0.01, 0.05 / 256, 1e-7} {
			want := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(1 - alpha/2)
			near(t, "limit", critical(alpha, freedom), want, 1e-7)
		}
	}
	near(t, "of the tables", critical(0.05, 12), 2.178812829663418, 1e-10)
}
