package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/figures"
)

// writeBenchfmt writes the Go benchmark format: "key: value" lines for the
// environment, then a line for each result, which counts as one sample.
func writeBenchfmt(w io.Writer, c weir.Campaign, _ Options) error {
	c = figures.Printable(c) // the format is one of lines
	var b bytes.Buffer
	m := c.Manifest
	// benchstat compares only what has the same keys, so what differs between
	// any two campaigns is a remark.
	fmt.Fprintf(&b, "# campaign %s, started %s\n", strings.Join(strings.Fields(c.ID), " "), m.Started.UTC().Format(time.RFC3339))
	for _, s := range [][2]string{
		{"weir", m.Weir}, {"kernel", m.Kernel}, {"cpu", m.CPUModel},
		{"cpus", known(m.CPUs)}, {"testbed", m.Testbed}, {"platform", m.Platform}, {"tester", m.Backend},
		{"simulated", fmt.Sprint(figures.Simulated(c))},
	} {
		if s[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", s[0], strings.Join(strings.Fields(s[1]), " "))
		}
	}
	b.WriteString("Unit frames/s better=higher\n")
	for _, unit := range figures.TransferUnits {
		if slices.ContainsFunc(c.Results, func(r weir.Result) bool { return r.Unit == unit && r.Unmeasured == "" }) {
			fmt.Fprintf(&b, "Unit %s better=higher\n", unit)
		}
	}
	b.WriteByte('\n')
	for _, r := range c.Results {
		figures.BenchLine(&b, c, r)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// known is a number of things; "" when it is 0, which means unknown.
func known(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
