package settings

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		setting     Setting
		value, want string
	}{
		{Setting{Kind: File, Name: "/proc/sys/net/ipv4/conf/eth0/rp_filter"}, "0", "sysctl -w net.ipv4.conf.eth0.rp_filter=0"},
		{Setting{Kind: File, Name: "/proc/sys/net/ipv4/conf/eth0.5/rp_filter"}, "0", "echo 0 > /proc/sys/net/ipv4/conf/eth0.5/rp_filter"},
		{Setting{Kind: File, Name: "/sys/class/net/$(id)/x"}, "0", "echo 0 > '/sys/class/net/$(id)/x'"},
		{Setting{Kind: Rings, Device: "eth1"}, "rx 1 tx 2", "ethtool -G eth1 rx 1 tx 2"},
		{Setting{Kind: Spread, Device: "eth1"}, "weight 3 1", "ethtool -X eth1 weight 3 1"},
		{Setting{Kind: Hash, Device: "eth1", Name: "udp4"}, "sdfn", "ethtool -N eth1 rx-flow-hash udp4 sdfn"},
		{Setting{Kind: Neighbour, Device: "eth1", Name: "198.18.0.2"}, "02:00:00:00:00:01 permanent", "ip neighbor replace 198.18.0.2 lladdr 02:00:00:00:00:01 dev eth1 nud permanent"},
		{Setting{Kind: Neighbour, Device: "eth1", Name: "198.18.0.2"}, "", "ip neighbor del 198.18.0.2 dev eth1"},
		{Setting{Kind: Service, Name: "irqbalance"}, "active", "systemctl start irqbalance"},
		{Setting{Kind: Ruleset}, "table ip x {\n}\n", "nft -f - <<'END'\nflush ruleset\ntable ip x {\n}\nEND"},
		{Setting{Kind: Thread, Device: "eth1", Name: "77 napi/eth1-8193"}, "cpus 0-3 policy rr priority 1", "sh -c 'taskset -p -c 0-3 77 && chrt --rr -p 1 77'"},
		{Setting{Kind: "of another weir"}, "1", ""},
	} {
		if got := c.setting.Command(c.value); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A thread whose number another one has by now is gone, also where that one is of a port
// of the same name, or a process of that name.
func TestThreadIsGone(t *testing.T) {
	s := Setting{Kind: Thread, Device: "eth1", Name: "77 napi/eth1-8193"}
	const ofKernel, process = " 2129984", " 4194560"
	for now, want := range map[string]error{"napi/eth1-8193) S 2 0 0 0 -1" + ofKernel: nil, "napi/eth1-8194) S 2 0 0 0 -1" + ofKernel: fs.ErrNotExist,
		"sh) S 1 0 0 0 -1" + process: fs.ErrNotExist, "napi/eth1-8193) S 1 0 0 0 -1" + process: fs.ErrNotExist} {
		m := newMachine("/proc/77/stat", "77 ("+now+strings.Repeat(" 1", 50), "/proc/77/status", "Cpus_allowed_list:\t0-3\n")
		got, err := s.Get(t.Context(), m)
		if !errors.Is(err, want) || err == nil && got != "cpus 0-3 policy fifo priority 1" {
			t.Errorf("thread 77 that is now %q: %q, %v; want %v", now, got, err, want)
		}
	}
}

func TestParseFeature(t *testing.T) {
	const text = "Features for p:\ngeneric-receive-offload: on\nlarge-receive-offload: off [fixed]\n" +
		"tcp-segmentation-offload: on\n\ttx-tcp-segmentation: off [fixed]\n\ttx-tcp6-segmentation: on\n" +
		"udp-segmentation: on\n\ttx-udp: on [fixed]\n\ttx-udp6: on [fixed]\nreceive-hashing: on\n"
	for name, want := range map[string]struct {
		state string
		fixed bool
	}{
		"generic-receive-offload": {"on", false}, "large-receive-offload": {"off", true}, "tcp-segmentation-offload": {"on", false},
		"tx-tcp-segmentation": {"off", true}, "tx-tcp6-segmentation": {"on", false}, "udp-segmentation": {"on", true},
		"receive-hashing": {"on", false}, "none": {"", false},
	} {
		if state, fixed := ParseFeature(text, name); state != want.state || fixed != want.fixed {
			t.Errorf("%s is %q %v, want %+v", name, state, fixed, want)
		}
	}
}

// FuzzTexts reads anything as what programs say.
func FuzzTexts(f *testing.F) {
	f.Add("Pause parameters for eth1:\nAutonegotiate:\toff\nRX:\t\ton\n")
	f.Add("198.18.0.2 dev eth1 lladdr 02:00:00:00:00:01 STALE\n")
	f.Add("a: on\n\tb: on [fixed]\n")
	f.Fuzz(func(_ *testing.T, text string) {
		_ = ParseCounts(text)
		_ = ParsePause(text)
		_ = ParseSpread(text)
		_ = ParseHash(text)
		_, _ = ParseFeature(text, "a")
		_, _ = ParseNeighbours(text)
		_, _ = ParseCPUs(text)
	})
}
