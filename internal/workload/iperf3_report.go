package workload

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"weir"
)

// iperf3Report is what iperf3 -J says, as far as it is read.
type iperf3Report struct {
	Start struct {
		MSS       int `json:"tcp_mss"`         // where one was asked for
		MSSFound  int `json:"tcp_mss_default"` // otherwise
		TestStart struct {
			Protocol string `json:"protocol"` // "TCP", "UDP"
			Block    uint64 `json:"blksize"`  // octets of a datagram
		} `json:"test_start"`
	} `json:"start"`
	End struct {
		Streams []struct {
			Sender struct {
				MinRTT  float64 `json:"min_rtt"` // us; 0: the sender is the other end, which does not say
				MeanRTT float64 `json:"mean_rtt"`
			} `json:"sender"`
		} `json:"streams"`
		Sum      *iperf3Sum `json:"sum"`
		Sent     *iperf3Sum `json:"sum_sent"`
		Received *iperf3Sum `json:"sum_received"`
		CPU      struct {
			Client float64 `json:"host_total"` // percent of one CPU, of the process
			Server float64 `json:"remote_total"`
		} `json:"cpu_utilization_percent"`
	} `json:"end"`
	Error string `json:"error"`
}

// iperf3Sum is what all streams have come to at one end.
type iperf3Sum struct {
	Seconds     float64 `json:"seconds"`
	Octets      uint64  `json:"bytes"`
	Retransmits uint64  `json:"retransmits"`
	Datagrams   float64 `json:"packets"`
	Lost        float64 `json:"lost_packets"`
}

func readIperf3(said string) (iperf3Report, error) {
	var r iperf3Report
	if err := json.Unmarshal([]byte(said), &r); err != nil {
		return r, fmt.Errorf("read the report of iperf3: %w: %q", err, lastLines(said))
	}
	return r, nil
}

// transferred is what a report says, by the figures of the receiver. The server
// was at the given side.
func (r iperf3Report) transferred(server weir.Side) (weir.Transferred, error) {
	received := r.End.Received
	udp := r.Start.TestStart.Protocol == "UDP"
	if received == nil && udp && r.End.Sum != nil { // releases before 3.10 have the sender's octets and the receiver's losses
		kept := *r.End.Sum
		kept.Octets = uint64(max(kept.Datagrams-kept.Lost, 0)) * r.Start.TestStart.Block
		received = &kept
	}
	if received == nil || received.Seconds <= 0 {
		return weir.Transferred{}, errors.New("iperf3 does not say what was received")
	}
	t := weir.Transferred{
		Octets:  received.Octets,
		Took:    time.Duration(received.Seconds * float64(time.Second)),
		Segment: r.Start.MSS,
	}
	if t.Segment == 0 {
		t.Segment = r.Start.MSSFound
	}
	// The shares are those of the whole test, and taken for those of the time
	// that counts.
	client := time.Duration(r.End.CPU.Client / 100 * received.Seconds * float64(time.Second))
	serving := time.Duration(r.End.CPU.Server / 100 * received.Seconds * float64(time.Second))
	t.CPU = endsCPU(server, client, serving)
	if r.End.Sent != nil {
		t.Retransmitted = r.End.Sent.Retransmits
	}
	if udp {
		t.Figures = r.datagrams(received)
	}
	t.Figures = append(t.Figures, r.roundTrips()...)
	return t, nil
}

// datagrams are those of a test of UDP. Some that were sent just before its end
// may be neither received nor lost.
func (r iperf3Report) datagrams(received *iperf3Sum) []weir.Figure {
	sent, arrived := received.Datagrams, received.Datagrams-received.Lost
	if r.End.Sent != nil {
		sent = r.End.Sent.Datagrams
	}
	return datagrams(sent, arrived, received.Lost)
}

// roundTrips are the round trips of TCP that the sender saw, where that was the
// client.
func (r iperf3Report) roundTrips() []weir.Figure {
	least, sum, n := 0., 0., 0.
	for _, s := range r.End.Streams {
		if s.Sender.MeanRTT <= 0 {
			continue
		}
		if least == 0 || s.Sender.MinRTT < least {
			least = s.Sender.MinRTT
		}
		sum, n = sum+s.Sender.MeanRTT, n+1
	}
	if n == 0 {
		return nil
	}
	return []weir.Figure{
		{Name: "round trip, mean", Value: sum / n / 1e6, Unit: "s"},
		{Name: "round trip, min", Value: least / 1e6, Unit: "s"},
	}
}
