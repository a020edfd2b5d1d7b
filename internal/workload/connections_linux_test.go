package workload

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"weir"
	"weir/internal/endhost"
	"weir/internal/testenv"
)

// The kernel of the server counts the same connections.
func TestConnections(t *testing.T) {
	t.Parallel()
	p := joined(t)
	accepted := func() (n float64) {
		for _, e := range p.Ends {
			said := at(t, e, "awk", "/^Tcp: [0-9]/ {print $7}", "/proc/net/snmp") // PassiveOpens
			one, err := strconv.ParseFloat(said, 64)
			if err != nil {
				t.Fatal(err)
			}
			n += one
		}
		return n
	}
	for _, c := range []struct {
		family weir.Family
		server weir.Side
	}{{weir.IPv4, ""}, {weir.IPv6, weir.Source}} {
		trial := streamed("connections")
		trial.Traffic.Family, trial.Traffic.Server, trial.Transfer.Streams, trial.Transfer.WarmUp = c.family, c.server, 2, 0
		var got weir.Transferred
		var before float64
		for times := range testenv.Longer {
			longer := trial
			longer.Duration *= times
			got = ran(t, p, longer, func(weir.Trial) { before = accepted() })
			if !slices.ContainsFunc(got.Figures, func(f weir.Figure) bool { return strings.HasPrefix(f.Name, "connections failed: no answer") }) {
				break // in the other case an end had no CPU for seconds
			}
		}
		// The last one of each place may have ended after the time that counts.
		if all := accepted() - before; float64(got.Count) > all || float64(got.Count) < all-2 {
			t.Errorf("%d connections of %v that the server has taken", got.Count, all)
		}
		half, most := figure(t, got, "time of a connection, median"), figure(t, got, "time of a connection, 99th percentile")
		if half <= 0 || most < half || figure(t, got, "connections failed") != 0 {
			t.Errorf("%+v", got.Figures)
		}
		if got.CPU.Source <= 0 || got.CPU.Destination <= 0 {
			t.Errorf("CPU %v", got.CPU)
		}
		t.Logf("%.0f connections/s, CPU %v, %+v", got.PerSecond(), got.CPU, got.Figures)
		if left := at(t, p.Ends[0], "ss", "-Htan", "state", "time-wait"); strings.Count(left, "\n") > 5 {
			t.Errorf("these wait for their time: %s", left)
		}
	}
}

func TestConnectionsThatFail(t *testing.T) {
	r := endhost.ConnectionsReport{Failed: map[string]uint64{"connection refused": 3, "no answer for 5s": 1}}
	if got := causes(r.Failed); got != "connection refused (3 times), no answer for 5s (1 times)" {
		t.Error(got)
	}
	r.Times.Add(1000, 1)
	figures := timesOf(r)
	if len(figures) != 5 || figures[2].Value != 4 || figures[3].Name != "connections failed: connection refused" || figures[3].Value != 3 {
		t.Errorf("%+v", figures)
	}
}
