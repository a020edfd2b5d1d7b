package report

import (
	"bytes"
	"flag"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"weir"
	"weir/internal/chart"
	"weir/internal/testenv/samples"
)

var update = flag.Bool("update", false, "write the golden files anew")

// render is a report; of a page without the script of its charts, which is not
// the report's.
// render is all of a campaign in a format.
func render(t *testing.T, format string, c weir.Campaign) string {
	t.Helper()
	var b bytes.Buffer
	if err := (Options{Verbose: format == "text"}).Write(&b, format, c); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(b.String(), "<script>"+string(chart.Script())+"</script>\n", "", 1)
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		file, format string
		campaign     weir.Campaign
	}{
		{"sample.txt", "text", samples.Campaign()},
		{"simulated.txt", "text", sampleSimulated()},
		{"empty.txt", "text", weir.Campaign{ID: "20261121-0433-0000"}},
		{"further.txt", "text", samples.Further()},
		{"transfers-arms.txt", "text", sampleGbit()},
		{"transfers-ends.txt", "text", sampleNICs()},
		{"transfers-ends.md", "markdown", sampleNICs()},
		{"transfers-once.txt", "text", sampleOnce()},
		{"transfers-once.csv", "csv", sampleOnce()},
		{"transfers-once.bench", "benchfmt", sampleOnce()},
		{"sample.md", "markdown", samples.Campaign()},
		{"sample.csv", "csv", samples.Campaign()},
		{"sample.bench", "benchfmt", samples.Campaign()},
		{"sample.bencher", "bencher", samples.Campaign()},
		{"sample.openmetrics", "openmetrics", samples.Campaign()},
		{"sample.junit", "junit", samples.Campaign()},
	} {
		golden(t, c.file, render(t, c.format, c.campaign))
	}
}

func TestTextFits(t *testing.T) {
	for _, c := range []weir.Campaign{sampleSimulated(), samples.Further(), sampleSecond(), sampleGbit(), sampleNICs(), sampleOnce()} {
		for _, line := range strings.Split(render(t, "text", c), "\n") {
			if n := utf8.RuneCountInString(line); n > 100 {
				t.Errorf("line of %d columns: %s", n, line)
			}
		}
	}
}

// A model's figures must not pass for a machine's in any format.
func TestSimulatedIsMarked(t *testing.T) {
	for format, mark := range map[string]string{
		"text": "SIMULATED throughput", "markdown": "SIMULATED", "html": "SIMULATED", "csv": ",true,throughput,",
		"json": `"simulated": true`, "benchfmt": "simulated: true",
		"bencher": "SIMULATED throughput", "openmetrics": `simulated="true"`, "junit": "SIMULATED throughput",
	} {
		if !strings.Contains(render(t, format, sampleSimulated()), mark) {
			t.Errorf("%s does not say %q", format, mark)
		}
		if strings.Contains(render(t, format, samples.Campaign()), mark) {
			t.Errorf("%s says %q of a machine", format, mark)
		}
	}
}

// Whatever is known of a campaign, each format has something to say.
func TestPartsMissing(t *testing.T) {
	latency := samples.Campaign()
	latency.Results = slices.DeleteFunc(latency.Results, func(r weir.Result) bool { return r.Method != "latency" })
	noTrials := samples.Campaign()
	noTrials.Trials = nil
	zero := samples.Campaign()
	zero.Results = []weir.Result{{Method: "throughput", Unit: "frames/s", Factors: weir.Factors{"frame_size": 64}, TrialSeconds: 1}}
	for name, c := range map[string]weir.Campaign{"nothing": {}, "latency alone": latency, "no trials": noTrials, "nothing forwarded": zero, "further": samples.Further(), "second": sampleSecond(), "transfers": sampleOnce(), "server and MTU": sampleNICs()} {
		for _, format := range Formats() {
			got := render(t, format, c)
			for _, bad := range []string{"NaN", "Inf", "<nil>", "%!", "null"} {
				if strings.Contains(got, bad) {
					t.Errorf("%s of %s contains %s:\n%s", format, name, bad, got)
				}
			}
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Options{}.Write(&bytes.Buffer{}, "pdf", weir.Campaign{})
	want := `unknown format "pdf": one of text, html, markdown, csv, json, benchfmt, bencher, openmetrics, junit`
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	err = Options{}.WriteSeveral(&bytes.Buffer{}, "junit", sampleSeveral(), "")
	want = "several campaigns are printed as text, html, markdown, csv, json, benchfmt, not as junit"
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

func TestFormatOfFile(t *testing.T) {
	for ending, want := range map[string]string{"txt": "text", "htm": "html", "html": "html", "md": "markdown", "csv": "csv", "pdf": "", "": ""} {
		if got := FormatOfFile(ending); got != want {
			t.Errorf("the format of .%s is %q, want %q", ending, got, want)
		}
	}
}
