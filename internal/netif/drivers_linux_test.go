package netif

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
)

// What ports of known and unknown drivers have counted, by made-up statistics.
func TestDriverCounters(t *testing.T) {
	kernel := Counters{"kernel tx_packets": 900, "kernel tx_errors": 3, "kernel tx_dropped": 4, "kernel rx_dropped": 5, "kernel rx_missed_errors": 6}
	with := func(more Counters) Counters {
		all := Counters{}
		for _, c := range []Counters{kernel, more} {
			for name, n := range c {
				all[name] = n
			}
		}
		return all
	}
	for _, tt := range []struct {
		driver        string
		counters      Counters
		sent          Sent
		missed, pause uint64
		says          string
	}{
		{"veth", with(Counters{"tx_queue_0_xdp_xmit": 10, "tx_queue_11_xdp_xmit": 20, "tx_queue_0_xdp_xmit_errors": 1, "tx_queue_11_xdp_xmit_errors": 2, "rx_queue_0_xdp_packets": 7, "rx_queue_0_drops": 5}),
			Sent{Sent: 30, Refused: 3, Virtual: true}, 5, 0, "of the driver veth"},
		{"tun", kernel, Sent{Sent: 900, Refused: 4, Virtual: true}, 0, 0, "of the driver tun, by its source"},
		{"virtio_net", with(Counters{"tx_queue_0_xdp_tx": 50, "tx_queue_0_xdp_tx_drops": 5, "rx_queue_0_drops": 9, "rx_queue_0_xdp_drops": 8}),
			Sent{Sent: 45, Refused: 5}, 1, 0, "of the driver virtio_net; PAUSE frames: not counted"},
		{"virtio_net", with(Counters{"tx0_xdp_tx": 50, "tx1_xdp_tx": 20, "tx_xdp_tx": 70, "tx0_xdp_tx_drops": 5, "tx1_xdp_tx_drops": 0, "tx_xdp_tx_drops": 5, "rx0_drops": 9, "rx0_xdp_drops": 8}),
			Sent{Sent: 65, Refused: 5}, 1, 0, "of the driver virtio_net; PAUSE frames: not counted"},
		{"mlx5_core", with(Counters{"tx_xdp_xmit": 70, "tx0_xdp_xmit": 70, "tx_xdp_full": 2, "tx_xdp_err": 1, "rx_out_of_buffer": 8, "rx_discards_phy": 1, "rx_pause_ctrl_phy": 12}),
			Sent{Sent: 70, Refused: 3}, 9, 12, "of the driver mlx5_core, by its source"},
		{"mlx5_core", kernel, Sent{Sent: 900}, 6, 0, "of the kernel: the driver mlx5_core has no tx_xdp_xmit; refused frames: not counted, it has no tx_xdp_full + tx_xdp_err; PAUSE frames: not counted"},
		{"igb", with(Counters{"tx_packets": 901, "rx_missed_errors": 2, "rx_fifo_errors": 1, "rx_flow_control_xon": 3, "rx_flow_control_xoff": 4}),
			Sent{Sent: 900, Refused: 7}, 3, 7, "of the driver igb"},
		{"i40e", with(Counters{"rx_dropped": 2, "port.rx_dropped": 1}), Sent{Sent: 900, Refused: 7}, 3, 0, "of the driver i40e, by its source; PAUSE frames: not counted"},
		{"bnxt_en", kernel, Sent{Sent: 900, Refused: 7, Late: 1500 * time.Millisecond}, 6, 0, "of the driver bnxt_en, by its source; PAUSE frames: not counted"},
		{"novel", kernel, Sent{Sent: 900, Refused: 7}, 6, 0, "of the kernel: the driver novel is not known; PAUSE frames: not counted"},
	} {
		d, known := driverOf(tt.driver)
		if diff := cmp.Diff(tt.sent, d.sentOf(tt.counters)); diff != "" {
			t.Errorf("%s: sent (-want +got)\n%s", tt.driver, diff)
		}
		if got := d.missedOf(tt.counters); got != tt.missed {
			t.Errorf("%s: %d frames missed, want %d", tt.driver, got, tt.missed)
		}
		if got, _ := d.pause.of(tt.counters); got != tt.pause {
			t.Errorf("%s: %d PAUSE frames, want %d", tt.driver, got, tt.pause)
		}
		if got := d.counters(known, tt.counters); got != tt.says {
			t.Errorf("%s: counters %s, want %s", tt.driver, got, tt.says)
		}
	}
}

// Frames of sockets are counted as late as others, and those that are refused at the end
// of a virtual link alone were sent.
func TestTransmitted(t *testing.T) {
	for driver, want := range map[string]Sent{
		"bnxt_en": {Sent: 900, Late: 1500 * time.Millisecond}, "igb": {Sent: 900}, "veth": {Sent: 900, Refused: 4, Virtual: true},
	} {
		d, _ := driverOf(driver)
		if diff := cmp.Diff(want, d.transmittedOf(&netlink.LinkStatistics{TxPackets: 900, TxDropped: 4})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", driver, diff)
		}
	}
}

// A formula that needs no statistics of a driver does not ask for them.
func TestFormulaAsks(t *testing.T) {
	for f, want := range map[formula]bool{"": false, kernelSent: false, kernelRefused: false, intelPause: true, "a or kernel b": true} {
		if got := f.asks(); got != want {
			t.Errorf("%q asks the driver: %v, want %v", f, got, want)
		}
	}
}

// A driver may have no XDP with all of its queues.
func TestQueuesForXDP(t *testing.T) {
	for _, tt := range []struct {
		driver     string
		most, want int
	}{{"ena", 8, 4}, {"ena", 3, 1}, {"ena", 1, 1}, {"igb", 8, 8}, {"novel", 8, 8}} {
		d, _ := driverOf(tt.driver)
		if got := d.queues(tt.most); got != tt.want {
			t.Errorf("%s: %d of %d queues, want %d", tt.driver, got, tt.most, tt.want)
		}
	}
}
