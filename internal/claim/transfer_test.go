package claim

import (
	"math"
	"strings"
	"testing"
	"time"

	"weir"
)

// transfers are the methods of which the trials are transfers.
var transfers = []string{"tcp", "udp", "connections", "loaded-latency", "iperf3", "iperf", "netperf",
	"ftp", "smb", "http", "sftp", "rsync", "pipe", "rfc6349", "pppoe-setup", "pppoe-flood"}

// bookOfTransfer is a result of a transfer that keeps all of its checklist.
func bookOfTransfer(e *evidenceOf) {
	add := func(asked weir.Transfer, took time.Duration) *weir.Transferred {
		r := e.add(weir.Trial{Maximum: true, Duration: took + asked.WarmUp, Transfer: &asked, Traffic: weir.Traffic{Application: true, Sizes: []weir.Size{}, Family: weir.IPv4}}, 0)
		r.Latency = weir.Histogram{}
		r.Transferred = &weir.Transferred{Took: took, Octets: uint64(took.Seconds() * 1e6), Count: uint64(took.Seconds() * 1e3), IdleRTT: .001,
			Segment: 1448, Verified: true, CPU: weir.EndsCPU{Source: took / 4, Destination: took / 2},
			Disks: []weir.DiskRate{{Side: weir.Source, Read: 1e9}, {Side: weir.Destination, Write: 1e9}}}
		r.Transferred.RTT.Add(2e6, 5)
		return r.Transferred
	}
	e.Value = 8e6
	switch e.Method {
	case "rfc6349":
		add(weir.Transfer{Program: "path"}, time.Second).PathMTU = 1500
		add(weir.Transfer{Program: "udp"}, time.Second)
		add(weir.Transfer{Program: "tcp", Streams: 1}, 40*time.Second)
		for name, value := range map[string]float64{PathMTU: 1500, BaselineRTT: .001, Bottleneck: 1e7, StreamLoss: .05, PathJitter: .15,
			DelayProduct: 1250, IdealThroughput: 9.49e6, TransferRatio: 1.2, Efficiency: 1, AverageRTT: .002, BufferDelay: 1} {
			e.figure(name, value)
		}
		return
	case "connections", "pppoe-setup":
		e.Value = 1e3
	case "pppoe-flood":
		e.Value = .004
	case "loaded-latency":
		e.Value = .002
	}
	asked := weir.Transfer{Program: e.Method, Streams: 1, WarmUp: time.Second}
	if e.Method == "ftp" || e.Method == "pipe" {
		asked = weir.Transfer{Program: e.Method, Files: 1, FileSize: 1e6, Storage: weir.Disk}
	}
	found := add(asked, 9*time.Second)
	if e.Method == "pppoe-flood" {
		found.Figures = []weir.Figure{{Name: weir.SetUpUnderFlood, Value: .004, Unit: "s"}}
	}
	if e.Method == "udp" {
		found.Figures = []weir.Figure{{Name: weir.DatagramsSent, Value: 10}, {Name: weir.DatagramsReceived, Value: 10}}
	}
}

