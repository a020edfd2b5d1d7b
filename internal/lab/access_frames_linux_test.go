package lab

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/campaign"
	"weir/internal/plan"
	"weir/internal/testenv"
)

// openFrameLab is a lab of a plan that sends test frames.
func openFrameLab(t *testing.T, text string) (*netnsLab, campaign.Lab) {
	t.Helper()
	testenv.NeedRoot(t)
	p, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	l := &netnsLab{plan: p}
	open, end, err := assembled(t.Context(), l.assemble)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return l, open
}

// captured captures at the DUT's first port, and returns what ends that and says how many frames
// a dissector finds by each filter.
func captured(t *testing.T, l *netnsLab) (found func(filters ...string) []int) {
	t.Helper()
	testenv.NeedTool(t, "tshark")
	file := filepath.Join(t.TempDir(), "all.pcap")
	end := startCapture(t, l.bed.InDUT, l.bed.DUT().Ports[0].DUT, file)
	return func(filters ...string) (counts []int) {
		t.Helper()
		if err := end(); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("tshark", "-n", "-q", "-r", file, "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
			"-z", "io,stat,0,"+strings.Join(filters, ",")).Output()
		if err != nil {
			t.Fatalf("tshark: %v", err)
		}
		for line := range strings.Lines(string(out)) {
			cells := strings.Split(line, "|")
			if len(cells) < 2+2*len(filters) || !strings.Contains(cells[1], "<>") {
				continue
			}
			for i := range filters {
				n, err := strconv.Atoi(strings.TrimSpace(cells[2+2*i]))
				if err != nil {
					t.Fatalf("%v in %s", err, out)
				}
				counts = append(counts, n)
			}
			return counts
		}
		t.Fatalf("tshark says\n%s", out)
		return nil
	}
}

// allOf is a trial of few frames, all of which have to come. A machine that has to ask for the
// neighbour first keeps only some of them meanwhile: learning frames go before them.
func allOf(traffic weir.Traffic) weir.Trial {
	return weir.Trial{Traffic: traffic, Maximum: true, Count: few, Duration: time.Hour, Waits: weir.Waits{Learning: 2 * time.Second, Residual: never}}
}

// Test frames go through a session with the DUT, which takes them out and puts them in, in
// both families and directions; the session is kept up beside them, and gone afterwards. A
// dissector finds nothing wrong in what is on the wire.
func TestSessionsOfFrames(t *testing.T) {
	t.Parallel()
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		t.Run(string(family), func(t *testing.T) {
			t.Parallel()
			l, open := openFrameLab(t, "{dut: {access: {pppoe: userland}}, traffic: {sessions: 1, flows: 5, bidirectional: yes, sizes: [128, {name: some, mix: {90: 2, 1510: 1}}], family: "+string(family)+"}, methods: [sweep]}")
			found, offered := captured(t, l), 0
			for _, traffic := range l.plan.Traffic {
				if _, err := open.Measure(t.Context(), allOf(traffic)); err == nil {
					t.Fatal("frames went through a session that is not there")
				}
				undo, err := open.Apply(t.Context(), l.plan.Levels[0].Condition)
				if err != nil {
					t.Fatal(err)
				}
				if s := l.carried(); len(s) != 1 || s[0].ID == 0 || l.line.mtu != 1492 {
					t.Errorf("sessions %+v of %d octets", s, l.line.mtu)
				}
				before, err := l.line.counts(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				r := measured(t, open, traffic, nil)
				if r.Offered != 2*few || r.Received != r.Offered || len(r.Ledger.Drops) > 0 || said(r, "DUT datagrams received") == 0 || said(r, "DUT datagrams sent") == 0 {
					t.Errorf("%s: %d of %d came back: %+v, %+v, %+v", traffic.Name, r.Received, r.Offered, r.Ledger, r.Streams, r.Readings)
				}
				after, err := l.line.counts(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if n := after[0].Received + after[0].Untaken - before[0].Received - before[0].Untaken; n > r.Received/10 { // others are router solicitations
					t.Errorf("%d datagrams reached the client's program", n)
				}
				if err := open.Holds(); err != nil {
					t.Error(err)
				}
				if err := undo(t.Context()); err != nil {
					t.Fatal(err)
				}
				offered += int(r.Offered)
			}
			counts := found(`pppoes && udp.checksum.status == "Good"`, "pppoed", "lcp", "pppoe.code == 0xa7",
				`_ws.malformed || pppoe.payload_length.bad || ip.checksum.status == "Bad" || udp.checksum.status == "Bad" || udp.length.bad || ip.bogus_ip_length`)
			if counts[0] != offered {
				t.Errorf("%d frames in sessions, want all %d of both directions", counts[0], offered)
			}
			if counts[1] == 0 || counts[2] == 0 || counts[3] == 0 {
				t.Errorf("the capture has no session that is opened and ended: %v", counts[1:4])
			}
			if counts[4] != 1 {
				t.Errorf("%d frames are malformed, and not the one alone that is broken", counts[4])
			}
		})
	}
}

// observedTwice measures a trial, and observes its machine beside it with the concentrator
// among the others, and without.
func observedTwice(t *testing.T, l *netnsLab, open campaign.Lab, trial weir.Trial) (r weir.TrialResult, with, without weir.HostLoad) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err := observer(l.bed, false)(t.Context())
	must(err)
	others, err := open.Observe(t.Context())
	must(err)
	r, err = open.Measure(t.Context(), trial)
	must(err)
	less, err := others(r.Sending)
	must(err)
	more, err := all(r.Sending)
	must(err)
	return r, more.Host, less.Host
}

// What a concentrator does not carry of more than it can is known by name, either way, and
// the session is there afterwards.
func TestSessionsOverloaded(t *testing.T) {
	l, open := openFrameLab(t, "{dut: {access: {pppoe: userland}}, traffic: {sessions: 1, sizes: [128]}, factors: {direction: [forward, reverse]}, runs: {count: 3}, methods: [sweep]}")
	undo, err := open.Apply(t.Context(), l.plan.Levels[0].Condition)
	if err != nil {
		t.Fatal(err)
	}
	for direction, place := range map[int]string{0: "dut concentrator: socket full", 1: "dut concentrator: device full (tx_dropped)"} {
		var r weir.TrialResult
		var with, without weir.HostLoad
		var unexplained uint64
		for times := range testenv.Longer { // a generator that has hardly a CPU overloads nobody
			trial := weir.Trial{Traffic: l.plan.Traffic[direction], Maximum: true, Duration: times * time.Second, Waits: weir.Waits{Residual: times * 2 * time.Second}}
			r, with, without = observedTwice(t, l, open, trial)
			unexplained = uint64(max(r.Ledger.Unexplained, -r.Ledger.Unexplained))
			if r.Received > 0 && dropped(r, place) > 0 && unexplained <= r.Offered/100 { // or a concentrator without a CPU has frames still
				break
			}
		}
		const ticks = .05 // s, by which the counters of CPU time may be wrong
		if own := said(r, "DUT CPU") * r.Sending.Seconds(); own == 0 || without.Other.Seconds() > max(0, with.Other.Seconds()-max(0, .8*own-ticks)) {
			t.Errorf("others used %v, and %v with a concentrator that used %.2f s", without.Other, with.Other, own)
		}
		// Router solicitations go through the session, too, and are dropped among the frames.
		if r.Received == 0 || dropped(r, place) == 0 || unexplained > r.Offered/100 {
			t.Errorf("%s: %d of %d came through: %+v", weir.Directions[direction], r.Received, r.Offered, r.Ledger)
		}
	}
	if err := open.Holds(); err != nil {
		t.Error(err)
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
}
