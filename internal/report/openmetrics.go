package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/figures"
	"weir/internal/result"
)

// writeOpenMetrics writes results as gauges in the text format of OpenMetrics, in
// base units, with the levels of the factors as labels.
func writeOpenMetrics(w io.Writer, c weir.Campaign, _ Options) error {
	return WriteMetrics(w, []weir.Campaign{c})
}

// WriteMetrics writes results of campaigns as gauges: a family has those of all. Their labels are the
// same for the next campaign of the same name at the same DUT, so that a database has one series of
// both; what differs is in families of its own (weir_campaign_info, weir_result_info).
func WriteMetrics(w io.Writer, all []weir.Campaign) error {
	var b bytes.Buffer
	var results []namedResult
	labels := map[*weir.Result][][2]string{}
	for _, c := range all {
		for _, r := range foundBy(lastRound(c)) {
			results, labels[r.Result] = append(results, r), metricLabels(c, r)
		}
	}
	writeCampaigns(&b, all)
	family := func(name, help string, of func(r namedResult) (float64, bool)) {
		fmt.Fprintf(&b, "# TYPE weir_%s gauge\n# HELP weir_%s %s\n", name, name, help)
		for _, r := range results {
			if v, known := of(r); known {
				fmt.Fprintf(&b, "weir_%s%s %s\n", name, labelled(labels[r.Result]), figures.Exact(v))
			}
		}
	}
	for _, m := range result.Kept(result.Gauge) {
		name := m.ID
		switch {
		case m.Group == result.Clocks && !slices.ContainsFunc(results, func(r namedResult) bool { _, known := m.Of(r.Result); return known }):
			continue
		case m.Unit == result.OfResult:
			name = "result"
		case m.Unit == "s":
			name += "_seconds"
		}
		family(name, m.Means, func(r namedResult) (float64, bool) {
			v, known := m.Of(r.Result)
			return v.Value, known
		})
		if m.Range {
			bound := func(what string, of func(result.Value) float64) {
				family(name+"_"+what, strings.ToUpper(what[:1])+what[1:]+" bound of the result.", func(r namedResult) (float64, bool) {
					v, known := m.Of(r.Result)
					return of(v), known && v.Interval()
				})
			}
			bound("lower", func(v result.Value) float64 { return v.Lower })
			bound("upper", func(v result.Value) float64 { return v.Upper })
		}
	}
	flag := func(name, help string, is func(*weir.Result) bool) {
		family(name, help, func(r namedResult) (float64, bool) {
			if is(r.Result) {
				return 1, true
			}
			return 0, true
		})
	}
	flag("result_doubtful", "1 where warnings speak against the result, 0 where none do.", result.Doubtful)
	flag("result_at_least", "1 where the result is a lower bound: the DUT may do more.", result.AtLeast)
	fmt.Fprint(&b, "# TYPE weir_result_info gauge\n# HELP weir_result_info The name that the result has earned.\n")
	for _, r := range results {
		fmt.Fprintf(&b, "weir_result_info%s 1\n", labelled(append(labels[r.Result], [2]string{"claim", r.Claim.Name})))
	}
	b.WriteString("# EOF\n")
	_, err := w.Write(b.Bytes())
	return err
}

// notLabel is what the name of a label may not have.
var notLabel = regexp.MustCompile(`[^a-zA-Z0-9_]`)

// writeCampaigns writes when campaigns were measured, and with what.
func writeCampaigns(b *bytes.Buffer, all []weir.Campaign) {
	fmt.Fprint(b, "# TYPE weir_campaign_started_timestamp_seconds gauge\n# HELP weir_campaign_started_timestamp_seconds When the campaign began that the results are of.\n")
	for _, c := range all {
		fmt.Fprintf(b, "weir_campaign_started_timestamp_seconds%s %d\n", labelled(campaignLabels(c)), c.Manifest.Started.Unix())
	}
	fmt.Fprint(b, "# TYPE weir_campaign_info gauge\n# HELP weir_campaign_info The campaign that the results are of.\n")
	for _, c := range all {
		m := c.Manifest
		fmt.Fprintf(b, "weir_campaign_info%s 1\n", labelled(append(campaignLabels(c), [][2]string{{"campaign", c.ID}, {"weir", m.Weir}, {"kernel", m.Kernel}, {"cpu", m.CPUModel}}...)))
	}
}

// campaignLabels tell a campaign from those of other names, DUTs and testbeds.
func campaignLabels(c weir.Campaign) [][2]string {
	m := c.Manifest
	return [][2]string{{"name", c.Name}, {"dut", m.Platform}, {"testbed", cmp.Or(m.Place, m.Testbed)}}
}

// metricLabels distinguish a result from all others of its campaign, and of others.
func metricLabels(c weir.Campaign, r namedResult) [][2]string {
	list := append(campaignLabels(c), [][2]string{{"result", r.name}, {"method", r.Method}, {"unit", r.Unit}, {"simulated", strconv.FormatBool(r.Simulated)}}...)
	for _, name := range result.Names(r.Factors) {
		list = append(list, [2]string{"level_" + notLabel.ReplaceAllString(name, "_"), result.Level(r.Factors[name])})
	}
	return slices.Clip(list)
}

// labelled writes labels.
func labelled(list [][2]string) string {
	var parts []string
	for _, l := range list {
		parts = append(parts, l[0]+`="`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(l[1])+`"`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}