func TestTransfers(t *testing.T) {
	found := func(change func(*weir.Transferred)) func(*evidenceOf) {
		return func(e *evidenceOf) { change(e.trials[len(e.trials)-1].Transferred) }
	}
	test := func(name string, value float64) func(*evidenceOf) {
		return func(e *evidenceOf) { e.trials[0].Trial.Transfer.Test, e.Value = name, value }
	}
	quick := func(e *evidenceOf) {
		last := &e.trials[len(e.trials)-1]
		last.Trial.Duration, last.Sending, last.Transferred.Took, last.Transferred.Octets = 2*time.Second, 2*time.Second, 2*time.Second, 2e6
	}
	without := func(name string) func(*evidenceOf) {
		return func(e *evidenceOf) {
			for i := range e.Figures {
				if e.Figures[i].Name == name {
					e.Figures[i].Name = "another"
				}
			}
		}
	}
	say := func(name string, value float64) func(*evidenceOf) {
		return func(e *evidenceOf) {
			for i := range e.Figures {
				if e.Figures[i].Name == name {
					e.Figures[i].Value = value
				}
			}
		}
	}
	for _, tt := range []struct {
		method string
		change func(*evidenceOf)
		name   string
		missed []string
	}{
		{"tcp", quick, "TCP goodput, short trials", []string{"at least 10s, warm-up included; it lasted 2s"}},
		{"tcp", func(e *evidenceOf) { e.Value *= 1.5 }, "TCP goodput", []string{"this is another figure"}},
		{"tcp", func(e *evidenceOf) { e.Unmeasured = "tcp broke off" }, "nothing measured", nil},
		{"ftp", func(e *evidenceOf) { e.Unmeasured = "vsftpd is not available here" }, "nothing measured", nil},
		{"rfc6349", func(e *evidenceOf) { e.Unmeasured = "not testable" }, "nothing measured", nil},
		{"tcp", found(func(f *weir.Transferred) { f.CPU.Source = f.Took }), "TCP goodput", nil},
		{"netperf", test("TCP_RR", 1e3), "transaction rate", nil},
		{"netperf", test("TCP_CRR", 1e3), "transaction rate", nil},
		{"netperf", test("UDP_STREAM", 8e6), "UDP goodput", []string{"so that the loss is known; they are not"}},
		{"iperf3", test("udp", 8e6), "UDP goodput", []string{"they are not"}},
		{"udp", found(func(f *weir.Transferred) { f.Figures = nil }), "UDP goodput", []string{"they are not"}},
		{"loaded-latency", found(func(f *weir.Transferred) { f.IdleRTT = 0 }), "latency under load", []string{"without load"}},
		{"ftp", found(func(f *weir.Transferred) { f.Verified = false }), "file transfer, not verified", []string{"nobody looked at it"}},
		{"ftp", found(func(f *weir.Transferred) { f.Disks[0].Read = 8e6 }), "file transfer", nil},

		{"rfc6349", quick, "TCP goodput, short trials", []string{"section 5: a test SHOULD be longer than 30 s; 2s"}},
		{"rfc6349", found(func(f *weir.Transferred) { f.Took, f.Octets = 30*time.Second, 30e6 }), "TCP goodput", []string{"longer than 30 s; 30s"}},
		{"rfc6349", func(e *evidenceOf) { e.trials = e.trials[2:] }, "TCP goodput", []string{"there was no such stream"}},
		{"rfc6349", func(e *evidenceOf) { e.trials[1].Transferred.Octets /= 2 }, "TCP goodput", []string{"of a stream 4 Mbit/s of payload arrived"}},
		{"rfc6349", without(PathMTU), "TCP goodput", []string{"3.1"}},
		{"rfc6349", without(BaselineRTT), "TCP goodput", []string{"3.2.1"}},
		{"rfc6349", without(PathJitter), "TCP goodput", []string{"section 3: a path with a loss"}},
		{"rfc6349", say(StreamLoss, .06), "TCP goodput", []string{"it lost 6 %, with a jitter of 150 ms"}},
		{"rfc6349", say(PathJitter, .2), "TCP goodput", []string{"200 ms"}},
		{"rfc6349", say(IdealThroughput, 7e6), "TCP goodput", []string{"fill the bottleneck bandwidth"}},
		{"rfc6349", without(TransferRatio), "TCP goodput", []string{"TCP transfer time ratio is not known"}},
		{"rfc6349", without(BufferDelay), "TCP goodput", []string{"buffer delay is not known"}},
		{"rfc6349", func(e *evidenceOf) { e.trials[2].Trial.Transfer.Streams = 4 }, "TCP goodput", []string{"5.1"}},
		{"rfc6349", func(e *evidenceOf) {
			e.each(func(t *weir.TrialResult) { t.Trial.Traffic.Bidirectional = true; t.Transferred.Octets *= 2 })
			e.Value *= 2
		}, "TCP goodput", []string{"5.1", "of both at once, together"}},
	} {
		e := book(tt.method)
		tt.change(e)
		c := checked(e.Result, e.trials)
		if c.Name != tt.name || len(c.Missed) != len(tt.missed) {
			t.Errorf("%s is called %q, want %q; it misses %q", tt.method, c.Name, tt.name, c.Missed)
			continue
		}
		for i, part := range tt.missed {
			if !strings.Contains(c.Missed[i], part) {
				t.Errorf("%s: %q does not say %q", tt.name, c.Missed[i], part)
			}
		}
	}
}

