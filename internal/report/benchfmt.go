package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"weir"
)

// writeBenchfmt writes the Go benchmark format: "key: value" lines for the
// environment, then a line for each result, which counts as one sample.
func writeBenchfmt(w io.Writer, c weir.Campaign) error {
	var b bytes.Buffer
	m := c.Manifest
	// benchstat compares only what has the same keys, so what differs between
	// any two campaigns is a remark.
	fmt.Fprintf(&b, "# campaign %s, started %s\n", strings.Join(strings.Fields(c.ID), " "), m.Started.UTC().Format(time.RFC3339))
	for _, s := range [][2]string{
		{"weir", m.Weir}, {"kernel", m.Kernel}, {"cpu", m.CPUModel},
		{"cpus", known(m.CPUs)}, {"testbed", m.Testbed}, {"platform", m.Platform}, {"tester", m.Backend},
		{"simulated", fmt.Sprint(simulated(c))},
	} {
		if s[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", s[0], strings.Join(strings.Fields(s[1]), " "))
		}
	}
	b.WriteString("Unit frames/s better=higher\n\n")
	for _, r := range c.Results {
		benchLine(&b, c, r)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func benchLine(b *bytes.Buffer, c weir.Campaign, r weir.Result) {
	if unknown(&r) {
		return // a 0 would count as a sample
	}
	var units strings.Builder
	if r.Unit == "frames/s" {
		fmt.Fprintf(&units, " %s frames/s", exact(r.Value))
	}
	name := strings.ReplaceAll(r.Method, " ", "-")
	switch {
	case r.Method == "latency": // its percentiles follow
	case r.Unit == "s":
		fmt.Fprintf(&units, " %s %s-ns", nanoseconds(r.Value), name)
	case r.Unit == "frames":
		fmt.Fprintf(&units, " %s frames", exact(r.Value))
	case r.Unit == "":
		fmt.Fprintf(&units, " %s lost/frame", exact(r.Value))
	}
	if l := r.Latency; l != nil {
		fmt.Fprintf(&units, " %s p50-ns %s p99-ns", nanoseconds(l.P50), nanoseconds(l.P99))
	}
	if r.CPUPerFrame > 0 {
		fmt.Fprintf(&units, " %s dut-cpu-ns", nanoseconds(r.CPUPerFrame))
	}
	if units.Len() == 0 {
		return // nothing that the format can say
	}
	if r.Run != (weir.Run{}) {
		// Keys of their own would keep the runs of one arm from being samples
		// of one benchmark.
		fmt.Fprintf(b, "# run %d, block %d\n", r.Run.Number, r.Run.Block)
	}
	b.WriteString("Benchmark" + title(r.Method))
	if r.Run.Arm != "" {
		fmt.Fprintf(b, "/arm=%s", strings.Join(strings.Fields(r.Run.Arm), "_"))
	}
	if r.Run.Again {
		b.WriteString("/again=yes")
	}
	for _, name := range names(r.Factors) {
		fmt.Fprintf(b, "/%s=%s", name, strings.Join(strings.Fields(level(r.Factors[name])), "_"))
	}
	if kind(r) == "rate" || r.Method == "mlrsearch" {
		fmt.Fprintf(b, "/loss=%s", exact(r.LossRatio))
	}
	if l := loadOf(c, &r); l.Share > 0 {
		fmt.Fprintf(b, "/load=%s%%", l.percent())
	}
	fmt.Fprintf(b, " 1%s\n", &units)
}

// known is a number of things; "" when it is 0, which means unknown.
func known(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func nanoseconds(seconds float64) string { return fmt.Sprintf("%.6g", seconds*1e9) }

// title is a method's name as one word in capitals: "RateAtLoss".
func title(method string) string {
	var s strings.Builder
	up := true
	for _, c := range method {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			up = true
		case up:
			s.WriteRune(unicode.ToUpper(c))
			up = false
		default:
			s.WriteRune(c)
		}
	}
	return s.String()
}
