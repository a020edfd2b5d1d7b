package stats

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const ministatNames = "x a\n+ b\n* c\n"

const ministatTable = `    N           Min           Max        Median           Avg        Stddev
x   4             1             4           2.5           2.5     1.2909944
+   4            11            14          12.5          12.5     1.2909944
Difference at 95.0% confidence
	10 +/- 2.2338
	400% +/- 322.163%
	(Student's t, pooled s = 1.29099)
*   5             1             4             2           2.2     1.0954451
No difference proven at 95.0% confidence
`

// TestMinistatOptions holds what each option leaves out or changes. What is
// expected is what FreeBSD's own program prints of these numbers.
func TestMinistatOptions(t *testing.T) {
	sets := []Set{{"a", []float64{1, 2, 3, 4}}, {"b", []float64{11, 12, 13, 14}}, {"c", []float64{1, 2, 2, 2, 4}}}
	for _, c := range []struct {
		name    string
		options MinistatOptions
		want    string
	}{
		{"narrow", MinistatOptions{Width: 30}, ministatNames + `+------------------------------+
|  *                           |
|  *                           |
|* * x  *              +  + + +|
||_MA_||                |__A__||
+------------------------------+
` + ministatTable},
		{"separate bars", MinistatOptions{Width: 30, SeparateBars: true}, ministatNames + `+------------------------------+
|  *                           |
|  *                           |
|* * x  *              +  + + +|
||__A__|                       |
|                       |__A__||
||_MA_|                        |
+------------------------------+
` + ministatTable},
		{"no plot", MinistatOptions{NoPlot: true}, ministatNames + ministatTable},
		{"bare", MinistatOptions{NoPlot: true, Bare: true}, ministatTable[strings.Index(ministatTable, "\n")+1:]},
		{"summary", MinistatOptions{SummaryOnly: true}, ministatNames + `    N           Min           Max        Median           Avg        Stddev
x   4             1             4           2.5           2.5     1.2909944
+   4            11            14          12.5          12.5     1.2909944
*   5             1             4             2           2.2     1.0954451
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, printed(t, sets, c.options)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestMinistatHeight holds that a plot is as high as its last set, as there.
func TestMinistatHeight(t *testing.T) {
	high, low := Set{"high", []float64{1, 5, 5, 5, 5, 9}}, Set{"low", []float64{2, 4, 6}}
	rows := func(sets ...Set) int {
		return strings.Count(printed(t, sets, MinistatOptions{}), "\n|")
	}
	if got := rows(low, high); got != 5 {
		t.Errorf("with the high one last there are %d lines in the plot, not 4 of values and 1 of bars", got)
	}
	if got := rows(high, low); got != 2 {
		t.Errorf("with the low one last there are %d lines in the plot, not 1 of values and 1 of bars", got)
	}
}

func TestMinistatNoSpan(t *testing.T) {
	same := []Set{{"a", []float64{7, 7, 7}}, {"b", []float64{7, 7, 7}}}
	if got := printed(t, same, MinistatOptions{}); !strings.Contains(got, "[no plot, span is zero width]\n") || !strings.Contains(got, "No difference proven at 95.0%") {
		t.Errorf("of equal values it prints\n%s", got)
	}
	zero := []Set{{"a", []float64{0, 0, 0}}, {"b", []float64{7, 7, 7}}}
	if got := printed(t, zero, MinistatOptions{NoPlot: true}); !strings.Contains(got, "\t7 +/- 0\n\tinf% +/- ") {
		t.Errorf("of a baseline of zero it prints\n%s", got)
	}
}

// TestPrintedT compares with the printed table at its corners, at what is wrong
// in it, and beyond it.
func TestPrintedT(t *testing.T) {
	for _, c := range []struct {
		level   float64
		degrees int
		want    float64
	}{
		{80, 1, 3.078}, {90, 4, 2.132}, {95, 8, 2.306}, {98, 30, 2.457}, {99, 60, 2.660}, {99.5, 2, 22.327},
		{99.5, 1, 318.313}, {99.5, 7, 4.782}, {95, 7, 2.365}, {99.5, 12, 3.929}, {99.5, 13, 3.852},
		{95, 99, 1.984}, {95, 100, 1.984}, {95, 101, 1.960}, {95, 5000, 1.960},
		{80, 101, 1.282}, {90, 101, 1.645}, {98, 101, 2.326}, {99, 101, 2.576}, {99.5, 101, 3.090},
	} {
		if got := printedT(c.level, c.degrees); got != c.want {
			t.Errorf("t at %g %% with %d degrees of freedom is %g, want %g", c.level, c.degrees, got, c.want)
		}
	}
}

// TestMinistatManyDegrees holds the change from the table to the normal
// distribution, with figures of FreeBSD's program.
func TestMinistatManyDegrees(t *testing.T) {
	ramp := func(n int, from float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = from + float64(i)
		}
		return out
	}
	for _, c := range []struct {
		n    int
		want string
	}{
		{51, "\t30 +/- 5.84074\n"}, // 100 degrees
		{52, "\t30 +/- 5.8253\n"},  // 102
	} {
		got := printed(t, []Set{{"a", ramp(c.n, 1)}, {"b", ramp(c.n, 31)}}, MinistatOptions{NoPlot: true})
		if !strings.Contains(got, c.want) {
			t.Errorf("of two sets of %d values it prints\n%s\nwithout %q", c.n, got, c.want)
		}
	}
}

func TestMinistatRefuses(t *testing.T) {
	three := []float64{1, 2, 3}
	for _, c := range []struct {
		name    string
		sets    []Set
		options MinistatOptions
		want    string
	}{
		{"nothing", nil, MinistatOptions{}, "no set of values"},
		{"two values", []Set{{"a", three}, {"b.pps", []float64{1, 2}}}, MinistatOptions{}, "the set b.pps has 2 values: ministat needs at least 3"},
		{"eight sets", make([]Set, 8), MinistatOptions{}, "there are 8, and ministat has symbols for 7"},
		{"a level", []Set{{"a", three}}, MinistatOptions{Level: 97}, "no confidence level of 97 %: it is one of 80 90 95 98 99 99.5"},
		{"no width", []Set{{"a", three}}, MinistatOptions{Width: 1}, "cannot be 1 characters wide"},
		{"not finite", []Set{{"a", []float64{1, math.Inf(1), 3}}}, MinistatOptions{}, "value 2 of the set a"},
		{"no number", []Set{{"a", []float64{1, 2, math.NaN()}}}, MinistatOptions{}, "value 3 of the set a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := Ministat(io.Discard, c.sets, c.options); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, without %q", err, c.want)
			}
		})
	}
}

func TestMinistatCautions(t *testing.T) {
	calm := Set{"calm", []float64{100, 101, 102, 101, 100, 99, 100, 101, 102, 100}}
	wild := Set{"wild", []float64{80, 100, 120}}
	even := Set{"even", []float64{95, 96, 97, 96, 95, 94, 95, 96, 97, 95}}
	if got := MinistatCautions([]Set{calm, even}); got != nil {
		t.Errorf("of like sets it warns %q", got)
	}
	got := MinistatCautions([]Set{calm, even, wild})
	if len(got) != 1 || !strings.Contains(got[0], "wild has 3 values and calm 10") {
		t.Errorf("of sets of unequal size and spread it warns %q", got)
	}
}

// FuzzMinistat holds that no finite values make it fail or draw beyond its
// frame.
func FuzzMinistat(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, 74)
	f.Add(1e15, 1e15+0.125, 1e15, 1e15, 10)
	f.Add(-1e150, 1e150, 0.0, 5e-324, 3)
	f.Add(5e-324, 1e-323, 0.0, 0.0, 200)
	f.Fuzz(func(t *testing.T, a, b, c, d float64, width int) {
		var out strings.Builder
		if Ministat(&out, []Set{{"p", []float64{a, b, c}}, {"q", []float64{b, c, d, d}}}, MinistatOptions{Width: width}) != nil {
			return
		}
		for line := range strings.Lines(out.String()) {
			if (strings.HasPrefix(line, "|") || strings.HasPrefix(line, "+-")) && width > 0 && len(line) != width+3 {
				t.Fatalf("a line of the plot has %d octets at width %d: %q", len(line), width, line)
			}
		}
	})
}
