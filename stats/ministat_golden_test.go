package stats

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// published are blocks that FreeBSD's ministat has printed; testdata/ministat
// says where they are from.
var published = []struct {
	name, golden string
	sets         [][2]string // file, and its name in the block
	options      MinistatOptions
	lost         func(string) string // does to our block what the page did to that one
}{
	{name: "all of it", golden: "tsolro.golden",
		sets:    [][2]string{{"enabled-default.pps", "enabled-default.pps"}, {"disabled.pps", "disabled.pps"}},
		options: MinistatOptions{SeparateBars: true}},
	{name: "a page without rulers", golden: "tso-lro.page", lost: withoutRulers,
		sets:    [][2]string{{"tso.lro.enabled", "tso.lro.enabled"}, {"tso.lro.disabled", "tso.lro.disabled"}},
		options: MinistatOptions{SeparateBars: true}},
	{name: "a wider one", golden: "harvest.page", lost: withoutRulers,
		sets:    [][2]string{{"harvest.disabled", "harvest DISABLED"}, {"harvest.enabled", "harvest ENABLED (default)"}},
		options: MinistatOptions{SeparateBars: true, Width: 80}},
	{name: "a difference", golden: "ipsec.page", lost: func(s string) string { return strings.ReplaceAll(s, "\t", "        ") },
		sets:    [][2]string{{"ipsec.support", "n277887 with IPSEC_SUPPORT: inet6 packets-per-second forwarded"}, {"ipsec", "n277887 with IPSEC: inet6 packets-per-second forwarded"}},
		options: MinistatOptions{SeparateBars: true}},
}

var ruler = regexp.MustCompile(`(?m)^\+-+\+\n`)

func withoutRulers(s string) string { return ruler.ReplaceAllString(s, "") }

func TestMinistatPublished(t *testing.T) {
	for _, p := range published {
		t.Run(p.name, func(t *testing.T) {
			var sets []Set
			for _, s := range p.sets {
				sets = append(sets, Set{s[1], values(t, s[0])})
			}
			got := printed(t, sets, p.options)
			if p.lost != nil {
				got = p.lost(got)
			}
			want, err := os.ReadFile(filepath.Join("testdata", "ministat", p.golden))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("it does not print what was published (-published +printed):\n%s", d)
			}
		})
	}
}

func printed(t *testing.T, sets []Set, o MinistatOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Ministat(&b, sets, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func values(t *testing.T, file string) []float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "ministat", file))
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for _, word := range strings.Fields(string(text)) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}
