package lab

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/campaign"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/testenv"
)

// transferLab is an open lab with end hosts alone.
type transferLab struct {
	*netnsLab
	open campaign.Lab
}

// openTransferLab opens a lab for transfers on a testbed.
func openTransferLab(t *testing.T, testbed string) transferLab {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "tc", "nft")
	p, err := plan.Parse("test.yaml", fmt.Appendf(nil, "testbed: %s\nmethods: [tcp]\n", testbed))
	if err != nil {
		t.Fatal(err)
	}
	l := &netnsLab{plan: p}
	lab, closeLab, err := assembled(t.Context(), l.assemble)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeLab(); err != nil {
			t.Error(err)
		}
	})
	return transferLab{l, lab}
}

// moved performs a transfer.
func (l transferLab) moved(t *testing.T, d time.Duration, transfer weir.Transfer, change func(*weir.Traffic)) weir.TrialResult {
	t.Helper()
	trial := weir.Trial{Traffic: l.plan.Traffic[0], Duration: d, Maximum: true, Transfer: &transfer}
	if change != nil {
		change(&trial.Traffic)
	}
	r, err := l.open.Measure(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A link of 100 Mbit/s carries what is left of it beside headers, preambles and
// gaps, at each MTU and both ways. On a busy machine a stream may be slower for a
// while, but never faster.
func TestTransfersFillTheLink(t *testing.T) {
	l := openTransferLab(t, "{kind: netns, link: 100M}")
	for _, c := range []struct {
		mtu         string
		least, most float64 // Mbit/s
	}{{"1500", 93.5, 94.95}, {"9000", 98, 99.2}} {
		condition := weir.Condition{Tunings: []weir.Tuning{{Name: "mtu", Value: c.mtu}}}
		undo, err := l.open.Apply(t.Context(), condition)
		if err != nil {
			t.Fatal(err)
		}
		for name, change := range map[string]func(*weir.Traffic){
			"forward":              nil,
			"reverse":              func(t *weir.Traffic) { t.Backward = true },
			"server at the source": func(t *weir.Traffic) { t.Server = weir.Source },
			"IPv6":                 func(t *weir.Traffic) { t.Family = weir.IPv6 },
		} {
			least := c.least
			if c.mtu == "9000" && name != "forward" && name != "IPv6" {
				continue // the ways have nothing to do with the size
			}
			if name == "IPv6" {
				least-- // its header has 20 octets more
			}
			until := testenv.Attend(t)
			r := l.moved(t, 1500*time.Millisecond, weir.Transfer{Program: "tcp", WarmUp: 500 * time.Millisecond}, change)
			kept := until()
			if rate := r.Transferred.Goodput() / 1e6; r.Transferred.Failed != "" || rate < kept.Least(t, least) || rate > c.most*kept.Most(r.Transferred.Took) {
				t.Errorf("MTU %s, %s: %.2f Mbit/s, want %.2f to %.2f, kept %+v; %s", c.mtu, name, rate, least, c.most, kept, r.Transferred.Failed)
			}
		}
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, e := range l.bed.Ends() {
		var port netif.Port
		err := e.Do(func() (err error) { port, err = netif.ReadPort(e.Port.Tester); return err })
		if err != nil || port.MTU != 1500 {
			t.Errorf("end host %d has the MTU %d afterwards, %v", i, port.MTU, err)
		}
	}
}

// What the programs count of datagrams is what the DUT has counted, to the
// packet, and what is lost has its counter.
func TestDatagramsAreThoseOfTheDUT(t *testing.T) {
	l := openTransferLab(t, "{kind: netns}")
	rules := "table ip count {\nchain c {\ntype filter hook forward priority -300\nip protocol udp udp length > 100 counter\n}\n}\n"
	if _, err := l.bed.DUT().Host.Run(t.Context(), rules, "nft", "-f", "-"); err != nil {
		t.Fatal(err)
	}
	counted := func() (n uint64) {
		said, err := l.bed.DUT().Host.Run(t.Context(), "", "nft", "-j", "list", "chain", "ip", "count", "c")
		if err != nil {
			t.Fatal(err)
		}
		var found struct {
			NFTables []struct {
				Rule struct {
					Expr []struct{ Counter struct{ Packets uint64 } }
				}
			}
		}
		if err := json.Unmarshal([]byte(said), &found); err != nil {
			t.Fatal(err)
		}
		for _, item := range found.NFTables {
			for _, e := range item.Rule.Expr {
				n += e.Counter.Packets
			}
		}
		return n
	}
	for _, rate := range []float64{20e6, 0} { // the latter is all that it can
		before := counted()
		r := l.moved(t, time.Second, weir.Transfer{Program: "udp", Rate: rate}, nil)
		var dropped uint64
		for _, d := range r.Ledger.Drops {
			dropped += d.Count
		}
		if n := counted() - before; n != r.Offered || r.Offered == 0 || r.Offered != r.Received+dropped || r.Ledger.Unexplained != 0 {
			t.Errorf("%d datagrams were sent, the DUT counted %d; %d arrived, ledger %+v", r.Offered, n, r.Received, r.Ledger)
		}
	}
}

// A link that goes down ends a transfer within 10 s, which says why; the next one
// goes on.
func TestLinkGoesDown(t *testing.T) {
	t.Parallel()
	l := openTransferLab(t, "{kind: netns, link: 100M}")
	far := l.bed.Ends()[1]
	link := func(do func(string) error) {
		if err := far.Do(func() error { return do(far.Port.Tester) }); err != nil {
			t.Error(err)
		}
	}
	var began, down time.Time // a machine that makes and removes other links takes its time
	cut := time.AfterFunc(time.Second, func() { began = time.Now(); link(netif.SetDown); down = time.Now() })
	defer cut.Stop()
	r := l.moved(t, time.Minute, weir.Transfer{Program: "tcp"}, nil)
	if took := time.Since(down); took > 10*time.Second {
		t.Errorf("the transfer ended %v after its link, which took %v to go down", took, down.Sub(began))
	}
	if f := r.Transferred.Failed; !strings.Contains(f, "nothing arrived at far for 5s") || !strings.Contains(f, "down") {
		t.Errorf("it broke off because %q", f)
	}
	link(netif.SetUp)
	if r := l.moved(t, time.Second, weir.Transfer{Program: "tcp"}, nil); r.Transferred.Failed != "" || r.Transferred.Octets == 0 {
		t.Errorf("afterwards: %+v", r.Transferred)
	}
}
