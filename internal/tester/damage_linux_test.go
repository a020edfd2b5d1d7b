package tester

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// No frame is damaged on its way through a router that works on all CPUs and gets more than
// it forwards, whatever its kind. Nor are those that the router's kernel merges and cuts again.
func TestNoFrameIsDamaged(t *testing.T) {
	testenv.NeedRoot(t)
	p := openPlace(t)
	cpus := p.lab.CPUs()
	p.placeDUT(t, slices.Concat(cpus.Generator, cpus.DUT))
	kinds := assortedKinds(t)
	maps.Copy(kinds, plainKinds())
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			p.tester.missing = b.missing
			for name, tr := range kinds {
				t.Run(name, func(t *testing.T) { p.overload(t, tr, b.name) })
			}
			t.Run("merged", func(t *testing.T) {
				testenv.Await(t, "the router merges frames of an upload", func() bool {
					before := p.forwarded(t)
					r := p.overload(t, upload(t), b.name)
					return t.Failed() || p.forwarded(t)-before < r.Received
				})
			})
		})
	}
}

// overload sends as fast as it goes, and looks at what comes back.
func (p *place) overload(t *testing.T, tr weir.Traffic, backend string) weir.TrialResult {
	t.Helper()
	trial := slowTrial(tr)
	trial.Maximum, trial.Intended = true, 0
	trial.Duration, trial.Waits.Residual = 20*time.Millisecond, 100*time.Millisecond
	r := p.measure(t, trial)
	sane(t, r, backend)
	for _, s := range r.Streams {
		if s.Corrupt > 0 {
			t.Errorf("%d frames of %d are damaged: %+v", s.Corrupt, s.Sent, s)
		}
	}
	return r
}

// forwarded is how many IPv4 packets the router's kernel has forwarded, merged ones as one.
func (p *place) forwarded(t *testing.T) uint64 {
	t.Helper()
	text, err := p.lab.DUT().Host.ReadFile(t.Context(), "/proc/net/snmp")
	if err != nil {
		t.Fatal(err)
	}
	names, rest, _ := strings.Cut(text, "\n")
	values, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseUint(strings.Fields(values)[slices.Index(strings.Fields(names), "ForwDatagrams")], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
