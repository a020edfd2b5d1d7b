package importer

import (
	"errors"
	"fmt"
	"time"

	"weir"
)

// iperf3 is what iperf3 -J writes: one test an object, and several of them in
// the file of a server.
var iperf3 = Format{
	Name: "iperf3", Summary: "what iperf3 -J writes, TCP and UDP: each test is a run",
	Recognise: func(f File) bool {
		return f.isJSON("start") && (f.isJSON("test_start") || f.isJSON("connected") || f.isJSON("intervals"))
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("iperf3", "goodput: bit/s that reached the receiver above TCP or UDP, headers left out; no forwarding rate and no throughput of RFC 2544", files, o)
		var times []time.Time
		for _, f := range files {
			tests, err := objects[iperf3Test](f)
			if err != nil {
				return weir.Campaign{}, err
			}
			for _, t := range tests {
				results, err := t.results(armOf(f))
				if err != nil {
					return weir.Campaign{}, fmt.Errorf("%s: %w", f.Path, err)
				}
				add(&c, armOf(f), results...)
				if s := t.Start.Timestamp.Seconds; s > 0 {
					times = append(times, time.Unix(s, 0))
				}
			}
		}
		note(&c, "the MTU, and so the frame size, was not said; TCP adapts its load, so that it has none that was intended")
		began(&c, times)
		finish(&c, set)
		return c, nil
	},
}

// iperf3Test is what is taken of one object.
type iperf3Test struct {
	Error string `json:"error"`
	Start struct {
		Timestamp struct {
			Seconds int64 `json:"timesecs"`
		} `json:"timestamp"`
		Test struct {
			Protocol string  `json:"protocol"`
			Streams  int     `json:"num_streams"`
			Duration float64 `json:"duration"`
			Block    int     `json:"blksize"`
			Reverse  int     `json:"reverse"`
		} `json:"test_start"`
	} `json:"start"`
	End struct {
		iperf3Sums
		BackSent     iperf3Sum `json:"sum_sent_bidir_reverse"`
		BackReceived iperf3Sum `json:"sum_received_bidir_reverse"`
	} `json:"end"`
}

type iperf3Sums struct {
	Sum      iperf3Sum `json:"sum"` // UDP
	Sent     iperf3Sum `json:"sum_sent"`
	Received iperf3Sum `json:"sum_received"`
}

type iperf3Sum struct {
	Rate        float64 `json:"bits_per_second"`
	Seconds     float64 `json:"seconds"`
	Retransmits float64 `json:"retransmits"`
	Lost        float64 `json:"lost_packets"`
	Packets     float64 `json:"packets"`
	Jitter      float64 `json:"jitter_ms"`
}

// results are one for each direction.
func (t iperf3Test) results(name string) ([]weir.Result, error) {
	switch {
	case t.Error != "":
		return nil, fmt.Errorf("the test failed; iperf3 says %q", t.Error)
	case t.End.Received.Rate == 0 && t.End.Sum.Rate == 0:
		return nil, errors.New("the test has no end with what was received: it was cut off, or it is not what iperf3 -J writes")
	}
	direction := "forward"
	if t.Start.Test.Reverse != 0 {
		direction = "reverse"
	}
	out := []weir.Result{t.result(name, direction, t.End.Sent, t.End.Received)}
	if back := t.End.BackReceived; back.Rate > 0 {
		out = append(out, t.result(name, "reverse", t.End.BackSent, back))
	}
	return out, nil
}

func (t iperf3Test) result(name, direction string, sent, received iperf3Sum) weir.Result {
	protocol := t.Start.Test.Protocol
	r := weir.Result{
		Claim: weir.PublishedAs(protocol + " goodput"), Value: received.Rate, Unit: "bit/s", TrialSeconds: received.Seconds,
		Factors: weir.Factors{set: name, "protocol": protocol, "streams": fmt.Sprint(t.Start.Test.Streams), "direction": direction},
		Figures: []weir.Figure{{Name: "sent", Value: sent.Rate, Unit: "bit/s"}},
	}
	if protocol != "UDP" {
		r.Figures = append(r.Figures, weir.Figure{Name: "retransmits", Value: sent.Retransmits, Unit: "segments"})
		return r
	}
	// The sum of both ends has the loss; older versions have nothing else, and
	// their rate is that of what was sent.
	packets := received
	if packets.Packets == 0 {
		packets = t.End.Sum
	}
	if packets.Packets > 0 {
		r.LossRatio = packets.Lost / packets.Packets
	}
	if received.Rate == 0 {
		r.Value, r.TrialSeconds = t.End.Sum.Rate*(1-r.LossRatio), t.End.Sum.Seconds
		r.Figures[0].Value = t.End.Sum.Rate
	}
	r.Figures = append(r.Figures, weir.Figure{Name: weir.Jitter, Value: packets.Jitter / 1e3, Unit: "s"}, weir.Figure{Name: "datagram size", Value: float64(t.Start.Test.Block), Unit: "octets"})
	return r
}
