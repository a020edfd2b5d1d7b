package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weir"
	"weir/internal/chart"
	"weir/internal/testenv/samples"
	"weir/internal/warning"
)

func TestPageHasItsParts(t *testing.T) {
	text := render(t, "html", samples.Campaign())
	for _, id := range []string{"headline", "charts", "results", "rate", "cpu", "ledger", "warnings", "claims", "manifest", "trials"} {
		if n := strings.Count(text, `id="`+id+`"`); n != 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, want := range []string{
		"This box forwards 816\u00a0kpps of 64\u2011octet frames without loss, at 1\u00a0s trials.",
		"steal-time", warning.Of(weir.StealTime).Advice, "RFC 2544 section 24", "net.ipv4.ip_forward",
		"dut d0 rx ring full (veth xdp_xmit_errors)", ">31,400 <b", "flows 256",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if n := strings.Count(text, "<tr><th scope=\"row\">"); n < len(samples.Campaign().Trials)+len(samples.Campaign().Results) {
		t.Errorf("%d rows in all tables", n)
	}
}

// numbers are what a page has for the script of its charts.
var numbers = regexp.MustCompile(`<script type="application/json">[^<]*</script>`)

// The page is one file that fetches nothing, and its tags match.
func TestPageIsWhole(t *testing.T) {
	for _, c := range []weir.Campaign{samples.Campaign(), sampleSimulated(), {}} {
		text := numbers.ReplaceAllString(render(t, "html", c), "")
		if page := renderWith(t, Options{}, "html", c); strings.Contains(page, string(chart.Script())) != strings.Contains(text, `class="plot"`) {
			t.Error("a page has the script if it has charts")
		}
		if m := regexp.MustCompile(`<script|<link|<img|@import|url\(|(?:src|href)="(?:[^#d]|d[^a])|https?:`).FindString(text); m != "" {
			t.Errorf("the page reaches for something: %s", m)
		}
		if err := balanced(text); err != nil {
			t.Error(err)
		}
		for _, href := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(text, `id="`+href[1]+`"`) {
				t.Errorf("a link leads to %s, which is not there", href[1])
			}
		}
	}
}

func TestPageEscapes(t *testing.T) {
	const evil = `</title><script>alert("1")</script>`
	c := samples.Campaign()
	c.ID, c.Name, c.Ended = evil, evil, evil
	c.Manifest.CPUModel, c.Manifest.Plan = evil, evil
	c.Manifest.Settings = append(c.Manifest.Settings, weir.Setting{Where: evil, Name: evil, Value: evil})
	for i := range c.Results {
		r := &c.Results[i]
		r.Factors = weir.Factors{"frame_size": evil, evil: evil + fmt.Sprint(i%2)}
		r.Claim = weir.Claim{Name: evil, Missed: []string{evil}}
		r.Warnings = []weir.Warning{weir.Warn(evil, "%s", evil)}
		r.Ledger.Drops = []weir.Drop{{Place: evil, Count: 1}}
	}
	for i := range c.Trials {
		c.Trials[i].Trial.Purpose, c.Trials[i].Trial.Traffic.Name = evil, evil
	}
	text := numbers.ReplaceAllString(render(t, "html", c), "")
	if strings.Contains(text, "<script") {
		t.Error("the page has a script")
	}
	if err := balanced(text); err != nil {
		t.Error(err)
	}
}

var tag = regexp.MustCompile(`<(/?)([a-zA-Z0-9]+)((?:[^">]|"[^"]*")*?)(/?)>`)

// balanced reports the first tag that is not closed where it should be.
func balanced(text string) error {
	var open []string
	void := []string{"meta", "br", "!DOCTYPE"}
	for _, m := range tag.FindAllStringSubmatch(text, -1) {
		switch name := m[2]; {
		case m[4] == "/" || slices.Contains(void, name):
		case m[1] == "":
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			return fmt.Errorf("</%s> closes nothing; open are %v", name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("not closed: %v", open)
	}
	return nil
}

func TestPageOfFurtherResults(t *testing.T) {
	text := render(t, "html", samples.Further())
	for _, id := range []string{"charts", "overload", "scale", "time"} {
		if n := strings.Count(text, `id="`+id+`"`); n != 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, want := range []string{
		"Further results", "1,234 frames", "1,200 to 1,310 frames", "degrading", "MLRsearch, loss 0.5 %", "irregular", "4.20 ms",
		"Left for other work", "Signs of life of the control plane", "dut backlog (softnet dropped)", "Rates over routes",
		"Checklist of 2", "trials last at least 60 s",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if err := balanced(text); err != nil {
		t.Error(err)
	}
}
