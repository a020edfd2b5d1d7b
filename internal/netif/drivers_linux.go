package netif

import (
	"slices"
	"strings"
	"time"
)

// driver says where a driver of ports counts what: in formulas, or where that is empty
// nowhere. Each is from the driver's source, which lies below drivers/net of the kernel.
type driver struct {
	name    string
	sent    formula       // frames that it has transmitted, redirected ones (XDP) among them
	refused formula       // redirected frames that it has not taken
	missed  formula       // frames for which the port had no room when they came
	pause   formula       // PAUSE frames that came (IEEE 802.3 annex 31B)
	half    bool          // it takes no XDP program where more than half of the queues are in use that there can be
	rings   string        // why its rings stay as they are; "": they can be changed
	virtual bool          // it has no medium: what it refuses found the ring at the other end full
	late    time.Duration // how old its counters may be
	seldom  time.Duration // how old that of missed frames may be, where it is older
	tried   string        // where all frames that were sent were counted; "": it is from the source alone
}

// formula adds statistics of ethtool -S, and subtracts: "a + b - c". Their # is the
// number of any queue, of which all are added. "kernel a" is one of those that all
// ports have (struct rtnl_link_stats64). After " or " there are the names of other
// versions of the driver.
type formula string

// What drivers have in common, and unknown ones are taken to have: nobody has to count
// as missed what its receive program dropped, which some have in rx_dropped.
const (
	kernelSent    formula = "kernel tx_packets"
	kernelRefused formula = "kernel tx_errors + kernel tx_dropped"
	kernelMissed  formula = "kernel rx_missed_errors"
	intelPause    formula = "rx_flow_control_xon + rx_flow_control_xoff"
)

// inQEMU is how drivers of emulated cards were tried: make test-drivers.
const inQEMU = "QEMU 10.0.2, Linux 6.12.95"

// drivers is the table of them.
var drivers = []driver{
	{name: "veth", // veth.c, veth_tq_stats_desc, veth_rq_stats_desc
		sent: "tx_queue_#_xdp_xmit", refused: "tx_queue_#_xdp_xmit_errors", missed: "rx_queue_#_drops",
		virtual: true, tried: "Linux 6.18"},
	{name: "tun", // tun.c, tun_xdp_xmit; it is sent when the other end has read it; rx_dropped has what XDP drops
		sent: kernelSent, refused: "kernel tx_dropped", virtual: true},
	{name: "virtio_net", // virtio_net.c, virtnet_xdp_xmit: tx_packets lacks the last ones, which are counted with the next; its drops have what XDP drops (receive_small); virtnet_alloc_queues
		sent:    "tx_queue_#_xdp_tx - tx_queue_#_xdp_tx_drops or tx#_xdp_tx - tx#_xdp_tx_drops",
		refused: "tx_queue_#_xdp_tx_drops or tx#_xdp_tx_drops",
		missed:  "rx_queue_#_drops - rx_queue_#_xdp_drops or rx#_drops - rx#_xdp_drops", tried: inQEMU},
	{name: "vmxnet3", // vmxnet3/vmxnet3_ethtool.c, vmxnet3_get_stats64: tx_packets is what the device has sent
		sent: kernelSent, refused: "xdp xmit err", missed: "pkts rx OOB", tried: inQEMU,
		rings: "once they have changed, its driver loses frames of 9,018 octets"}, // seen in make test-drivers
	{name: "igb", // ethernet/intel/igb/igb_main.c, igb_update_stats: tx_packets are those of all rings; igb_ethtool.c
		sent: kernelSent, refused: kernelRefused, missed: "rx_missed_errors + rx_fifo_errors", pause: intelPause, tried: inQEMU},
	{name: "igc", // ethernet/intel/igc/igc_main.c, igc_update_stats; igc_ethtool.c
		sent: kernelSent, refused: kernelRefused, missed: "rx_missed_errors + rx_fifo_errors", pause: intelPause},
	{name: "ixgbe", // ethernet/intel/ixgbe/ixgbe_main.c, ixgbe_get_stats64: tx_packets has the XDP rings; ixgbe_ethtool.c
		sent: kernelSent, refused: kernelRefused, missed: "rx_missed_errors + rx_no_dma_resources", pause: intelPause},
	{name: "i40e", // ethernet/intel/i40e/i40e_main.c, i40e_get_netdev_stats_struct: tx_packets has the XDP rings; i40e_ethtool.c
		sent: kernelSent, refused: kernelRefused, missed: "rx_missed_errors + port.rx_discards or rx_dropped + port.rx_dropped",
		pause: "port.link_xon_rx + port.link_xoff_rx"},
	{name: "ice", // ethernet/intel/ice/ice_main.c, ice_update_vsi_ring_stats: tx_packets has the XDP rings; ice_ethtool.c
		sent: kernelSent, refused: kernelRefused, missed: "rx_dropped + rx_dropped.nic",
		pause: "link_xon_rx.nic + link_xoff_rx.nic"},
	{name: "mlx5_core", // ethernet/mellanox/mlx5/core/en_stats.c; mlx5e_fold_sw_stats64: tx_packets has no redirected frames
		sent: "tx_xdp_xmit", refused: "tx_xdp_full + tx_xdp_err", missed: "rx_out_of_buffer + rx_discards_phy", pause: "rx_pause_ctrl_phy"},
	{name: "ena", // ethernet/amazon/ena/ena_ethtool.c, ena_queue_strings; rx_dropped: ena_keep_alive_wd, each second; ena_xdp.h, ena_xdp_legal_queue_count
		sent: "queue_#_xdp_tx_cnt", refused: "kernel tx_dropped", missed: "rx_drops or kernel rx_dropped", half: true, seldom: 1500 * time.Millisecond},
	{name: "bnxt_en", // ethernet/broadcom/bnxt/bnxt.c, bnxt_get_stats64: what the card counted, read each second (stats_coal_ticks); bnxt_ethtool.c
		sent: kernelSent, refused: kernelRefused, missed: kernelMissed, pause: "rx_pause_frames", late: 1500 * time.Millisecond},
	{name: "e1000e", // ethernet/intel/e1000e/netdev.c, e1000e_get_stats64: it has no XDP; ethtool.c
		sent: kernelSent, refused: kernelRefused, missed: "rx_missed_errors", pause: intelPause, tried: inQEMU},
}