// What no name depends on is told all the same: the storage, the CPU of the
// programs, the directions.
func TestTransfersTellBeside(t *testing.T) {
	e := book("ftp")
	e.trials[0].Transferred.Disks[1].Write = 8.5e6
	e.trials[0].Transferred.CPU = weir.EndsCPU{Destination: 9 * time.Second, Source: 1}
	back := book("rfc6349")
	back.each(func(t *weir.TrialResult) { t.Trial.Traffic.Backward = true })
	for want, e := range map[string]*evidenceOf{"that of the destination is not, or hardly": e, "those of the destination had none": e, "this is the reverse one": back,
		"the kernel sets them; 2000 octets were under way, of 1250": back} {
		found := false
		for _, d := range checked(e.Result, e.trials).Demands {
			found = found || d.Found == want
		}
		if !found {
			t.Errorf("%s does not say %q", e.Method, want)
		}
	}
}

func TestStorageBound(t *testing.T) {
	for name, tt := range map[string]struct {
		disks []weir.DiskRate
		both  bool
		side  weir.Side
		bound bool
	}{
		"not measured":  {nil, false, "", false},
		"read":          {[]weir.DiskRate{{Side: weir.Source, Read: 100, Write: 1}}, false, weir.Source, true},
		"just":          {[]weir.DiskRate{{Side: weir.Destination, Read: 1, Write: 111}}, false, weir.Destination, true},
		"just not":      {[]weir.DiskRate{{Side: weir.Destination, Read: 1, Write: 112}}, false, weir.Destination, false},
		"the slower":    {[]weir.DiskRate{{Side: weir.Destination, Write: 90}, {Side: weir.Source, Read: 95}}, false, weir.Destination, true},
		"half for each": {[]weir.DiskRate{{Side: weir.Source, Read: 55}, {Side: weir.Source, Read: 56}}, true, weir.Source, true},
		"less for each": {[]weir.DiskRate{{Side: weir.Source, Read: 60}}, true, weir.Source, false},
	} {
		r := weir.TrialResult{Transferred: &weir.Transferred{Octets: 100, Took: 8 * time.Second, Disks: tt.disks}}
		r.Trial.Traffic.Bidirectional = tt.both
		s, bound := StorageBound(r)
		if bound != tt.bound || s.Side != tt.side || bound && s.Goodput != 100/float64(r.Trial.Traffic.Ports()) {
			t.Errorf("%s: %+v, %v", name, s, bound)
		}
	}
	if _, bound := StorageBound(weir.TrialResult{}); bound {
		t.Error("a trial without a transfer is bound")
	}
}

// The examples of RFC 6349 section 4.1.1 with Ethernet, and what IPv6 and jumbo
// frames make of them.
func TestAchievableTCP(t *testing.T) {
	for _, tt := range []struct {
		bandwidth float64
		mtu       int
		family    weir.Family
		want      float64
	}{
		{100e6, 1500, weir.IPv4, 94.93e6}, {1e9, 1500, weir.IPv4, 949.3e6}, {100e6, 1500, weir.IPv6, 93.63e6}, {100e6, 9000, weir.IPv4, 99.14e6},
	} {
		if got := AchievableTCP(tt.bandwidth, tt.mtu, tt.family); math.Abs(got-tt.want) > .0001*tt.want {
			t.Errorf("%v bit/s, MTU %d, %s: %v, want %v", tt.bandwidth, tt.mtu, tt.family, got, tt.want)
		}
	}
}
