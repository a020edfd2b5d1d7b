package lab

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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

// moved performs a transfer, anew and for longer where nothing was sent in its time.
func (l transferLab) moved(t *testing.T, d time.Duration, transfer weir.Transfer, change func(*weir.Traffic)) (r weir.TrialResult) {
	t.Helper()
	trial := weir.Trial{Traffic: l.plan.Traffic[0], Maximum: true, Transfer: &transfer}
	if change != nil {
		change(&trial.Traffic)
	}
	for times := range testenv.Longer {
		trial.Duration = times * d
		var err error
		if r, err = l.open.Measure(t.Context(), trial); err != nil {
			t.Fatal(err)
		}
		if x := r.Transferred; x.Failed != "" || x.Octets+r.Offered > 0 || x.PathMTU > 0 {
			break
		}
	}
	return r
}

// A held link carries no more than its rate, at each MTU and both ways: in the whole time of a
// transfer, which a busy machine makes longer.
func TestTransfersOnAHeldLink(t *testing.T) {
	t.Parallel()
	const rate = 100e6 // bit/s
	l := openTransferLab(t, "{kind: netns, link: 100M}")
	for _, mtu := range []int{1500, 9000} {
		condition := weir.ConditionOf(weir.Tuning{Name: "mtu", Value: strconv.Itoa(mtu)})
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
			headers := 20 + 32 // of IPv4, and of TCP with time stamps
			if mtu == 9000 && name != "forward" && name != "IPv6" {
				continue // the ways have nothing to do with the size
			}
			if name == "IPv6" {
				headers += 20
			}
			began := time.Now()
			r := l.moved(t, 300*time.Millisecond, weir.Transfer{Program: "tcp"}, change)
			took := time.Since(began)
			if x := r.Transferred; x.Failed != "" || x.Octets == 0 || x.Segment != mtu-headers || float64(8*x.Octets) > rate*took.Seconds()+8*mostBurst {
				t.Errorf("MTU %d, %s: in %v %d octets in segments of %d; %s", mtu, name, took, x.Octets, x.Segment, x.Failed)
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
		r := l.moved(t, 300*time.Millisecond, weir.Transfer{Program: "udp", Rate: rate}, nil)
		full := dropped(r, "dut port 0 dropped on receipt") // before the DUT's rules
		if n := counted() - before; n+full != r.Offered || r.Offered == 0 || r.Offered != r.Received+dropped(r, "") || r.Ledger.Unexplained != 0 {
			t.Errorf("%d datagrams were sent, the DUT counted %d; %d arrived, ledger %+v", r.Offered, n, r.Received, r.Ledger)
		}
	}
}

// A link that goes down ends a transfer, which would go on for an hour, and is why: something
// arrived until then, and nothing in the seconds at the end. The next one goes on.
func TestLinkGoesDown(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	l := openTransferLab(t, "{kind: netns, link: 100M}")
	far := l.bed.Ends()[1]
	link := func(do func(string) error) {
		if err := far.Do(func() error { return do(far.Port.Tester) }); err != nil {
			t.Error(err)
		}
	}
	arrived := func() bool {
		text, err := far.Host().ReadFile(t.Context(), "/sys/class/net/"+far.Port.Tester+"/statistics/rx_bytes")
		n, wrong := strconv.Atoi(strings.TrimSpace(text))
		return err == nil && wrong == nil && n > 1e6
	}
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		testenv.Await(t, "a megaoctet has arrived", arrived)
		link(netif.SetDown)
	}()
	r := l.moved(t, time.Hour, weir.Transfer{Program: "tcp"}, nil)
	<-cut
	if f := r.Transferred.Failed; !strings.HasPrefix(f, "nothing arrived at far for 5s") || !strings.Contains(f, "down") {
		t.Errorf("it broke off because %q", f)
	}
	still := 0 // seconds at the end without the stream
	for _, rate := range slices.Backward(r.Transferred.Rates) {
		if rate > 1e5 {
			break
		}
		still++
	}
	if still == 0 || still == len(r.Transferred.Rates) {
		t.Errorf("these rates arrived: %v", r.Transferred.Rates)
	}
	link(netif.SetUp)
	if r := l.moved(t, time.Second, weir.Transfer{Program: "tcp"}, nil); r.Transferred.Failed != "" || r.Transferred.Octets == 0 {
		t.Errorf("afterwards: %+v", r.Transferred)
	}
}
