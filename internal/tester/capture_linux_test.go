package tester

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"
	"golang.org/x/sys/unix"

	"weir"
	"weir/frame"
	"weir/internal/dut"
	"weir/internal/netif"
	"weir/internal/testbed"
	"weir/internal/testenv"
	"weir/internal/xdp"
)

// openLab is a lab that forwards, with an optional policer.
func openLab(t *testing.T, policer *dut.Policer) *testbed.Netns {
	t.Helper()
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip")
	bed, err := testbed.OpenNetns(testbed.NetnsConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bed.Close() })
	platform, err := dut.ByName("linux")
	if err != nil {
		t.Fatal(err)
	}
	setup := router(2)
	setup.Policer = policer
	if _, err := platform.Forward(t.Context(), bed.DUT(), setup); err != nil {
		t.Fatal(err)
	}
	return bed
}

// elsewhere is a second thread in the tester's namespace, for what runs beside.
func elsewhere(t *testing.T, bed *testbed.Netns) *netif.Namespace {
	t.Helper()
	ns, err := netif.OpenNamespace(bed.Tester.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ns.Close)
	return ns
}

// wallClock is what has to be added to the packet path's clock to get the time
// of day, and how far it may be off: the clocks are read one after the other.
func wallClock() (offset, doubt time.Duration) {
	doubt = time.Hour
	for range 100 {
		before := xdp.Now()
		var wall unix.Timespec
		unix.ClockGettime(unix.CLOCK_REALTIME, &wall)
		after := xdp.Now()
		if d := (after - before) / 2; d < doubt {
			offset, doubt = time.Duration(wall.Nano())-before-d, d
		}
	}
	return offset, doubt
}

// captureSlack is the capture's own error: its time stamp is taken a little
// later than the receiver's, on the frame's way up the stack.
const captureSlack = 50 * time.Microsecond

