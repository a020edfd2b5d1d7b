package workload

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"weir"
)

// netperfKeys are what netperf is asked to say. Those that need a clock to be
// read at each packet are not among them: these slow it down.
var netperfKeys = []string{
	"ELAPSED_TIME", "TRANSACTION_RATE", "RT_LATENCY", "TRANSPORT_MSS",
	"LOCAL_BYTES_SENT", "LOCAL_BYTES_RECVD", "LOCAL_RECV_THROUGHPUT", "LOCAL_SEND_SIZE", "LOCAL_TRANSPORT_RETRANS",
	"REMOTE_BYTES_SENT", "REMOTE_BYTES_RECVD", "REMOTE_RECV_THROUGHPUT", "REMOTE_SEND_SIZE", "REMOTE_TRANSPORT_RETRANS",
}

// readNetperf is what all clients of a test have come to, each of which says
// KEY=value, by the figures of the end that received. The server was at the
// given side. Lost is what was sent and not received in the time: where the
// server sends, what was still under way at the end is in that, too.
func readNetperf(said, test string, server weir.Side, clients int) (weir.Transferred, error) {
	reports, err := netperfReports(said)
	if err != nil {
		return weir.Transferred{}, err
	}
	if len(reports) != clients {
		return weir.Transferred{}, fmt.Errorf("%d of %d netperf report: %q", len(reports), clients, lastLines(said))
	}
	sender, receiver := "LOCAL_", "REMOTE_"
	if server == weir.Source {
		sender, receiver = receiver, sender
	}
	var parts []weir.Transferred
	sent, received, latency := 0., 0., 0.
	for _, r := range reports {
		t := weir.Transferred{
			Octets:        uint64(r[receiver+"BYTES_RECVD"]),
			Retransmitted: uint64(max(r[sender+"TRANSPORT_RETRANS"], 0)), // -1: not known
			Segment:       int(max(r["TRANSPORT_MSS"], 0)),
		}
		// The rate is more exact than the time, which it says in hundredths.
		if t.Took = timeOf(t.Octets, 1e3*r[receiver+"RECV_THROUGHPUT"]); t.Took == 0 {
			t.Took = time.Duration(r["ELAPSED_TIME"] * float64(time.Second))
		}
		if test == "TCP_RR" {
			t.Count = uint64(math.Round(r["TRANSACTION_RATE"] * t.Took.Seconds()))
			latency += r["RT_LATENCY"] / 1e6 / float64(clients)
		}
		if size := r[sender+"SEND_SIZE"]; test == "UDP_STREAM" && size > 0 {
			sent += r[sender+"BYTES_SENT"] / size
			received += r[receiver+"BYTES_RECVD"] / size
		}
		parts = append(parts, t)
	}
	t := mergeStreams(parts)
	switch test {
	case "TCP_RR":
		t.Figures = []weir.Figure{{Name: "round trip, mean", Value: latency, Unit: "s"}}
	case "UDP_STREAM":
		t.Figures = datagrams(sent, received, sent-received)
	}
	return t, nil
}

// netperfReports are those of all clients, one after the other in any order. A
// key that is there already begins the next one.
func netperfReports(said string) ([]map[string]float64, error) {
	var out []map[string]float64
	for line := range strings.Lines(said) {
		key, text, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			continue // what it warns of
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue // a warning may have the sign, too
		}
		if len(out) == 0 || has(out[len(out)-1], key) {
			out = append(out, map[string]float64{})
		}
		out[len(out)-1][key] = value
	}
	for _, r := range out {
		for _, key := range netperfKeys {
			if !has(r, key) {
				return nil, errors.New("netperf does not say " + key + ": " + lastLines(said))
			}
		}
	}
	return out, nil
}

func has(report map[string]float64, key string) bool {
	_, ok := report[key]
	return ok
}
