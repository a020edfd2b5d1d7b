package tester_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"testing"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/testbed"
	"weir/internal/tester"
)

func setup(family weir.Family) dut.Setup {
	var s dut.Setup
	for _, f := range []weir.Family{weir.IPv4, weir.IPv6} {
		for i := range 2 {
			n := frame.Network(f, i)
			s.Address[i] = append(s.Address[i], netip.PrefixFrom(frame.RouterAddr(f, i), n.Bits()))
			s.Neighbor[i] = append(s.Neighbor[i], frame.TesterAddr(f, i))
		}
	}
	return s
}

func TestZZ(t *testing.T) {
	lab, err := testbed.OpenNetns(testbed.NetnsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	p, _ := dut.ByName("linux")
	if _, err := p.Forward(context.Background(), lab.DUT(), setup(weir.IPv4)); err != nil {
		t.Fatal(err)
	}
	x, err := tester.OpenXDP(tester.XDPConfig{Namespace: lab.Tester, Ports: [2]weir.Port(lab.DUT().Ports), Self: &lab.Self, CPUs: lab.CPUs(), Verify: os.Getenv("NOVERIFY") == ""})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	tr := weir.Traffic{Name: "64", Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 1}
	if v, err := strconv.Atoi(os.Getenv("SIZE")); err == nil {
		tr.Sizes[0] = weir.Size(v)
	}
	if os.Getenv("BIDIR") != "" {
		tr.Bidirectional = true
	}
	tr.Forward, tr.Reverse = frame.DefaultStreams(weir.IPv4)
	for round := range 2 {
		for _, rate := range []float64{10e3, 100e3, 200e3, 400e3, 600e3, 800e3, 1e6, 0, -1} {
			trial := weir.Trial{Traffic: tr, Intended: rate, Duration: time.Second, Waits: weir.Waits{Residual: 50 * time.Millisecond}}
			if rate <= 0 {
				trial.Maximum, trial.Intended = true, 0
			}
			if rate < 0 {
				trial.Bypass = true
			}
			before := time.Now()
			r, err := x.Measure(context.Background(), trial)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(before)
			s := r.Latency.Summary()
			if s == nil {
				s = &weir.Latency{}
			}
			fmt.Printf("%d %7.0fk intended %d offered %d recv %d loss %.5f sending %v took %v stalls %d longest %v ledger %+v lat p50 %.1fus p99 %.1fus max %.1f\n", round, rate/1e3, r.Trial.Frames(), r.Offered, r.Received, r.LossRatio(), r.Sending, took, r.Pacing.Stalls, r.Pacing.LongestStall, r.Ledger, s.P50*1e6, s.P99*1e6, s.Max*1e6)
		}
	}
}
