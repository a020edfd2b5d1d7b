package chart

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

var update = flag.Bool("update", false, "write the golden files anew")

// plainProfile and filteredProfile are the same router without a firewall and
// with one.
var (
	plainProfile = weir.Profile{Hertz: 997, Samples: 1000, Stacks: []weir.Stack{
		{Frames: []string{"[napi]", "napi_threaded_poll", "ip_forward", "ip_output"}, Samples: 400},
		{Frames: []string{"[napi]", "napi_threaded_poll", "ip_forward"}, Samples: 200},
		{Frames: []string{"(idle)"}, Samples: 200},
		{Frames: []string{"[napi]", "napi_threaded_poll", "bpf:a<b>&c"}, Samples: 150},
		{Frames: []string{"[weir]", "(user)"}, Samples: 49},
		{Frames: []string{"[weir]", "thin"}, Samples: 1},
	}}
	filteredProfile = weir.Profile{Hertz: 997, Samples: 500, Stacks: []weir.Stack{
		{Frames: []string{"[napi]", "napi_threaded_poll", "ip_forward", "nft_do_chain"}, Samples: 200},
		{Frames: []string{"[napi]", "napi_threaded_poll", "ip_forward", "ip_output"}, Samples: 200},
		{Frames: []string{"(idle)"}, Samples: 100},
	}}
)

func TestFlameGraph(t *testing.T) {
	for name, got := range map[string]string{
		"flame.html":     string(Flame(plainProfile, 900)),
		"flamediff.html": string(FlameDiff(plainProfile, filteredProfile, 900)),
	} {
		// A line for each function, so that differences can be read.
		got = strings.ReplaceAll(got, "<g>", "\n<g>") + "\n"
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		wellFormed(t, "<x>"+got+"</x>")
		if strings.Contains(got, "<b>") || name == "flame.html" && !strings.Contains(got, "bpf:a&lt;b&gt;&amp;c: 15.0 % of 1,000 samples, 15.0 % in itself") {
			t.Errorf("%s does not escape names: %s", name, got)
		}
	}
}

func TestFlameGraphOfNothing(t *testing.T) {
	if got := Flame(weir.Profile{}, 900); got != "" {
		t.Errorf("a profile without samples is drawn: %s", got)
	}
	if got := FlameDiff(weir.Profile{}, plainProfile, 900) + FlameDiff(plainProfile, weir.Profile{}, 900); got != "" {
		t.Errorf("nothing is compared: %s", got)
	}
	same := string(FlameDiff(plainProfile, plainProfile, 900))
	if strings.Contains(same, "color-mix") || strings.Contains(same, "no longer") {
		t.Errorf("a profile differs from itself: %s", same)
	}
}

// Widths are shares, whatever the number of samples; what is too thin to be seen
// is left out, and keeps its room.
func TestFlameTree(t *testing.T) {
	root := flameTree(plainProfile)
	napi := root.child("[napi]")
	if root.total != 1000 || napi.total != 750 || napi.self != 0 || napi.children[0].child("ip_forward").self != 200 {
		t.Errorf("tree of %d samples, %+v", root.total, napi)
	}
	if svg := string(Flame(plainProfile, 400)); strings.Contains(svg, "thin") || !strings.Contains(string(Flame(plainProfile, 900)), "thin") {
		t.Error("0.1 % of 400 units can be seen, or of 900 it cannot")
	}
	for width, want := range map[float64]string{200: "napi_threaded_poll", 80: "napi_thre…", 30: "", 0: ""} {
		if got := fitted("napi_threaded_poll", width); got != want {
			t.Errorf("in %v units it is %q, want %q", width, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0.0", .01: "0.0", 1.26: "+1.3", -2: "-2.0"} {
		if got := signed(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
