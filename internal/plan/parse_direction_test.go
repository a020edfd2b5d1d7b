package plan

import (
	"strings"
	"testing"
)

// Loads that differ each way cannot be had, and what does not go through sessions is named where
// the plan says it, with what to do.
func TestWhatCannotBeSent(t *testing.T) {
	const nearest = "both directions are sent at one load, and another one each way cannot be had yet: measure each way by itself"
	session := "dut: {access: {pppoe: userland}}\nmethods: [frmol]\n"
	for text, want := range map[string]string{
		"methods: [frmol]\ntraffic: {bidirectional: 80/20}":                        "plan.yaml:2:26: bidirectional: " + nearest,
		"methods: [frmol]\ntraffic: {bidirectional: 80%:20%}":                      "plan.yaml:2:26: bidirectional: " + nearest,
		"methods: [frmol]\ntraffic: {bidirectional: {forward: 80%, reverse: 20%}}": "plan.yaml:2:26: bidirectional: " + nearest,
		"methods: [frmol]\ntraffic: {direction: 80% / 20%}":                        "plan.yaml:2:22: direction: " + nearest,
		"methods: [frmol]\ntraffic:\n  direction: {forward: 80%, reverse: 20%}":    "plan.yaml:3:14: direction: " + nearest,
		"methods: [frmol]\nmodifiers: [{direction: {forward: 80%, reverse: 20%}}]": "direction: " + nearest,
		"methods: [frmol]\ntraffic: {bidirectional: maybe}":                        `bidirectional: "maybe" is neither true nor false`,
		"methods: [frmol]\ntraffic: {bidirectional: 2026-01-02}":                   `bidirectional: "2026-01-02" is neither true nor false`,
		session + "traffic: {sessions: 500, vlans: [3601], sizes: [128]}":          "plan.yaml:3:33: PPPoE sessions cannot be in a VLAN yet, neither in one tag nor in two (QinQ): leave vlans out",
		session + "traffic: {sizes: [128, 512], sessions: 2, vlans: [100, 200]}":   "plan.yaml:3:50: PPPoE sessions cannot be in a VLAN yet",
		session + "traffic: {sessions: 2, blend: 10%}":                             "plan.yaml:3:31: PPPoE sessions carry frames of one family",
		session + "traffic: {sessions: 2, broadcast: 1%}":                          "plan.yaml:3:35: there are no broadcast frames in PPPoE sessions",
		session + "traffic: {family: ipv6, sessions: 2, extensions: [hop-by-hop]}": "plan.yaml:3:50: frames in PPPoE sessions have no extension headers",
		session + "traffic: {sessions: 2}\nmodifiers: [none, {blend: 10%}]":        "PPPoE sessions carry frames of one family",
		session + "traffic: {vlans: 7}\nmodifiers: [{sessions: 2}]":                "plan.yaml:3:18: PPPoE sessions cannot be in a VLAN yet",
	} {
		_, err := Parse("plan.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
			continue
		}
		if strings.Count(err.Error(), "PPPoE sessions") > 2 || strings.Contains(err.Error(), "frame size") {
			t.Errorf("%s: it is said again and again: %v", text, err)
		}
	}
}
