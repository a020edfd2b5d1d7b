package settings

import (
	"context"
	"strings"
	"testing"
)

// ported is a machine whose commands say something.
type ported struct {
	*machine
	says map[string]string
}

func (p ported) Run(_ context.Context, _ string, argv ...string) (string, error) {
	return p.says[strings.Join(argv, " ")], nil
}

// What ifconfig says is from the manuals of the three systems, not from machines.
func TestSettingsOfBSDs(t *testing.T) {
	h := ported{newMachine(), map[string]string{
		"sysctl -n net.inet.ip.forwarding": "0\n",
		"ifconfig em0":                     "em0: flags=1008843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST,LOWER_UP> metric 0 mtu 1500\n\toptions=4e524bb<RXCSUM,TXCSUM,LRO,TSO4>\n\tcapabilities=f<TSO6>\n",
		"ifconfig ix0":                     "ix0: flags=2008843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST,LRO> mtu 9000\n",
		"ifconfig wm0":                     "wm0: flags=0x8843<UP,BROADCAST> mtu 1500\n\tcapabilities=0x7ff80<TSO4,TSO6>\n\tenabled=0x80<TSO6>\n",
	}}
	for _, c := range []struct {
		setting         Setting
		now, to, change string
	}{
		{Setting{Kind: Sysctl, Name: "net.inet.ip.forwarding"}, "0", "1", "sysctl -w net.inet.ip.forwarding=1"},
		{Setting{Kind: Capability, Device: "em0", Name: "lro"}, "on", "off", "ifconfig em0 -lro"},
		{Setting{Kind: Capability, Device: "em0", Name: "tso6"}, "off", "on", "ifconfig em0 tso6"},
		{Setting{Kind: Capability, Device: "ix0", Name: "tcplro"}, "on", "off", "ifconfig ix0 -tcplro"},
		{Setting{Kind: Capability, Device: "wm0", Name: "tso4"}, "off", "on", "ifconfig wm0 tso4"},
		{Setting{Kind: Capability, Device: "wm0", Name: "tso6"}, "on", "off", "ifconfig wm0 -tso6"},
		{Setting{Kind: LinkMTU, Device: "ix0"}, "9000", "1500", "ifconfig ix0 mtu 1500"},
	} {
		now, err := c.setting.Get(t.Context(), h)
		if err != nil || now != c.now {
			t.Errorf("%v is %q, %v; want %q", c.setting, now, err, c.now)
		}
		if got := c.setting.Command(c.to); got != c.change {
			t.Errorf("%v is set by %q, want %q", c.setting, got, c.change)
		}
	}
	if mtu, err := (Setting{Kind: LinkMTU, Device: "none"}).Get(t.Context(), h); err == nil {
		t.Errorf("a port of which nothing is said has the MTU %q", mtu)
	}
}
