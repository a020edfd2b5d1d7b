package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/testbed"
	"weir/internal/tester"
	"weir/internal/xdp"
)

// softirqs is the promise about how often a DUT takes frames from its ports in softirq, by
// what its kernel counts in trials of more frames than that.
func softirqs() promise {
	const (
		least = 5_000 // a second
		plan  = "testbed: {kind: netns}\ndut: {napi: softirq}\ntraffic: {sizes: [64]}\nmethods: [{method: throughput, trial: 500ms, maximum: 100k, width: 50%}]\nwaits: {residual: 50ms}\n"
	)
	return promise{
		group: "latency", name: "a DUT takes frames in softirq every 50 us", asked: fmt.Sprintf("20,000 times a second by its timer, %d at least", least),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			t := s.run(ctx, plan, "--trials")
			var rates []float64
			for _, one := range t.Trials {
				for _, r := range one.Readings {
					if one.Trial.Purpose == "throughput" && strings.HasSuffix(r.Name, " softirq NET_RX") {
						rates = append(rates, r.Value/one.Host.Over.Seconds())
					}
				}
			}
			if t.err != nil || len(rates) == 0 {
				return "", false, errors.Join(errors.New("no trial has counted softirqs"), t.err)
			}
			rate := median(rates)
			return fmt.Sprintf("%.0f times, every %.0f us, in the median of %d trials", rate, 1e6/rate, len(rates)), rate >= least, nil
		},
	}
}

// clocksBound is the promise about latencies between two machines whose clocks PTP compares:
// by how much they may be off.
func clocksBound() promise {
	const (
		most = 10e-6 // s
		plan = `testbed: {kind: ports, ports: ["ssh://t1/far0", "ssh://t2/far1"]}` + "\ntraffic: {sizes: [64]}\nmethods:\n" +
			"  - {method: throughput, trial: 50ms, maximum: 10k, width: 20%}\n  - {method: latency, trial: 300ms}\nwaits: {residual: 100ms, learning: 10ms}\n"
	)
	return promise{
		group: "latency", name: "bound of latencies by PTP between two machines", asked: fmt.Sprintf("below %.0f us", 1e6*most),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			s.near = []string{hostsScript, "clocks"}
			var bounds []float64
			var failed error
			for range s.often(3) {
				t := s.run(ctx, plan)
				failed = errors.Join(failed, t.err)
				for _, r := range t.Results {
					if r.Latency.Within > 0 {
						bounds = append(bounds, r.Latency.Within)
					}
				}
			}
			if len(bounds) == 0 {
				return "", false, errors.Join(errors.New("no latency has a bound: PTP was late, and round trips were measured in place"), failed)
			}
			slices.Sort(bounds)
			return spread(bounds, 1e-6) + " us", median(bounds) < most, nil
		},
	}
}

// capturedLatencies is the promise about the receiver's latencies beside those of a capture
// of the same frames, whose time stamps the kernel takes a little later. A shaper in the DUT
// spreads them over milliseconds.
func capturedLatencies() promise {
	const most = 50 * time.Microsecond
	return promise{
		group: "latency", name: "quantiles of latencies beside a capture of the same frames",
		asked: fmt.Sprintf("within %v and the error of the histogram", most),
		measure: func(ctx context.Context, _ setup) (string, bool, error) {
			got, captured, err := receivedAndCaptured(ctx)
			if err != nil {
				return "", false, err
			}
			if int(got.N) != len(captured) || len(captured) < 100 {
				return "", false, fmt.Errorf("the receiver saw %d frames, the capture %d", got.N, len(captured))
			}
			slices.Sort(captured)
			var text []string
			kept := true
			for _, c := range []struct {
				name     string
				got, of  float64
				rounding float64
			}{
				{"min", got.Min, 0, 0},
				{"p50", got.P50, .5, weir.HistogramError},
				{"p90", got.P90, .9, weir.HistogramError},
				{"p99", got.P99, .99, weir.HistogramError},
				{"p99.9", got.P999, .999, weir.HistogramError},
				{"max", got.Max, 1, 0},
			} {
				want := captured[max(0, int(math.Ceil(c.of*float64(len(captured))))-1)]
				kept = kept && math.Abs(c.got-want) <= most.Seconds()+c.rounding*want
				text = append(text, fmt.Sprintf("%s %.3f ms, off by %+.0f us", c.name, 1e3*c.got, 1e6*(c.got-want)))
			}
			return fmt.Sprintf("%d frames: %s", len(captured), strings.Join(text, ", ")), kept, nil
		},
	}
}

