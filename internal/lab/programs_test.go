package lab

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"weir"
	"weir/internal/claim"
	"weir/internal/endhost"
	"weir/internal/method"
	"weir/internal/plan"
	"weir/internal/workload"
)

// The methods say what a plan may ask of a program, and the programs what they
// can do: that is the same.
func TestMethodsAndPrograms(t *testing.T) {
	prepare := []string{"path", "load"} // have no method of their own
	for _, p := range workload.Programs() {
		m, ok := method.ByName(p.Name)
		if slices.Contains(prepare, p.Name) {
			if ok {
				t.Errorf("%s has a method of its own", p.Name)
			}
			continue
		}
		if !ok || !m.Application {
			t.Errorf("%s has no method", p.Name)
			continue
		}
		if !slices.Equal(m.Tests, p.Tests) {
			t.Errorf("the method %s has the tests %v, and its program %v", p.Name, m.Tests, p.Tests)
		}
		if got := slices.Contains(m.Takes, "test"); got != (len(p.Tests) > 0) {
			t.Errorf("%s: the method takes a test: %v, and the program has %v", p.Name, got, p.Tests)
		}
		for _, of := range []struct {
			field string
			files bool
		}{{"files", true}, {"size", true}, {"storage", true}, {"streams", false}, {"trial", false}} {
			if m.Line && of.field == "streams" {
				of.field = "sessions"
			}
			if got := slices.Contains(m.Takes, of.field); got != (of.files == p.Files) {
				t.Errorf("%s: the method takes %s: %v, and the program moves files: %v", p.Name, of.field, got, p.Files)
			}
		}
		if m.Defaults.Transfer.Test != "" && !slices.Contains(p.Tests, m.Defaults.Transfer.Test) {
			t.Errorf("%s has no test %s, which is the default", p.Name, m.Defaults.Transfer.Test)
		}
		if slices.Contains(m.Takes, "rate") && !claim.Datagrams(p.Name) && !slices.ContainsFunc(p.Tests, claim.Datagrams) {
			t.Errorf("%s takes a rate and sends no datagrams", p.Name)
		}
	}
	for _, m := range method.All() {
		if !m.Application && len(m.Tests) > 0 {
			t.Errorf("%s sends test frames, and has the tests %v", m.Name, m.Tests)
		}
	}
}

// A plan is taken with the smallest datagram that the end hosts can send, and
// refused with a smaller one.
func TestSmallestDatagram(t *testing.T) {
	for payload, taken := range map[int]bool{endhost.MinPayload: true, endhost.MinPayload - 1: false} {
		_, err := plan.Parse("a.yaml", fmt.Appendf(nil, "methods: [{method: udp, payload: %d}]", payload))
		var mistakes weir.Problems
		if (err == nil) != taken || !taken && !errors.As(err, &mistakes) {
			t.Errorf("a payload of %d: %v", payload, err)
		}
	}
}
