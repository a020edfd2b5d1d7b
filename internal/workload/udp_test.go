package workload

import (
	"slices"
	"testing"

	"weir"
	"weir/internal/endhost"
)

func TestCountsOf(t *testing.T) {
	figures, err := countsOf(endhost.Sent{Datagrams: 15, Payload: 100}, endhost.Received{Datagrams: 14, Dropped: 1})
	got := map[string]float64{}
	for _, f := range figures {
		got[f.Name] = f.Value
	}
	if err != nil || len(got) != 5 || got[weir.DatagramsSent] != 15 || got[weir.DatagramsReceived] != 14 || got[weir.DatagramsLost] != 1 ||
		got[weir.DatagramsDropped] != 1 || got["payload of a datagram"] != 100 {
		t.Errorf("%+v, %v", figures, err)
	}
	if figures, err := countsOf(endhost.Sent{Datagrams: 15}, endhost.Received{Datagrams: 14, Untold: true}); err != nil ||
		slices.ContainsFunc(figures, func(f weir.Figure) bool { return f.Name == weir.DatagramsDropped }) {
		t.Errorf("what the system does not say is told: %+v, %v", figures, err)
	}
	if _, err := countsOf(endhost.Sent{Datagrams: 1}, endhost.Received{Datagrams: 2}); err == nil {
		t.Error("more was received than was sent")
	}
}
