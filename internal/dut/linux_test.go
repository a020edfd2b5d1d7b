package dut

import (
	"context"
	"errors"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// recorded is a host that remembers what it was told, and answers from files.
type recorded struct {
	files map[string]string
	told  []string
	fail  string // the command that fails
	says  map[string]string
}

func (r *recorded) Name() string { return "recorded" }

func (r *recorded) Run(_ context.Context, stdin string, argv ...string) (string, error) {
	line := strings.Join(argv, " ")
	for in := range strings.Lines(stdin) {
		r.told = append(r.told, line+" < "+strings.TrimSuffix(in, "\n"))
	}
	if stdin == "" {
		r.told = append(r.told, line)
	}
	if r.fail != "" && strings.Contains(line, r.fail) {
		return "", errors.New("it failed")
	}
	r.obey(argv)
	return r.says[line], nil
}

// obey has ports say what ethtool and ip have set.
func (r *recorded) obey(argv []string) {
	if len(argv) == 7 && argv[5] == "mtu" {
		r.says["ip -j link show dev "+argv[4]] = `[{"mtu":` + argv[6] + `}]`
	}
	if argv[0] == "ethtool" && argv[1] == "-K" && strings.HasPrefix(r.says["ethtool -k "+argv[2]], argv[3]+": ") {
		r.says["ethtool -k "+argv[2]] = argv[3] + ": " + argv[4] + "\n"
	}
	if argv[0] != "ethtool" || !slices.Contains([]string{"-L", "-G", "-A"}, argv[1]) {
		return
	}
	asked := "ethtool " + strings.ToLower(argv[1]) + " " + argv[2]
	head, now, counted := strings.Cut(r.says[asked], "Current")
	if !counted {
		head, now = "", head
	}
	for pair := range slices.Chunk(argv[3:], 2) {
		name := regexp.MustCompile(`(?mi)^(` + pair[0] + `\w*:)\s.*$`)
		now = name.ReplaceAllString(now, "${1}\t"+pair[1])
	}
	r.says[asked] = head + map[bool]string{true: "Current"}[counted] + now
}

func (r *recorded) ReadFile(_ context.Context, path string) (string, error) {
	text, ok := r.files[path]
	if !ok {
		return "", errors.New("no file " + path)
	}
	return text, nil
}

func (r *recorded) WriteFile(_ context.Context, path, data string) error {
	r.files[path] = data
	r.told = append(r.told, path+" = "+data)
	return nil
}

func router(r *recorded) (weir.DUT, Setup) {
	r.files = map[string]string{"/proc/sys/net/ipv4/ip_forward": "0\n", "/proc/sys/net/ipv6/conf/all/forwarding": "1\n"}
	d := weir.DUT{Host: r, Ports: []weir.Port{{DUT: "d0", TesterMAC: "02:00:00:00:00:01"}, {DUT: "d1", TesterMAC: "02:00:00:00:00:02"}}}
	s := Setup{
		Address:  [MaxPorts][]netip.Prefix{{netip.MustParsePrefix("198.18.0.1/30")}, {netip.MustParsePrefix("2001:2:0:2::1/126")}},
		Neighbor: [MaxPorts][]netip.Addr{{netip.MustParseAddr("198.18.0.2")}, {netip.MustParseAddr("2001:2:0:2::2")}},
		Route:    [MaxPorts][]netip.Prefix{{netip.MustParsePrefix("198.18.0.0/16")}, {netip.MustParsePrefix("2001:2:0:2::/64")}},
	}
	return d, s
}

func TestForwardAndUndo(t *testing.T) {
	r := &recorded{}
	d, s := router(r)
	undo, err := linux{}.Forward(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ip address replace 198.18.0.1/30 dev d0",
		"ip neighbor replace 198.18.0.2 lladdr 02:00:00:00:00:01 dev d0 nud permanent",
		"ip route replace 198.18.0.0/16 via 198.18.0.2 dev d0",
		"ip address replace 2001:2:0:2::1/126 dev d1 nodad",
		"ip neighbor replace 2001:2:0:2::2 lladdr 02:00:00:00:00:02 dev d1 nud permanent",
		"ip route replace 2001:2:0:2::/64 via 2001:2:0:2::2 dev d1",
		"/proc/sys/net/ipv4/ip_forward = 1\n", // the other one was on already
	}
	if diff := cmp.Diff(want, r.told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	r.told = nil
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	want = []string{
		"/proc/sys/net/ipv4/ip_forward = 0\n",
		"ip route del 2001:2:0:2::/64 via 2001:2:0:2::2 dev d1",
		"ip neighbor del 2001:2:0:2::2 dev d1",
		"ip address del 2001:2:0:2::1/126 dev d1",
		"ip route del 198.18.0.0/16 via 198.18.0.2 dev d0",
		"ip neighbor del 198.18.0.2 dev d0",
		"ip address del 198.18.0.1/30 dev d0",
	}
	if diff := cmp.Diff(want, r.told); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
}

// A step that fails leaves none of those before it.
func TestForwardFailsHalfway(t *testing.T) {
	r := &recorded{fail: "route replace 198.18"}
	d, s := router(r)
	if _, err := (linux{}).Forward(t.Context(), d, s); err == nil {
		t.Fatal("no error")
	}
	want := []string{"ip neighbor del 198.18.0.2 dev d0", "ip address del 198.18.0.1/30 dev d0"}
	if diff := cmp.Diff(want, r.told[3:]); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
}

// What was done is undone when the rest fails.
func TestForwardFails(t *testing.T) {
	r := &recorded{fail: "nft"}
	d, s := router(r)
	s.Policer = &Policer{Kind: "nft", Rate: 1000}
	if _, err := (linux{}).Forward(t.Context(), d, s); err == nil || !strings.Contains(err.Error(), "nftables") {
		t.Fatalf("%v", err)
	}
	if last := r.told[len(r.told)-1]; last != "ip address del 198.18.0.1/30 dev d0" {
		t.Errorf("the last thing told is %q", last)
	}
	if r.files["/proc/sys/net/ipv4/ip_forward"] != "0\n" {
		t.Error("forwarding was left on")
	}
}

func TestDrops(t *testing.T) {
	r := &recorded{says: map[string]string{
		"nft -j list counters": `{"nftables": [{"metainfo": {}}, {"counter": {"family": "inet", "table": "weir_policer", "name": "policed1", "packets": 77}}]}`,
	}}
	d, s := router(r)
	for _, port := range []string{"d0", "d1"} {
		for i, c := range []string{"rx_dropped", "rx_errors", "tx_dropped"} {
			r.files["/sys/class/net/"+port+"/statistics/"+c] = string(rune('1'+i)) + "\n"
		}
	}
	r.files["/sys/class/net/d1/device/uevent"] = "" // a real card
	for i, c := range []string{"rx_missed_errors", "rx_over_errors", "tx_errors"} {
		r.files["/sys/class/net/d1/statistics/"+c] = string(rune('5'+i)) + "\n"
	}
	r.files["/proc/net/netstat"] = "TcpExt: SyncookiesSent IPReversePathFilter\nTcpExt: 90 12\nIpExt: InNoRoutes InTruncatedPkts InCsumErrors\nIpExt: 4 13 2\n"
	r.files["/proc/net/snmp"] = "Ip: Forwarding InHdrErrors InDiscards FragOKs FragFails\nIp: 1 5 6 91 14\nIcmp: InMsgs\nIcmp: 9\n"
	r.files["/proc/net/snmp6"] = "Ip6InReceives  10\nIp6InTooBigErrors 15\nIp6FragFails 15\nIp6OutNoRoutes  8\nIp6InTruncatedPkts 16\n"
	s.Policer = &Policer{Kind: "nft"}
	drops, err := linux{}.Drops(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]uint64)
	for _, drop := range drops {
		if drop.Count > 0 {
			got[drop.Place] = drop.Count
		}
	}
	want := map[string]uint64{
		"dut port 0 dropped on receipt (rx_dropped)":                     1,
		"dut port 0 receive errors (rx_errors)":                          2,
		"tester port 0 receive ring full (tx_dropped of the DUT's port)": 3,
		"dut port 1 dropped on receipt (rx_dropped)":                     1,
		"dut port 1 receive errors (rx_errors)":                          2,
		"dut port 1 dropped on transmission (tx_dropped)":                3,
		"dut IPv4 InHdrErrors":                                           5,
		"dut IPv4 InDiscards":                                            6,
		"dut port 1 receive ring full (rx_missed_errors)":                5,
		"dut port 1 receive ring overrun (rx_over_errors)":               6,
		"dut port 1 transmission errors (tx_errors)":                     7,
		"dut IPv4 InNoRoutes":                                            4,
		"dut IPv4 IPReversePathFilter":                                   12,
		"dut IPv4 InTruncatedPkts":                                       13,
		"dut IPv4 InCsumErrors":                                          2,
		"dut IPv4 FragFails":                                             14,
		"dut IPv6 InTooBigErrors":                                        15,
		"dut IPv6 InTruncatedPkts":                                       16,
		"dut IPv6 OutNoRoutes":                                           8,
		"dut nftables policed1":                                          77,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	delete(r.files, "/proc/net/snmp")
	if _, err := (linux{}).Drops(t.Context(), d, s); err == nil {
		t.Error("a missing file was not noticed")
	}
}

func TestByName(t *testing.T) {
	if _, err := ByName("linux"); err != nil {
		t.Error(err)
	}
	if _, err := ByName("plan9"); err == nil || !strings.Contains(err.Error(), "linux") {
		t.Errorf("%v", err)
	}
}

// What a card says of itself is told; a virtual port is no card.
func TestCardsOfLinux(t *testing.T) {
	r := &recorded{}
	d, _ := router(r)
	r.files["/sys/class/net/d0/device/uevent"] = "DRIVER=ixgbe\nPCI_CLASS=20000\nPCI_ID=8086:10FB\n"
	r.files["/sys/class/net/d0/speed"], r.files["/sys/class/net/d0/duplex"] = "10000\n", "full\n"
	d.Ports = append(d.Ports, weir.Port{DUT: "d2"})
	r.files["/sys/class/net/d2/device/uevent"], r.files["/sys/class/net/d2/speed"] = "DRIVER=virtio_net\nMODALIAS=virtio:d00000001v00001AF4\n", "-1\n"
	all, err := linux{}.Settings(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all {
		if strings.HasSuffix(s.Name, " card") {
			got = append(got, s.Name+": "+s.Value)
		}
	}
	if diff := cmp.Diff([]string{"port 0 card: ixgbe, PCI 8086:10FB, 10000 Mbit/s full", "port 2 card: virtio_net"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
