package plan

import (
	"errors"
	"testing"

	"weir"
	"weir/frame"
)

// FuzzParse looks for a plan that makes the parser panic, that it takes though
// its frames cannot be made, or that it refuses without saying where.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "a", "[", "{}", "null", "- 1", "testbed: {kind: sim}", "traffic: {sizes: [64]}", everything,
		"traffic: {sizes: [{name: m, genome: aaad}], family: ipv6}", "traffic:\n\tsizes: 64", "a: &x [*x]", "? [a]\n: b", "---\na: 1\n---\nb: 2",
		"waits: {residual: 50}\nmethods: [frmol, {method: throughput, loss: 0.5%}]", "x: !!binary aGk=", "<<: {a: 1}", "\xff\xfe",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("plan.yaml", data)
		if err != nil {
			var ms weir.Problems
			if !errors.As(err, &ms) || len(ms) == 0 {
				t.Fatalf("an error without a place: %v", err)
			}
			for _, m := range ms {
				if m.At.Line < 1 || m.At.Column < 1 || m.What == "" || m.Error() == "" {
					t.Fatalf("a mistake without a place: %+v", m)
				}
			}
			return
		}
		if len(p.Traffic) == 0 || len(p.Steps) == 0 {
			t.Fatal("a plan that measures nothing")
		}
		for _, tr := range p.Traffic {
			if _, err := frame.LayoutOf(tr); err != nil {
				t.Fatalf("a plan with frames that cannot be made: %v", err)
			}
		}
	})
}
