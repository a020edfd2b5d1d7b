package weir

import (
	"encoding/json"
	"testing"
)

// Documents of before, when a condition had a field for each kind, are read and written as they were.
func TestConditionInJSON(t *testing.T) {
	for document, want := range map[string]Condition{
		`{"filters":25,"management":true,"updates":true,"routes":{"family":"ipv4","count":10,"seed":1,"via":"bgp"},"napi":"softirq","path":"xdp",` +
			`"firewall":{"kind":"nat","rules":2,"with":"iptables"},"access":{"pppoe":"xdp","concentrator":"near"},` +
			`"tunings":[{"name":"rps","value":"1"},{"name":"command","value":"a \u003cb\u003e","undo":"c","arm":"x"},{"name":"gro","value":"off"}]}`: {
			Filters(25), Management(true), Updates(true), RouteSet{Family: IPv4, Count: 10, Seed: 1, Via: ViaBGP}, Softirq, PathXDP,
			Firewall{Kind: NAT, Rules: 2, With: IPTables}, Access{PPPoE: XDP, Concentrator: Near},
			Tuning{Name: "rps", Value: "1"}, Tuning{Name: "command", Value: "a <b>", Undo: "c", Arm: "x"}, Tuning{Name: "gro", Value: "off"}},
		`{}`: nil,
	} {
		var got Condition
		if err := json.Unmarshal([]byte(document), &got); err != nil || !got.Equal(want) {
			t.Errorf("%s is %v (%v)", document, got, err)
		}
		if written, err := json.Marshal(want); err != nil || string(written) != document {
			t.Errorf("it is written as %s (%v), want %s", written, err, document)
		}
	}
	var none Condition
	if err := json.Unmarshal([]byte(`{"filters": 0, "tunings": null, "of_later": [1]}`), &none); err != nil || none != nil {
		t.Errorf("a condition that sets nothing is %v (%v)", none, err)
	}
	if err := json.Unmarshal([]byte(`{"firewall": 5}`), &none); err == nil {
		t.Error("a firewall that is a number was read")
	}
	if text, err := json.Marshal(Trial{}); err != nil || conditionIn(t, text) != "" {
		t.Errorf("a trial of a DUT that only forwards has a condition: %s (%v)", text, err)
	}
}

func conditionIn(t *testing.T, trial []byte) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(trial, &fields); err != nil {
		t.Fatal(err)
	}
	return string(fields["condition"])
}

// Settings come into the order of their kinds, and what is put takes the place of what was there.
func TestPut(t *testing.T) {
	mtu, gro := Tuning{Name: "mtu", Value: "9000"}, Tuning{Name: "gro", Value: "off"}
	c := ConditionOf(mtu, Firewall{Kind: NAT}, gro, Filters(1), Path(""))
	before := c
	c.Put(Filters(25))
	c.Put(Tuning{Name: "mtu", Value: "1500"})
	c.Put(Firewall{})
	c.Put(Tuning{Name: "command", Arm: "new"})
	if want := (Condition{Filters(25), gro, Tuning{Name: "mtu", Value: "1500"}, Tuning{Name: "command", Arm: "new"}}); !c.Equal(want) {
		t.Errorf("it is %v, want %v", c, want)
	}
	if want := (Condition{Filters(1), Firewall{Kind: NAT}, mtu, gro}); !before.Equal(want) {
		t.Errorf("the one before is %v, want %v", before, want)
	}
	for _, none := range []DUTSetting{Filters(0), Tuning{Name: "gro"}, Tuning{Name: "mtu"}, Tuning{Name: "command"}} {
		c.Put(none)
	}
	if !c.IsZero() || c != nil {
		t.Errorf("without settings it is %v", c)
	}
}

// Others than the DUT go by the numbers of two tunings.
func TestConditionNumbers(t *testing.T) {
	c := ConditionOf(Tuning{Name: "mtu", Value: "9000"}, Tuning{Name: "cpus", Value: "2"}, Filters(25))
	if c.MTU() != 9000 || c.CPUs() != 2 {
		t.Errorf("MTU %d, %d CPUs", c.MTU(), c.CPUs())
	}
	if c := ConditionOf(Tuning{Name: "gro", Value: "off"}); c.MTU() != 0 || c.CPUs() != 0 {
		t.Errorf("MTU %d, %d CPUs of a condition without", c.MTU(), c.CPUs())
	}
}
