package workload

import (
	"fmt"
	"math"
	"os"
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

// counted has an end count the datagrams that arrive for the streams, and drop every other
// one if it is to. What it returns are the counts so far, of all and of the dropped.
func counted(t *testing.T, e End, drop bool) func() (all, dropped float64) {
	t.Helper()
	testenv.NeedTool(t, "nft")
	dropping := ""
	if drop {
		dropping = fmt.Sprintf("udp dport %d numgen inc mod 2 0 counter name weir_dropped drop", streamPort)
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
`, streamPort, dropping)
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

// backlogged is how many packets the CPUs had no room for before anybody could count them.
func backlogged(t *testing.T) (n float64) {
	t.Helper()
	text, err := os.ReadFile("/proc/net/softnet_stat")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		one, err := strconv.ParseUint(strings.Fields(line)[1], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		n += float64(one)
	}
	return n
}

// What is counted of UDP is what others count on its way.
func TestUDPCounts(t *testing.T) {
	for name, c := range map[string]struct {
		drop    bool    // every other datagram on the path
		rate    float64 // of a stream, in bit/s
		streams int
		payload int
	}{
		"below the link":   {false, 30e6, 1, 1472},
		"above the link":   {false, 0, 1, 1472},
		"two, above":       {false, 40e6, 2, 1000},
		"lost on the path": {true, 0, 1, 1472},
		"small":            {false, .2e6, 1, 18},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := joined(t)
			// A queue that is shorter than what a socket may send: it overflows.
			at(t, p.Ends[0], "tc", "qdisc", "replace", "dev", p.Ends[0].Port, "root", "tbf", "rate", "50mbit", "burst", "20k", "limit", "40k", "overhead", "24")
			counts := counted(t, p.Ends[1], c.drop)
			var before, droppedBefore, early float64
			var began time.Time
			trial := streamed("udp")
			trial.Transfer.Rate, trial.Transfer.Streams, trial.Transfer.Payload = c.rate, c.streams, c.payload
			got := ran(t, p, trial, func(weir.Trial) {
				before, droppedBefore = counts()
				early, began = backlogged(t), time.Now()
			})
			took := time.Since(began)
			all, dropped := counts()
			if want := math.Ceil(all / 2); c.drop && dropped != want || !c.drop && dropped > 0 {
				t.Errorf("the path dropped %.0f of %.0f", dropped, all)
			}
			all, dropped = all-before, dropped-droppedBefore
			sent, received, lost, there := figure(t, got, weir.DatagramsSent), figure(t, got, weir.DatagramsReceived), figure(t, got, weir.DatagramsLost), figure(t, got, weir.DatagramsDropped)
			if sent != received+lost || sent < all || sent-all > backlogged(t)-early || lost != dropped+there+sent-all {
				t.Errorf("sent %.0f, received %.0f, lost %.0f (%.0f by the socket); the path had %.0f and dropped %.0f", sent, received, lost, there, all, dropped)
			}
			if float64(got.Octets) > received*float64(c.payload) {
				t.Errorf("%d octets of %.0f datagrams with %d", got.Octets, received, c.payload)
			}
			first := float64(c.streams) // which do not wait
			if most := first + float64(c.streams)*c.rate*took.Seconds()/float64(8*c.payload); c.rate > 0 && sent > most {
				t.Errorf("%.0f datagrams in %v, of %.0f at most", sent, took, most)
			}
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
		if sent, received := figure(t, got, weir.DatagramsSent), figure(t, got, weir.DatagramsReceived); sent != received {
			t.Errorf("%.0f of %.0f arrived", received, sent)
		}
	}
	trial := streamed("udp")
	trial.Transfer.Payload = 8
	if got, err := p.Run(t.Context(), trial); err != nil || !strings.Contains(got.Failed, "16 to 65507") {
		t.Error(got.Failed, err)
	}
}