// The receiver's histogram and a packet capture with the kernel's time stamps
// see the same frames with the same latencies. A shaper in the DUT spreads
// these over tens of milliseconds, so that the histogram's error is larger than
// the capture's.
func TestLatencyAgreesWithACapture(t *testing.T) {
	bed := openLab(t, &dut.Policer{Kind: "tbf", Rate: 2000, Size: 128})
	port := bed.DUT().Ports[1].Tester
	var latencies []float64
	var result ReceiveResult
	errs := make(chan error, 2)
	listening := make(chan *pcapgo.EthernetHandle, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	other := elsewhere(t, bed)
	go func() { // receives, and lets the stack have the frames too
		errs <- other.Do(func() (err error) {
			result, err = Receive(ctx, ReceiveConfig{Port: port, Duration: time.Minute, Verify: true, Keep: true})
			return err
		})
	}()
	err := bed.Tester.Do(func() error {
		h, err := pcapgo.NewEthernetHandle(port)
		listening <- h
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h := <-listening
	offset, doubt := wallClock()
	go func() {
		for {
			data, info, err := h.ReadPacketData()
			if err != nil {
				errs <- nil // closed
				return
			}
			if p, ok := frame.Parse(data); ok {
				latencies = append(latencies, (time.Duration(info.Timestamp.UnixNano()) - offset - time.Duration(p.Signature.Time)).Seconds())
			}
		}
	}()
	time.Sleep(200 * time.Millisecond) // for the receiver to attach
	traffic := weir.Traffic{Name: "128", Sizes: []weir.Size{128}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 3}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	to, err := net.ParseMAC(bed.DUT().Ports[0].DUTMAC)
	if err != nil {
		t.Fatal(err)
	}
	err = bed.Tester.Do(func() error {
		_, err := Send(t.Context(), SendConfig{Port: bed.DUT().Ports[0].Tester, To: to, Traffic: traffic,
			Rate: 2200, Duration: time.Second, CPU: bed.CPUs().Generator[0]})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // for the queue to drain
	stop()
	h.Close()
	for range 2 {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	if again, d := wallClock(); (again-offset).Abs() > captureSlack || max(d, doubt) > captureSlack {
		t.Fatal("the machine's clock was set, or it is too busy to read two clocks at once")
	}
	compareLatencies(t, result, latencies)
}

func compareLatencies(t *testing.T, got ReceiveResult, captured []float64) {
	t.Helper()
	if got.Latency == nil || len(captured) < 1000 || got.Latency.N != uint64(len(captured)) {
		t.Fatalf("the receiver saw %+v, the capture %d frames", got, len(captured))
	}
	slices.Sort(captured)
	quantile := func(q float64) float64 { return captured[int(math.Ceil(q*float64(len(captured))))-1] }
	sum := 0.0
	for _, l := range captured {
		sum += l
	}
	for _, c := range []struct {
		name           string
		got, want, err float64
	}{
		{"min", got.Latency.Min, captured[0], 0},
		{"p50", got.Latency.P50, quantile(.5), weir.HistogramError},
		{"p90", got.Latency.P90, quantile(.9), weir.HistogramError},
		{"p99", got.Latency.P99, quantile(.99), weir.HistogramError},
		{"p99.9", got.Latency.P999, quantile(.999), weir.HistogramError},
		{"max", got.Latency.Max, captured[len(captured)-1], 0},
		{"mean", got.Latency.Mean, sum / float64(len(captured)), 0},
	} {
		t.Logf("%-5s receiver %.3f ms, capture %.3f ms", c.name, c.got*1e3, c.want*1e3)
		if math.Abs(c.got-c.want) > c.err*c.want+captureSlack.Seconds() {
			t.Errorf("%s: the receiver says %.6f s, the capture %.6f s", c.name, c.got, c.want)
		}
	}
	if got.Latency.P90 < 0.005 {
		t.Errorf("p90 is %.6f s: the shaper did not delay, so nothing was compared", got.Latency.P90)
	}
}

// An independent dissector finds nothing wrong with any kind of frame.
func TestFramesInTheEyesOfADissector(t *testing.T) {
	testenv.NeedTool(t, "tshark", "dumpcap")
	bed := openLab(t, nil)
	var pass *xdp.Pass
	err := bed.Tester.Do(func() (err error) {
		if err := netif.SetFeature(bed.Self.DUT, "rx-gro", false); err != nil {
			return err
		}
		pass, err = xdp.NewPassOn(bed.Self.DUT) // instead of GRO, which would change what is captured
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer pass.Close()
	file := filepath.Join(t.TempDir(), "all.pcapng")
	capture := exec.Command("dumpcap", "-q", "-i", bed.Self.DUT, "-f", "udp or tcp or vlan", "-w", file)
	var said bytes.Buffer
	capture.Stderr = &said
	if err := bed.Tester.Do(capture.Start); err != nil {
		t.Fatal(err)
	}
	defer capture.Process.Kill()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the capture does not begin: %s", said.String())
		}
	}
	time.Sleep(500 * time.Millisecond)
	sent := sendEveryKind(t, bed)
	time.Sleep(500 * time.Millisecond)
	capture.Process.Signal(os.Interrupt)
	if err := capture.Wait(); err != nil {
		t.Fatalf("capture: %v: %s", err, said.String())
	}
	dissect := func(filter string) []string {
		out, err := exec.Command("tshark", "-n", "-r", file, "-Y", filter,
			"-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE").Output()
		if err != nil {
			t.Fatalf("tshark: %v", err)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	good := dissect(`udp.checksum.status == "Good" || tcp.checksum.status == "Good"`)
	if uint64(len(good)) != sent {
		t.Errorf("%d of %d frames have a good transport checksum", len(good), sent)
	}
	for _, filter := range []string{
		"_ws.malformed", `ip.checksum.status == "Bad"`, `udp.checksum.status == "Bad"`, `tcp.checksum.status == "Bad"`,
		`udp.length.bad`, `ip.bogus_ip_length`,
	} {
		if bad := dissect(filter); bad[0] != "" {
			t.Errorf("%s: %d frames, the first is %s", filter, len(bad), bad[0])
		}
	}
}

// sendEveryKind sends some frames of every combination of headers over the
// tester's own link, and returns how many.
func sendEveryKind(t *testing.T, bed *testbed.Netns) (sent uint64) {
	t.Helper()
	to, err := net.ParseMAC(bed.Self.DUTMAC)
	if err != nil {
		t.Fatal(err)
	}
	vlans := []weir.VLAN{{TPID: 0x8100, ID: 100, PCP: 5}, {TPID: 0x8100, ID: 4094}}
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		for _, protocol := range []weir.Protocol{weir.UDP, weir.TCP} {
			for tags := range 3 {
				for _, sizes := range [][]weir.Size{
					{max(64, frame.SmallestSize(family, protocol, tags))}, {129}, {1514}, {594, 128, 1001},
				} {
					traffic := weir.Traffic{Name: fmt.Sprint(sizes), Sizes: sizes, Family: family, Protocol: protocol, VLANs: vlans[:tags], Flows: 5, Seed: 5}
					traffic.Forward, traffic.Reverse = frame.DefaultStreams(family)
					err := bed.Tester.Do(func() error {
						r, err := Send(t.Context(), SendConfig{Port: bed.Self.Tester, To: to, Traffic: traffic,
							Rate: 2000, Duration: 20 * time.Millisecond, CPU: bed.CPUs().Generator[0]})
						sent += r.Sent
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	return sent
}

// What is asked is sent, to the frame, and all of it arrives.
func TestSentEqualsIntended(t *testing.T) {
	bed := openLab(t, nil)
	to, err := net.ParseMAC(bed.DUT().Ports[0].DUTMAC)
	if err != nil {
		t.Fatal(err)
	}
	traffic := weir.Traffic{Name: "64", Sizes: []weir.Size{64}, Family: weir.IPv4, Protocol: weir.UDP, Flows: 1, Seed: 3}
	traffic.Forward, traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	for _, rate := range []float64{1000, 9999.5, 33333} {
		var r SendResult
		for range 5 { // on a busy machine a stall at the very end cannot be made up for; then it is said
			err = bed.Tester.Do(func() (err error) {
				r, err = Send(t.Context(), SendConfig{Port: bed.DUT().Ports[0].Tester, To: to, Traffic: traffic,
					Rate: rate, Duration: 500 * time.Millisecond, CPU: bed.CPUs().Generator[0]})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Sent+r.Errors > r.Intended {
				t.Fatalf("at %g frames/s %d were intended and %d sent", rate, r.Intended, r.Sent+r.Errors)
			}
			if r.Sent+r.Errors < r.Intended && (!r.Short || r.Stall == 0) {
				t.Fatalf("at %g frames/s %d of %d frames were sent, and that is not said: %+v", rate, r.Sent+r.Errors, r.Intended, r)
			}
			if r.Sent+r.Errors == r.Intended {
				break
			}
		}
		if want := uint64(math.Floor(rate*0.5 + 0.5)); r.Intended != want || r.Sent+r.Errors != want {
			t.Errorf("at %g frames/s %d were intended and %d sent, want %d", rate, r.Intended, r.Sent+r.Errors, want)
		}
	}
}
