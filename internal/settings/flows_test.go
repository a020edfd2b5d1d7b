package settings

import "testing"

func TestParseSpread(t *testing.T) {
	const head = "RX flow hash indirection table for eth1 with 4 RX ring(s):\n"
	const tail = "RSS hash key:\n6d:5a:56:da\nRSS hash function:\n    toeplitz: on\n    xor: off\n"
	for text, want := range map[string]string{
		head + "    0:      0     1     2     3     0     1     2     3\n    8:      0     1     2     3     0     1     2     3\n" + tail: "default",
		head + "    0:      0     1     0     1     0     1     0     1\n" + tail:                                                          "equal 2",
		head + "    0:      0     1     2     0     1     2     0     1\n" + tail:                                                          "equal 3",
		head + "    0:      0     0     0     1     1     2     2     3\n" + tail:                                                          "weight 3 2 2 1",
		head + "    0:      0     0     1     1     2     2     3     3\n" + tail:                                                          "weight 2 2 2 2",
		head + "    0:      1     1     1     1\n" + tail:                                                                                  "weight 0 4",
		head + "    0:      0     0     0     0\n" + tail:                                                                                  "equal 1",
		head + "    0:      3     2     1     0\n" + tail:                                                                                  "table 3 2 1 0",
		head + "    0:      0     1     2     3     0     1     3     2\n" + tail:                                                          "table 0 1 2 3 0 1 3 2",
		head + "Operation not supported\n" + tail:                                                                                          "",
		head + "    0:      9999999\n":                                                                                                     "",
	} {
		if got := ParseSpread(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestParseHash(t *testing.T) {
	const head = "UDP over IPV4 flows use these fields for computing Hash flow key:\n"
	for text, want := range map[string]string{
		head + "IP SA\nIP DA\n\n": "sd",
		head + "IP SA\nIP DA\nL4 bytes 0 & 1 [TCP/UDP src port]\nL4 bytes 2 & 3 [TCP/UDP dst port]\n\n": "sdfn",
		"": "",
	} {
		if got := ParseHash(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The names are those of igb, i40e, igb with queues that only send, virtio_net, vmxnet3,
// ena, mlx5_core and e1000e.
func TestInterruptQueues(t *testing.T) {
	for name, want := range map[string]int{
		"eth1-TxRx-0": 0, "i40e-eth1-TxRx-11": 11, "eth1-rx-3": 3, "virtio1-input.2": 2, "eth1-rxtx-1": 1, "eth1-Tx-Rx-5": 5,
		"mlx5_comp4@pci:0000:03:00.0": 4,
		"eth1":                        -1, "eth1-tx-0": -1, "virtio1-output.2": -1, "virtio1-config": -1, "eth1-event-2": -1, "mlx5_async0@pci:0000:03:00.0": -1, "": -1,
	} {
		queue, ok := Interrupt{Name: name}.Queue()
		if !ok {
			queue = -1
		}
		if queue != want {
			t.Errorf("%q is of queue %d, want %d", name, queue, want)
		}
	}
}