// driverOf is the entry of the table; known is false for one that is not there, which
// then has the kernel's counters alone.
func driverOf(name string) (d driver, known bool) {
	at := slices.IndexFunc(drivers, func(d driver) bool { return d.name == name })
	if at < 0 {
		return driver{name: name, sent: kernelSent, refused: kernelRefused, missed: kernelMissed}, false
	}
	return drivers[at], true
}

// ofKernel marks the names of counters that all ports have.
const ofKernel = "kernel "

// terms are those of one version of a formula, subtracted ones with a minus.
func terms(version string) []string {
	return strings.Split(strings.ReplaceAll(version, " - ", " + -"), " + ")
}

// versions are those of a formula.
func (f formula) versions() []string {
	if f == "" {
		return nil
	}
	return strings.Split(string(f), " or ")
}

// asks reports whether a formula has statistics of ethtool.
func (f formula) asks() bool {
	return slices.ContainsFunc(f.versions(), func(v string) bool {
		return slices.ContainsFunc(terms(v), func(t string) bool { return !strings.HasPrefix(t, ofKernel) })
	})
}

// of is the value of a formula; known is false where a port lacks a counter of it, in
// all versions.
func (f formula) of(c Counters) (value uint64, known bool) {
	for _, v := range f.versions() {
		value, known = 0, true
		for _, t := range terms(v) {
			name, minus := strings.CutPrefix(t, "-")
			n, there := c.sum(name)
			known = known && there
			if minus {
				n = -n
			}
			value += n
		}
		if known {
			return value, true
		}
	}
	return 0, false
}

// sum adds up the counters that a name with or without a # means.
func (c Counters) sum(name string) (sum uint64, there bool) {
	before, after, queues := strings.Cut(name, "#")
	if !queues {
		sum, there = c[name]
		return sum, there
	}
	for other, n := range c {
		rest, begins := strings.CutPrefix(other, before)
		number, ends := strings.CutSuffix(rest, after)
		if begins && ends && number != "" && strings.Trim(number, "0123456789") == "" {
			sum, there = sum+n, true
		}
	}
	return sum, there
}
