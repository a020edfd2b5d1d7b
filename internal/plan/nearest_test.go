package plan

import "testing"

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"traffic", "traffic", 0},
		{"trafic", "traffic", 1}, {"tarffic", "traffic", 1}, {"kitten", "sitting", 3}, {"größe", "grösse", 2},
	} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := editDistance(c.b, c.a); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"testbed", "traffic", "methods", "waits", "dut"}
	for word, want := range map[string]string{
		"trafic": "traffic", "Traffic": "traffic", "method": "methods", "wait": "waits", "dutt": "dut",
		"": "", "x": "", "colour": "", "trial": "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
