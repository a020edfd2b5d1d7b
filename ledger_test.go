package weir

import (
	"encoding/json"
	"testing"
)

// A drop that was recorded by the name of its counter alone is read with its kind.
func TestDropsBefore(t *testing.T) {
	for place, want := range map[string]DropKind{
		"tester port 1 receive ring full (tx_dropped of the DUT's port)": DropTester,
		"dut nftables policed1":               DropPoliced,
		"dut IPv4 firewall denied (nftables)": DropDenied,
		"dut IPv6 filters denied":             DropDenied,
		"wrong checksum on receipt":           DropDamaged,
		"wrong PPPoE session on receipt":      DropDamaged,
		"dut CPU 1 backlog full":              DropFull,
	} {
		old, err := json.Marshal(map[string]any{"place": place, "count": 7})
		if err != nil {
			t.Fatal(err)
		}
		var d Drop
		if err := json.Unmarshal(old, &d); err != nil || d != (Drop{place, 7, want}) {
			t.Errorf("%s is read as %+v, %v; want %q", old, d, err, want)
		}
	}
}

// What a drop is recorded with is not for its name to say.
func TestDropWithKind(t *testing.T) {
	var d Drop
	if err := json.Unmarshal([]byte(`{"place": "tester port 1", "count": 1, "kind": "denied"}`), &d); err != nil || d.Kind != DropDenied || d.OfTester() {
		t.Errorf("%+v, %v", d, err)
	}
}
