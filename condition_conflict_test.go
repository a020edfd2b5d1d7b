package weir

import (
	"strings"
	"testing"
)

func TestConflict(t *testing.T) {
	stateful := Firewall{Kind: Stateful, Rules: 25, With: IPTables}
	for _, c := range []struct {
		condition Condition
		want      string // "": it goes together
	}{
		{Condition{}, ""},
		{Condition{Filters: 25, Firewall: stateful, NAPI: Softirq}, ""},
		{Condition{Path: PathStack, Firewall: stateful}, ""},
		{Condition{Path: PathXDP, NAPI: BusyPoll, Tunings: []Tuning{{Name: "rps", Value: "off"}, {Name: "gro", Value: "on"}}}, ""},
		{Condition{Tunings: []Tuning{{Name: "command", Value: "a", Undo: "b"}, {Name: "command", Value: "c", Undo: "d"}}}, ""},
		{Condition{Path: PathXDP, Firewall: stateful}, "forwarding by xdp takes a frame at the driver, before the firewall sees it"},
		{Condition{Path: PathXDP, Filters: 1}, "before the filters see it"},
		{Condition{Path: PathXDP, Tunings: []Tuning{{Name: "conntrack", Value: "1000"}}}, "before connections are tracked"},
		{Condition{Path: PathXDP, Tunings: []Tuning{{Name: "rps", Value: "1"}}}, "before receive packet steering"},
		{Condition{Path: PathXDP, Tunings: []Tuning{{Name: "qdisc", Value: "pfifo"}}}, "before a queueing discipline"},
		{Condition{Access: Access{PPPoE: Userland}, NAPI: Softirq, Firewall: stateful}, ""},
		{Condition{Path: PathXDP, Access: Access{PPPoE: Userland}}, "forwarding by xdp takes IP on Ethernet alone"},
		{Condition{Path: PathXDP, Access: Access{PPPoE: XDP}}, "access by pppoe xdp has its own way of forwarding"},
		{Condition{Access: Access{PPPoE: XDP}, NAPI: BusyPoll}, ""},
		{Condition{Access: Access{PPPoE: XDP}, Firewall: stateful}, "access by pppoe xdp takes a frame at the driver, before the firewall sees it"},
		{Condition{Access: Access{PPPoE: XDP}, Filters: 1}, "access by pppoe xdp takes a frame at the driver, before the filters see it"},
		{Condition{Firewall: Firewall{Rules: 3}}, "a firewall of no kind has rules"},
		{Condition{Tunings: []Tuning{{Name: "mtu", Value: "1500"}, {Name: "mtu", Value: "9000"}}}, "mtu is set twice"},
	} {
		err := c.condition.Conflict()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.condition, err, c.want)
		}
	}
}

func TestConflictWithTraffic(t *testing.T) {
	nat := Condition{Firewall: Firewall{Kind: NAT}}
	for _, c := range []struct {
		condition Condition
		traffic   Traffic
		want      string
	}{
		{nat, Traffic{}, ""},
		{Condition{Firewall: Firewall{Kind: Stateful}}, Traffic{Bidirectional: true}, ""},
		{nat, Traffic{Bidirectional: true}, "nat hides the addresses"},
		{nat, Traffic{Backward: true}, "nat denies frames from the outside"},
	} {
		err := c.condition.ConflictWith(c.traffic)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.condition, err, c.want)
		}
	}
}
