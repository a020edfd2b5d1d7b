package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"weir"
	"weir/internal/method"
)

// writeBenchfmt writes the Go benchmark format: "key: value" lines for the
// environment, then a line for each result, which counts as one sample.
func writeBenchfmt(w io.Writer, c weir.Campaign, _ Options) error {
	c = Printable(c) // the format is one of lines
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
	b.WriteString("Unit frames/s better=higher\n")
	for _, unit := range transferUnits {
		if slices.ContainsFunc(c.Results, func(r weir.Result) bool { return r.Unit == unit && r.Unmeasured == "" }) {
			fmt.Fprintf(&b, "Unit %s better=higher\n", unit)
		}
	}
	b.WriteByte('\n')
	for _, r := range c.Results {
		benchLine(&b, c, r)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// transferUnits are the units of rates of transfers.
var transferUnits = []string{"bit/s", "transactions/s", "connections/s"}

func benchLine(b *bytes.Buffer, c weir.Campaign, r weir.Result) {
	if unknown(&r) {
		return // a 0 would count as a sample
	}
	var units strings.Builder
	if r.Unit == "frames/s" || slices.Contains(transferUnits, r.Unit) {
		fmt.Fprintf(&units, " %s %s", exact(r.Value), r.Unit)
	}
	name := strings.ReplaceAll(r.Method, " ", "-")
	switch {
	case kind(&r) == method.Delay: // its percentiles follow
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
	benchTransfer(b, r.Transfer)
	for _, name := range names(r.Factors) {
		if name == "frame_size" && transferred(&r) {
			continue
		}
		fmt.Fprintf(b, "/%s=%s", name, strings.Join(strings.Fields(level(r.Factors[name])), "_"))
	}
	if kind(&r) == method.Rate || kind(&r) == method.Goals {
		fmt.Fprintf(b, "/loss=%s", exact(r.LossRatio))
	}
	if l := loadOf(c, &r); l.Share > 0 {
		fmt.Fprintf(b, "/load=%s%%", l.percent())
	}
	fmt.Fprintf(b, " 1%s\n", &units)
}

// benchTransfer writes what tells a transfer from others of its method.
func benchTransfer(b *bytes.Buffer, t *weir.Transfer) {
	if t == nil {
		return
	}
	for _, k := range []struct {
		name, value string
		usual       bool
	}{
		{"test", t.Test, t.Test == ""},
		{"streams", fmt.Sprint(t.Streams), t.Streams <= 1},
		{"rate", exact(t.Rate), t.Rate == 0},
		{"payload", fmt.Sprint(t.Payload), t.Payload == 0},
		{"files", fmt.Sprintf("%dx%d", t.Files, t.FileSize), t.Files == 0},
		{"storage", string(t.Storage), t.Storage == ""},
	} {
		if !k.usual {
			fmt.Fprintf(b, "/%s=%s", k.name, strings.Join(strings.Fields(k.value), "_"))
		}
	}
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
