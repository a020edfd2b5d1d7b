package weir

import (
	"strings"
	"testing"
)

func TestConflict(t *testing.T) {
	known := func(t Tuning) TuningInfo {
		return map[string]TuningInfo{"rps": {Behind: "receive packet steering (rps)", Machine: true}, "qdisc": {Behind: "a queueing discipline (qdisc)"}}[t.Name]
	}
	stateful := Firewall{Kind: Stateful, Rules: 25, With: IPTables}
	for _, c := range []struct {
		condition Condition
		want      string // "": it goes together
	}{
		{Condition{}, ""},
		{ConditionOf(Filters(25), stateful, Softirq), ""},
		{ConditionOf(PathStack, stateful), ""},
		{ConditionOf(PathXDP, BusyPoll, Tuning{Name: "gro", Value: "on"}), ""},
		{Condition{Tuning{Name: "command", Value: "a", Undo: "b"}, Tuning{Name: "command", Value: "c", Undo: "d"}}, ""},
		{ConditionOf(PathXDP, stateful), "forwarding by xdp takes a frame at the driver, before the firewall sees it"},
		{ConditionOf(PathXDP, Filters(1)), "before the filters see it"},
		{ConditionOf(PathXDP, Tuning{Name: "rps", Value: "1"}), "before receive packet steering"},
		{ConditionOf(PathXDP, Tuning{Name: "qdisc", Value: "pfifo"}), "before a queueing discipline"},
		{ConditionOf(Access{PPPoE: Userland}, Softirq, stateful), ""},
		{ConditionOf(PathXDP, Access{PPPoE: Userland}), "forwarding by xdp takes IP on Ethernet alone"},
		{ConditionOf(PathXDP, Access{PPPoE: XDP}), "access by pppoe xdp has its own way of forwarding"},
		{ConditionOf(Access{PPPoE: XDP}, BusyPoll), ""},
		{ConditionOf(Access{PPPoE: XDP}, stateful), "access by pppoe xdp takes a frame at the driver, before the firewall sees it"},
		{ConditionOf(Access{PPPoE: XDP}, Filters(1)), "access by pppoe xdp takes a frame at the driver, before the filters see it"},
		{ConditionOf(Firewall{Rules: 3}), "a firewall of no kind has rules"},
		{Condition{Tuning{Name: "mtu", Value: "1500"}, Tuning{Name: "mtu", Value: "9000"}}, "mtu is set twice"},
	} {
		err := c.condition.Conflict(known)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.condition, err, c.want)
		}
	}
}

func TestConflictWithTraffic(t *testing.T) {
	nat := ConditionOf(Firewall{Kind: NAT})
	for _, c := range []struct {
		condition Condition
		traffic   Traffic
		want      string
	}{
		{nat, Traffic{}, ""},
		{ConditionOf(Firewall{Kind: Stateful}), Traffic{Bidirectional: true}, ""},
		{nat, Traffic{Bidirectional: true}, "nat hides the addresses"},
		{nat, Traffic{Backward: true}, "nat denies frames from the outside"},
	} {
		err := c.condition.ConflictWith(c.traffic)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.condition, err, c.want)
		}
	}
}
