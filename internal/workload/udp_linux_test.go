package workload

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// figure is that of a transfer with a name.
func figure(t *testing.T, got weir.Transferred, name string) float64 {
	t.Helper()
	for _, f := range got.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	t.Errorf("there is no figure %q: %+v", name, got.Figures)
	return 0
}

// counted has an end count the datagrams that arrive for the streams, and drop
// those above a rate; 0: none. What it returns are the counts so far, of all and of the dropped.
func counted(t *testing.T, e End, most int) func() (all, dropped float64) {
	t.Helper()
	testenv.NeedTool(t, "nft")
	limit := ""
	if most > 0 {
		limit = fmt.Sprintf("udp dport %d limit rate over %d/second burst 50 packets counter name weir_dropped drop", streamPort, most)
	}
	script := fmt.Sprintf(`table inet counting {
  counter weir_all { }
  counter weir_dropped { }
  chain input {
    type filter hook input priority 0;
    udp dport %d counter name weir_all
    %s
  }
}
`, streamPort, limit)
	if _, err := e.Host.Run(t.Context(), script, "nft", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	packets := regexp.MustCompile(`packets (\d+)`)
	read := func(name string) float64 {
		found := packets.FindStringSubmatch(at(t, e, "nft", "list", "counter", "inet", "counting", name))
		if found == nil {
			t.Fatalf("there is no counter %s", name)
		}
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		return float64(n)
	}
	return func() (float64, float64) { return read("weir_all"), read("weir_dropped") }
}

// What is counted of UDP is what others count on its way.
func TestUDPCounts(t *testing.T) {
	for name, c := range map[string]struct {
		link    string // what holds it
		most    int    // datagrams in a second that the path lets through; 0: all
		rate    float64
		streams int
		payload int
		goodput [2]float64 // Mbit/s
	}{
		"below the link":   {"50mbit", 0, 30e6, 1, 0, [2]float64{20, 35}},
		"above the link":   {"50mbit", 0, 0, 1, 0, [2]float64{35, 50}},
		"two, above":       {"50mbit", 0, 40e6, 2, 1000, [2]float64{35, 50}},
		"lost on the path": {"50mbit", 2000, 0, 1, 0, [2]float64{15, 26}},
		"small":            {"50mbit", 0, .2e6, 1, 18, [2]float64{.12, .24}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := joined(t)
			// A queue that is shorter than what a socket may send: it overflows.
			at(t, p.Ends[0], "tc", "qdisc", "replace", "dev", p.Ends[0].Port, "root", "tbf", "rate", c.link, "burst", "20k", "limit", "40k", "overhead", "24")
			counts := counted(t, p.Ends[1], c.most)
			trial := streamed("udp")
			trial.Transfer.Rate, trial.Transfer.Streams, trial.Transfer.Payload = c.rate, c.streams, c.payload
			until := testenv.Attend(t)
			got := ran(t, p, trial)
			kept := until()
			all, dropped := counts()
			sent, received, lost, there := figure(t, got, weir.DatagramsSent), figure(t, got, weir.DatagramsReceived), figure(t, got, weir.DatagramsLost), figure(t, got, weir.DatagramsDropped)
			if sent != all || lost != dropped+there || sent != received+lost {
				t.Errorf("sent %.0f, received %.0f, lost %.0f (%.0f by the socket); the path had %.0f and dropped %.0f", sent, received, lost, there, all, dropped)
			}
			if most := float64(c.most); most == 0 && dropped > 0 || most > 0 && dropped == 0 && sent > 1.5*most {
				t.Errorf("the path dropped %.0f of %.0f", dropped, sent)
			}
			if g := got.Goodput() / 1e6; g < kept.Least(t, c.goodput[0]) || g > c.goodput[1]*kept.Most(got.Took) {
				t.Errorf("goodput is %.2f Mbit/s, kept %+v", g, kept)
			}
			t.Logf("%.2f Mbit/s, CPU %v, %+v", got.Goodput()/1e6, got.CPU, got.Figures)
		})
	}
}

// The server sends, and datagrams fit into packets unless somebody wants them
// larger.
func TestUDPPayload(t *testing.T) {
	p := joined(t)
	for _, c := range []struct {
		family  weir.Family
		payload int
		want    float64
	}{{weir.IPv4, 0, 1472}, {weir.IPv6, 0, 1452}, {weir.IPv4, 4000, 4000}, {weir.IPv6, 1453, 1453}} {
		trial := streamed("udp")
		trial.Traffic.Server, trial.Traffic.Family, trial.Traffic.Backward = weir.Source, c.family, true
		trial.Duration, trial.Transfer.WarmUp = 200*time.Millisecond, 50*time.Millisecond
		trial.Transfer.Payload, trial.Transfer.Rate = c.payload, 5e6
		got := ran(t, p, trial)
		if size := figure(t, got, "payload of a datagram"); size != c.want {
			t.Errorf("the payload is %.0f octets, want %.0f", size, c.want)
		}
		if sent, received := figure(t, got, weir.DatagramsSent), figure(t, got, weir.DatagramsReceived); sent == 0 || sent != received {
			t.Errorf("%.0f of %.0f arrived", received, sent)
		}
	}
	trial := streamed("udp")
	trial.Transfer.Payload = 8
	if got, err := p.Run(t.Context(), trial); err != nil || !strings.Contains(got.Failed, "16 to 65507") {
		t.Error(got.Failed, err)
	}
}