// receivedAndCaptured sends frames through a DUT with a shaper. It returns their latencies as
// the receiver has them, and those by a capture at the receiving port, s.
func receivedAndCaptured(ctx context.Context) (got weir.Latency, captured []float64, err error) {
	lab, err := shapingLab(ctx)
	if err != nil {
		return got, nil, err
	}
	defer func() { err = errors.Join(err, lab.Close()) }()
	other, err := netif.OpenNamespace(lab.Tester.Path()) // for a second thread
	if err != nil {
		return got, nil, err
	}
	defer other.Close()
	port := lab.DUT().Ports[1].Tester
	var capture *pcapgo.EthernetHandle
	if err = lab.Tester.Do(func() (err error) { capture, err = pcapgo.NewEthernetHandle(port); return err }); err != nil {
		return got, nil, err
	}
	offset := time.Duration(time.Now().UnixNano()) - xdp.Now()
	read := make(chan []float64)
	go func() {
		var all []float64
		for {
			data, info, err := capture.ReadPacketData()
			if err != nil { // it is closed
				read <- all
				return
			}
			if p, ok := frame.Parse(data); ok {
				all = append(all, (time.Duration(info.Timestamp.UnixNano()) - offset - time.Duration(p.Signature.Time)).Seconds())
			}
		}
	}()
	received, begun := make(chan error, 1), make(chan struct{})
	ending, end := context.WithCancel(ctx)
	defer end()
	var result tester.ReceiveResult
	go func() {
		received <- other.Do(func() (err error) {
			result, err = tester.Receive(ending, tester.ReceiveConfig{Port: port, Duration: time.Minute, Verify: true, Keep: true, Begun: func() { close(begun) }})
			return err
		})
	}()
	select {
	case err = <-received:
		received <- err
	case <-begun:
		err = sendShaped(ctx, lab)
		time.Sleep(time.Second) // for the queue, and what reads
	}
	end()
	err = errors.Join(err, <-received)
	capture.Close()
	captured = <-read
	if drift := (time.Duration(time.Now().UnixNano()) - xdp.Now() - offset).Abs(); drift > 10*time.Microsecond {
		err = errors.Join(err, fmt.Errorf("the machine's clock was set by %v meanwhile", drift))
	}
	if err == nil && result.Latency == nil {
		err = errors.New("the receiver saw no frame")
	}
	if err != nil {
		return got, nil, err
	}
	return *result.Latency, captured, nil
}

// shapedRate is what the shaper lets through, frames/s.
const shapedRate = 2000

// shapingLab is a lab whose DUT forwards IPv4 through a shaper.
func shapingLab(ctx context.Context) (*testbed.Netns, error) {
	lab, err := testbed.OpenNetns(ctx, testbed.NetnsConfig{})
	if err != nil {
		return nil, err
	}
	set := dut.Setup{Policer: &dut.Policer{Kind: "tbf", Rate: shapedRate, Size: 128}}
	for i := range 2 {
		set.Address[i] = append(set.Address[i], netip.PrefixFrom(frame.RouterAddr(weir.IPv4, i), 30))
		set.Neighbor[i] = append(set.Neighbor[i], frame.TesterAddr(weir.IPv4, i))
		set.Route[i] = append(set.Route[i], frame.Network(weir.IPv4, i))
	}
	platform, err := dut.ByName("linux")
	if err == nil {
		_, err = platform.Forward(ctx, lab.DUT(), set)
	}
	if err != nil {
		return nil, errors.Join(err, lab.Close())
	}
	return lab, nil
}

// sendShaped sends for a second a little more than the shaper lets through.
func sendShaped(ctx context.Context, lab *testbed.Netns) error {
	traffic := weir.Traffic{Name: "128", Sizes: []weir.Size{128}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 3}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	to, err := net.ParseMAC(lab.DUT().Ports[0].DUTMAC)
	if err != nil {
		return err
	}
	return lab.Tester.Do(func() error {
		_, err := tester.Send(ctx, tester.SendConfig{Port: lab.DUT().Ports[0].Tester, To: to, Traffic: traffic,
			Rate: 1.1 * shapedRate, Duration: time.Second, CPUs: lab.CPUs().Generator[:1]})
		return err
	})
}
