package plan

import (
	"testing"
	"time"

	"weir/internal/method"
)

// A warm-up of 0 is none, and not the default.
func TestWarmUps(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"{method: tcp}":                         time.Second,
		"{method: tcp, warm_up: 0}":             method.NoWarmUp,
		"{method: tcp, warm_up: 0s}":            method.NoWarmUp,
		"{method: tcp, warm_up: 300ms}":         300 * time.Millisecond,
		"{method: connections, warm_up: 2s}":    2 * time.Second,
		"{method: iperf3, test: udp, rate: 1M}": time.Second,
		"{method: netperf}":                     0,
	} {
		p, err := Parse("a.yaml", []byte("methods: ["+text+"]"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		s := p.Steps[0]
		if got := s.Method.Params(s.Params).Transfer.WarmUp; got != want {
			t.Errorf("%s: a warm-up of %v, want %v", text, got, want)
		}
	}
}

// What each method of a transfer takes is taken, and nothing else of a transfer.
func TestFieldsOfTransfers(t *testing.T) {
	values := map[string]string{
		"trial": "20s", "streams": "2", "warm_up": "1s", "rate": "1M", "payload": "1000", "test": "",
		"files": "2", "size": "1 MB", "storage": "memory", "sessions": "100", "flood": "10k",
	}
	for _, m := range method.All() {
		if !m.Application {
			continue
		}
		taken := map[string]bool{}
		for _, name := range m.Takes {
			if _, known := values[name]; !known {
				t.Errorf("%s takes %s, which is no field", m.Name, name)
			}
			taken[name] = true
		}
		for name, value := range values {
			text := "{method: " + m.Name + ", trials: 2, " + name + ": " + value + "}"
			switch {
			case name == "test" && len(m.Tests) > 0:
				text = "{method: " + m.Name + ", test: " + m.Tests[len(m.Tests)-1] + "}"
			case name == "test":
				text = "{method: " + m.Name + ", test: tcp}"
			case name == "rate" && len(m.Tests) > 0 && taken["rate"]:
				text = "{method: " + m.Name + ", rate: 1M, test: udp}"
			}
			plan := "methods: [" + text + "]"
			if m.Line {
				plan += "\ndut: {access: {pppoe: userland}}"
			}
			if _, err := Parse("a.yaml", []byte(plan)); (err == nil) != taken[name] {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
