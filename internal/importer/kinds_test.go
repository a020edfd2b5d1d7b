package importer

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"weir"
)

// iperf3Doc is a test as iperf3 -J writes it, with an end.
func iperf3Doc(protocol, cookie, end string) string {
	return fmt.Sprintf(`{
 "start": {"connected": [{"local_host": "2001:db8::1"}], "cookie": %q, "timestamp": {"timesecs": 1577836800},
  "test_start": {"protocol": %q, "num_streams": 1, "blksize": 1448, "duration": 10, "reverse": 0}},
 "intervals": [],
 "end": %s
}
`, cookie, protocol, end)
}

const (
	sumOf   = `{"start": 0, "end": 10, "seconds": 10, "bytes": 125000000, "bits_per_second": 100000000`
	tcpEnd  = `{"sum_sent": ` + sumOf + `, "retransmits": 3}, "sum_received": ` + sumOf + `}}`
	bothEnd = `{"sum": ` + sumOf + `, "lost_packets": 0, "packets": 1000}, "sum_sent": ` + sumOf + `}, "sum_received": ` + sumOf + `, "lost_packets": 0, "packets": 1000},
 "sum_bidir_reverse": ` + sumOf + `, "lost_packets": 200, "packets": 1000},
 "sum_received_bidir_reverse": {"start": 0, "end": 10, "seconds": 10, "bits_per_second": 80000000, "lost_packets": 200, "packets": 1000}}`
)

// events are a test as iperf3 --json-stream writes it.
func events(end string) string {
	return `{"event": "start", "data": {"cookie": "x", "test_start": {"protocol": "TCP", "num_streams": 1}}}
{"event": "interval", "data": {}}
{"event": "end", "data": ` + strings.ReplaceAll(end, "\n", "") + "}\n"
}

// TestIperf3Kinds holds what is read of each way in which iperf3 writes a test.
func TestIperf3Kinds(t *testing.T) {
	whole := iperf3Doc("TCP", "0123456789012345678901234567890123456", tcpEnd)
	for _, c := range []struct {
		name, text string
		want       []float64 // the values of the results
	}{
		{"one", iperf3Doc("TCP", "x", tcpEnd), []float64{1e8}},
		{"appended", iperf3Doc("TCP", "x", tcpEnd) + iperf3Doc("TCP", "x", tcpEnd), []float64{1e8, 1e8}},
		{"an array", "[" + iperf3Doc("TCP", "x", tcpEnd) + "," + iperf3Doc("TCP", "x", tcpEnd) + "]", []float64{1e8, 1e8}},
		{"the same test twice", whole + whole, []float64{1e8}},
		{"events", events(tcpEnd), []float64{1e8}},
		{"events of two tests", events(tcpEnd) + events(tcpEnd), []float64{1e8, 1e8}},
		{"events and the whole", events(tcpEnd) + `{"start": {"cookie": "x", "test_start": {"protocol": "TCP"}}, "intervals": [], "end": ` + tcpEnd + "}", []float64{1e8}},
		{"both directions", iperf3Doc("UDP", "x", bothEnd), []float64{1e8, 8e7}},
		{"-nan", strings.Replace(iperf3Doc("TCP", "x", tcpEnd), `"intervals": []`, `"intervals": [{"sum": {"lost_percent": -nan, "x": [inf, NaN, -1.#IND]}}]`, 1), []float64{1e8}},
		{"only what was sent", iperf3Doc("TCP", "x", `{"sum_sent": `+sumOf+`}, "sum_received": {"start": 0, "end": 0, "seconds": 0, "bytes": 0, "bits_per_second": 0}}`), []float64{1e8}},
		{"nothing came", iperf3Doc("UDP", "x", `{"sum": `+sumOf+`, "lost_packets": 1000, "packets": 1000}}`), []float64{0}},
		{"nothing came, as newer versions say", iperf3Doc("UDP", "x", `{"sum": `+sumOf+`, "lost_packets": 0, "packets": 1000}, "sum_sent": `+sumOf+`, "packets": 1000}, "sum_received": {"start": 0, "end": 0, "seconds": 0, "bytes": 0, "bits_per_second": 0, "packets": 0}}`), []float64{0}},
		{"one of them failed", iperf3Doc("TCP", "x", tcpEnd) + `{"start": {"connected": []}, "intervals": [], "end": {}, "error": "the server is busy"}`, []float64{1e8}},
		{"UTF-16, little end first", string(inUTF16(whole, binary.LittleEndian, true)), []float64{1e8}},
		{"UTF-16, big end first, without a mark", string(inUTF16(whole, binary.BigEndian, false)), []float64{1e8}},
		{"UTF-16 without a mark", string(inUTF16(whole, binary.LittleEndian, false)), []float64{1e8}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := one(t, "", write(t, "x.json", c.text)).Results
			if len(got) != len(c.want) {
				t.Fatalf("there are %d results, want %d", len(got), len(c.want))
			}
			for i, r := range got {
				if r.Value != c.want[i] || len(r.Warnings) > 0 {
					t.Errorf("result %d is %v with %v, want %v", i, r.Value, r.Warnings, c.want[i])
				}
			}
		})
	}
	both := one(t, "", write(t, "x.json", iperf3Doc("UDP", "x", bothEnd)))
	forward, back := both.Results[0], both.Results[1]
	if forward.Factors["direction"] != "forward" || back.Factors["direction"] != "reverse" || forward.Run.Number != back.Run.Number ||
		forward.LossRatio != 0 || back.LossRatio != .2 || forward.Factors["family"] != "IPv6" {
		t.Errorf("both directions are %+v and %+v", forward, back)
	}
	for _, n := range both.Manifest.Imported.Notes {
		if strings.Contains(n, "TCP") {
			t.Errorf("a test of UDP has the note %q", n)
		}
	}
}

// inUTF16 is a text in UTF-16.
func inUTF16(text string, order binary.AppendByteOrder, mark bool) (out []byte) {
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	for _, u := range units {
		out = order.AppendUint16(out, u)
	}
	return out
}

// TestRules holds that what cannot be is marked in every format, and has no name.
func TestRules(t *testing.T) {
	udp := func(jitter string, lost, packets int) string {
		return iperf3Doc("UDP", "x", fmt.Sprintf(`{"sum": %s, "jitter_ms": %s, "lost_packets": %d, "packets": %d}}`, sumOf, jitter, lost, packets))
	}
	counters := func(sent, received, rate string) string {
		return fmt.Sprintf(`{"total": {"opackets": %s, "ipackets": %s}, "global": {"tx_pps": 1000000, "rx_pps": %s}}`, sent, received, rate)
	}
	search := func(limit, dropped string) string {
		return fmt.Sprintf(`{"config": {"pdr": %s}, "results": {"tx_pps": 1000000, "rx_pps": 1000000, "drop_rate_percentage": %s}}`, limit, dropped)
	}
	rate := func(lower, upper string) string {
		return fmt.Sprintf(`{"version": "1.2.0", "dut_type": "VPP", "dut_version": "1", "test_name_long": "10ge2p1x710-64b-1t1c-ip4", "result": {"type": "soak", "critical_rate": {"lower": {"rate": {"value": %s, "unit": "pps"}}, "upper": {"rate": {"value": %s, "unit": "pps"}}}}}`, lower, upper)
	}
	for _, c := range []struct {
		name, file, text string
		code             weir.WarningCode // "": none
		says             string
		named            bool // by what was published
	}{
		{"a jitter longer than the test", "x.json", udp("1636391733.0", 0, 160), weir.ImplausibleFigure, "a jitter of 1636392 s is longer than the test, which took 10 s", true},
		{"a jitter below 0", "x.json", udp("-3", 0, 160), weir.ImplausibleFigure, "jitter of -0.003 s cannot be", true},
		{"a usual jitter", "x.json", udp("0.02", 1, 160), "", "", true},
		{"more lost than sent", "x.json", udp("0.02", 200, 160), weir.Implausible, "a loss of 125.00 % is none that can be", false},
		{"a loss below 0", "x.json", udp("0.02", -1, 160), weir.Implausible, "a loss of -0.62 %", false},
		{"more octets received than sent", "x.json", iperf3Doc("TCP", "x", strings.Replace(tcpEnd, "125000000", "100000000", 1)), weir.NegativeLoss, "125000000 octets were received, and 100000000 sent", false},
		{"a total of 0 beside streams", "x.json", iperf3Doc("TCP", "x", `{"streams": [{"receiver": {"bits_per_second": 5000000}}], "sum_sent": {"seconds": 10}, "sum_received": {"seconds": 10}}`), weir.Implausible, "the total is 0, and its parts together are 5000000 bit/s", false},
		{"times that run backwards", "x.json", iperf3Doc("TCP", "x", strings.ReplaceAll(tcpEnd, `"end": 10`, `"end": -10`)), weir.Implausible, "its times run backwards", false},
		{"a counter that wrapped", "x.json", counters("164540000", "-265892000", "16490000"), weir.Implausible, "the counter of frames received stands at -265892000", false},
		{"more frames received than sent", "x.json", counters("1000", "1100", "990000"), weir.NegativeLoss, "1100 frames were received, and 1000 sent", false},
		{"a rate above its load", "x.json", counters("1000", "1000", "1100000"), weir.NegativeLoss, "1100000 frames/s were received", false},
		{"counters that agree", "x.json", counters("1000", "990", "990000"), "", "", true},
		{"a loss above 100 %", "x.json", search("0.1", "261.59569"), weir.Implausible, "a loss of 261.60 % is none that can be; it was published as", false},
		{"a loss of -1 %", "x.json", search("0.1", "-1"), weir.Implausible, "a loss of -1.00 %", false},
		{"bounds the wrong way round", "x.info.json", rate("2000000", "1000000"), weir.Implausible, "its lower bound, 2e+06, is above its upper one", false},
		{"more than two ports of 10GE", "x.info.json", rate("31000000", "31000000"), weir.Implausible, "more than the 29761905 that 2 ports of 10 Gbit/s", false},
		{"as much as two ports of 10GE", "x.info.json", rate("29700000", "29760000"), "", "", true},
		{"a clock that runs backwards", "x.receiver", "500.1 main_thread [1] 5 pps (5 pkts in 1 usec)\n400.1 main_thread [1] 5 pps (5 pkts in 1 usec)\n", weir.Implausible, "line 2 has 400 s, and the second before it 500 s", false},
		{"a clock that begins anew", "x.receiver", "999.1 main_thread [1] 5 pps (5 pkts in 1 usec)\n000.1 main_thread [1] 5 pps (5 pkts in 1 usec)\n", "", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := one(t, "", write(t, c.file, c.text)).Results[0]
			name, _ := r.Claim.Published()
			if c.code == "" != (len(r.Warnings) == 0) || c.named != (name != InDoubt) || r.LossRatio < 0 || r.LossRatio > 1 {
				t.Fatalf("%q has a loss of %v and the warnings %v", name, r.LossRatio, r.Warnings)
			}
			if c.code != "" && (!weir.HasWarning(r.Warnings, c.code) || !strings.Contains(fmt.Sprint(r.Warnings), c.says)) {
				t.Errorf("the warnings %v do not say %q", r.Warnings, c.says)
			}
		})
	}
}

// A load at which more was lost than a search allowed is not named after its limit.
func TestLossAboveLimit(t *testing.T) {
	for dropped, want := range map[string]string{"0.05": "PDR at 0.1 % loss", "0.5": "a load with a loss of 0.5 %, above the limit of 0.1 %"} {
		text := `{"config": {"pdr": 0.1, "pdr_error": 1}, "results": {"tx_pps": 1000000, "drop_rate_percentage": ` + dropped + `}}`
		if name, _ := one(t, "", write(t, "x.json", text)).Results[0].Claim.Published(); name != want {
			t.Errorf("with %s %% lost it is %q, want %q", dropped, name, want)
		}
	}
}

// logOf is a log of pkt-gen with these rates a second.
func logOf(head string, rates ...string) string {
	b := strings.Builder{}
	b.WriteString("208.951077 main [2647] interface is netmap:em0\n" + head + "\n")
	for i, r := range rates {
		fmt.Fprintf(&b, "%d.000000 main_thread [2416] %s (1.000 %s 1 bps in 1000980 usec) 2.83 avg_batch 492 min_space\n", 212+i, r, strings.Replace(strings.Fields(r)[1], "pps", "pkts", 1))
	}
	return b.String()
}

// TestPktGenKinds holds what is read of logs of any unit, and that waiting is none of a run.
func TestPktGenKinds(t *testing.T) {
	const from, on = "Receiving from netmap:em0: 8 queues, 1 threads and 1 cpus.", "Sending on netmap:em0: 8 queues, 1 threads and 1 cpus."
	idle := "0.000 pps"
	for _, c := range []struct {
		name, file, text string
		want             float64
		claim            string
	}{
		{"Kpps", "run.receiver", logOf(from, "609.1 Kpps", "609.3 Kpps", "609.2 Kpps"), 609200, "frames received"},
		{"Mpps", "run.receiver", logOf(from, "14.88 Mpps", "14.88 Mpps"), 14.88e6, "frames received"},
		{"Gpps", "run.receiver", logOf(from, "1.2 Gpps"), 1.2e9, "frames received"},
		{"pps", "run.receiver", logOf(from, "999 pps", "998 pps", "997 pps"), 998, "frames received"},
		{"units that change", "run.receiver", logOf(from, "999.9 Kpps", "1.001 Mpps", "1.002 Mpps"), 1.001e6, "frames received"},
		{"an old one", "run.receiver", "main [1362] 14880952 pps\nmain [1362] 14880950 pps\n", 14880951, "frames received"},
		{"waiting before and after", "late.receiver", logOf(from, idle, idle, idle, "1.2 Mpps", "1.2 Mpps", idle, idle, idle), 1.2e6, "frames received"},
		{"others' frames while it waits", "late.receiver", logOf(from, "3.000 pps", idle, "1.000 pps", "1.2 Mpps", "1.2 Mpps", "2.000 pps"), 1.2e6, "frames received"},
		{"a gap within", "late.receiver", logOf(from, "1.2 Mpps", idle, "1.0 Mpps"), 1e6, "frames received"},
		{"a sender that waits", "late.sender", logOf(on, idle, idle, idle, "1.488 Mpps"), 1.488e6, "what a generator sent"},
		{"a sender by what it says", "tx.log", logOf(on, "1.488 Mpps"), 1.488e6, "what a generator sent"},
		{"a receiver by what it says", "rx.log", logOf(from, "1.488 Mpps"), 1.488e6, "frames received"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := one(t, "", write(t, c.file, c.text)).Results[0]
			if name, _ := r.Claim.Published(); !about(r.Value, c.want, 1e-12) || name != c.claim {
				t.Errorf("it is %v, %q; want %v, %q", r.Value, name, c.want, c.claim)
			}
		})
	}
	folder := filepath.Dir(write(t, "late.receiver", logOf(from, idle, idle, idle, "1.2 Mpps", "1.2 Mpps", idle, idle)))
	put(t, folder, "late.sender", logOf(on, "1.488 Mpps", "1.488 Mpps")+"Sent 2976000 packets 178560000 bytes 6000 events 60 bytes each in 2.00 seconds.\nSpeed: 1.488 Mpps Bandwidth: 714 Mbps\n")
	r := one(t, "", folder).Results[0]
	if r.Value != 1.2e6 || !about(r.LossRatio, 1-1.2/1.488, 1e-9) || r.Factors["frame_size"] != 64 {
		t.Errorf("a receiver that waited is %v with a loss of %v", r.Value, r.LossRatio)
	}
	if _, err := Import("", []string{write(t, "x.receiver", logOf(from, idle, idle))}, Options{}); err == nil || !strings.Contains(err.Error(), "no second in it has a frame") {
		t.Errorf("a receiver to which nothing came is %v", err)
	}
}

func put(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestOldNetbenches holds that sets of the older naming are sets, and their summaries and logs none.
func TestOldNetbenches(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "pps.fastforwarding", "713350\n712021\n711053\n713994\n711887\n")
	put(t, folder, "pps.forwarding", "385557\n383009\n383559\n384227\n382417\n")
	put(t, folder, "fastforwarding.data", "712021 711053 713994\n")
	put(t, folder, "forwarding.data", "383559 382417 385557\n")
	put(t, folder, "bench.forwarding.1.receiver", logOf("", "383.0 Kpps", "385.557 Kpps", "386.0 Kpps"))
	put(t, folder, "bench.forwarding.1.sender", logOf("", "1.488 Mpps"))
	c := one(t, "", folder)
	if len(c.Results) != 10 || c.Results[0].Unit != "frames/s" || c.Results[5].Run.Arm != "forwarding" || c.Results[5].LossRatio < .7 {
		t.Errorf("there are %d results, and those of the second set begin with %+v", len(c.Results), c.Results[5])
	}
}

// TestSecondSender holds that the load of a run with two generators is that of both.
func TestSecondSender(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "a.pps", "2000000\n")
	put(t, folder, "bench.a.1.receiver", logOf("", "2.0 Mpps"))
	put(t, folder, "bench.a.1.sender", logOf("", "1.5 Mpps"))
	put(t, folder, "bench.a.1.sender_2", logOf("", "1.0 Mpps"))
	if r := one(t, "", folder).Results[0]; !about(r.LossRatio, .2, 1e-9) || len(r.Warnings) > 0 {
		t.Errorf("of 2.5 Mpps 2 came, and the loss is %v with %v", r.LossRatio, r.Warnings)
	}
}

// TestNumberKinds holds how units behind numbers are read, and what is no run.
func TestNumberKinds(t *testing.T) {
	for text, want := range map[string]struct {
		unit  string
		first float64
		last  float64
	}{
		"941 Mbits/sec\n1.02 Gbits/sec\n":    {"bit/s", 941e6, 1020e6},
		"941Mbit/s\n940Mbit/s\n":             {"bit/s", 941e6, 940e6},
		"9412.37 10^6bits/s\n9.4 10^9bits/s": {"bit/s", 9412.37e6, 9.4e9},
		"508462 pps\n0.5 Mpps\n":             {"frames/s", 508462, 5e5},
		"1.488 Mpkts/s\n":                    {"frames/s", 1.488e6, 1.488e6},
		"117 MB/s\n":                         {"B/s", 117e6, 117e6},
		"1 MiB/s\n":                          {"B/s", 1 << 20, 1 << 20},
		"12 ms\n0.5 s\n":                     {"s", .012, .5},
		"5 %\n":                              {"%", 5, 5},
		"12 run1\n13 run2\n":                 {weir.UnknownUnit, 12, 13},
		"12 apples/s\n":                      {"apples/s", 12, 12},
	} {
		r := one(t, "", write(t, "x.txt", text)).Results
		if first, last := r[0], r[len(r)-1]; first.Unit != want.unit || !about(first.Value, want.first, 1e-12) || !about(last.Value, want.last, 1e-12) {
			t.Errorf("%q is %v to %v %s, want %+v", text, first.Value, last.Value, first.Unit, want)
		}
	}
	folder := t.TempDir()
	put(t, folder, "a.txt", "5\n9\n7\n8\n6\n")
	put(t, folder, "sum.txt", "# median minimum maximum\n1 7 5 9\n")
	put(t, folder, "b.txt", "5\n")
	if c := one(t, "", folder); len(c.Results) != 6 || !strings.Contains(strings.Join(c.Manifest.Imported.Notes, "\n"), "sum.txt is the summary of a.txt") {
		t.Errorf("there are %d results, and the notes are %q", len(c.Results), c.Manifest.Imported.Notes)
	}
}

// TestBrokenInFolder holds that a file which cannot be read is named, and the others are read.
func TestBrokenInFolder(t *testing.T) {
	whole := iperf3Doc("TCP", "x", tcpEnd)
	folder := t.TempDir()
	put(t, folder, "a.json", whole)
	put(t, folder, "b.json", whole[:len(whole)/2])
	put(t, folder, "c.json", "")
	put(t, folder, "d.json", `{"version": 1, "test": {}}`)
	put(t, folder, "e.json", "\x1f\x8b and no more")
	put(t, folder, "notes.md", "It was fast.\n")
	if err := os.Mkdir(filepath.Join(folder, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := one(t, "", folder)
	notes := strings.Join(c.Manifest.Imported.Notes, "\n")
	if len(c.Results) != 1 || strings.Contains(notes, "notes.md") {
		t.Errorf("there are %d results, and the notes are %q", len(c.Results), notes)
	}
	for _, want := range []string{"b.json:", "c.json is empty", "d.json is JSON of a kind that weir does not know (its keys: version, test)", "unpack " + folder + "/e.json"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes %q do not say %q", notes, want)
		}
	}
	if _, err := Import("", []string{folder + "/a.json", folder + "/../" + filepath.Base(folder) + "/a.json"}, Options{}); err == nil || !strings.Contains(err.Error(), "is there twice") {
		t.Errorf("the same file twice is %v", err)
	}
}

// TestCutAndChanged holds that a file which is cut anywhere is refused with a message or read
// as far as it is whole, and that one with a changed octet does no harm.
func TestCutAndChanged(t *testing.T) {
	for name, text := range map[string]string{
		"x.json": iperf3Doc("UDP", "x", bothEnd), "y.json": events(tcpEnd), "run.receiver": logOf("Receiving from", "1 Kpps", "2 Kpps"),
		"n.txt": "941 Mbits/sec\n1.02 Gbits/sec\n", "t.json": read(t, "testdata/trex/stats.json"), "c.info.json": read(t, "testdata/csit/mrr.info.json"),
	} {
		for at := 0; at < len(text); at += 10 {
			for what, bad := range map[string]string{"cut": text[:at], "changed": text[:at] + string(rune(text[at]^0x15)) + text[at+1:]} {
				c, err := Given(name, []byte(bad), Options{})
				switch {
				case err != nil && !strings.Contains(err.Error(), name):
					t.Errorf("%s %s at %d: the error %q does not name it", name, what, at, err)
				case err == nil && len(c.Results) == 0:
					t.Errorf("%s %s at %d is imported without a result", name, what, at)
				case err == nil && what == "cut" && strings.HasSuffix(name, ".json") && strings.TrimSpace(text[at:]) != "":
					t.Errorf("%s cut at %d is read", name, at)
				}
			}
		}
	}
}

// TestStrange holds that what is of no known format is called what it looks like.
func TestStrange(t *testing.T) {
	for text, want := range map[string]string{
		`{"version": "0.9", "suite": {}, "meta": 3}`: "JSON of a kind that weir does not know (its keys: version, suite, meta); weir reads netbenches",
		`[{"a": 1}]`:             "(its keys: a)",
		"[1, 2]":                 "(an array without objects)",
		"{\n\"a\": 1,\n\"b\" 2}": "x.bin:3: this is not the JSON that it should be",
		"{\"a\": {\n\"b\":":      "x.bin:2: the JSON that begins in line 1 ends in the middle",
		"<!DOCTYPE html><html>":  "HTML, a page of a site",
		"PK\x03\x04abc":          "a ZIP archive",
		"\xfd7zXZ\x00abc":        "packed with xz",
		"\xd4\xc3\xb2\xa1abc":    "a capture of frames",
		"%PDF-1.4":               "a PDF",
		"\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a\x01\x00": "a capture of frames",
		"\x0a\x0d\x0d\x0a\x00\x00\x00\x1c\x1a\x2b\x3c\x4d\x00\x01": "a capture of frames",
		"\x0a\x0d\x0d\x0a\x0d\x00\x00\x00\x4d\x3c\x2b\x1a\x01\x00": "a capture of frames",
		"name,rate,unit\na,5,6\n":                                  "a table with commas",
		"a\x00b":                                                   "is no text",
	} {
		_, err := Import("", []string{write(t, "x.bin", text)}, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %v, want %q", text, err, want)
		}
	}
}

// TestBareNetperf holds that columns without a word are not taken for the first of them.
func TestBareNetperf(t *testing.T) {
	const rows = "131072  16384  16384    10.00    9415.23   \n131072  16384  16384    10.01    9400.00   \n"
	for text, refused := range map[string]bool{
		rows: true, "87380 16384 16384 10.00 941.23": true, "\n" + rows: false, "1 2 3\n4 5 6\n": false,
		"1 2 3 4.5 6\n": false, rows + "9\n": false, strings.Repeat(rows, 2000): true,
	} {
		path := write(t, "bare.txt", text)
		if _, err := Import("", []string{path}, Options{}); refused != (err != nil) || err != nil && !strings.Contains(err.Error(), "--column 5 is the rate") {
			t.Errorf("%.40q: %v", text, err)
		}
		all, err := Import("", []string{path}, Options{Column: 5, Unit: "bit/s"})
		if refused && (err != nil || all[0].Results[0].Value < 900) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// TestTestsOfCSV holds that each test of a file of iperf -y C is a run.
func TestTestsOfCSV(t *testing.T) {
	const rows = "19700101000000,10.0.0.1,40000,10.0.0.2,5001,1,0.0-1.0,1,100\n19700101000000,10.0.0.1,40001,10.0.0.2,5001,1,0.0-1.0,1,200\n" +
		"19700101000000,10.0.0.1,40002,10.0.0.2,5001,1,0.0-1.0,1,300\n19700101000000,10.0.0.1,40003,10.0.0.2,5001,2,0.0-1.0,1,400\n"
	all, err := Import("", []string{write(t, "some.csv", rows)}, Options{})
	if err != nil || len(all) != 1 {
		t.Fatal(err)
	}
	var got []float64
	for i, r := range all[0].Results {
		if got = append(got, r.Value); r.Run.Number != i+1 {
			t.Errorf("test %d is of run %d", i+1, r.Run.Number)
		}
	}
	if !slices.Equal(got, []float64{100, 200, 700}) {
		t.Errorf("%v", got)
	}
}

// TestArraysInARow holds that a file has all objects of its arrays, and of none.
func TestArraysInARow(t *testing.T) {
	var c weir.Campaign
	for text, want := range map[string]int{
		`[{"a": 1}, {"a": 2}]`: 2, "[{\"a\": 1}]\n[{\"a\": 2}, {\"a\": 3}]\n": 3, `{"a": 1} {"a": 2}`: 2, `{"a": 1}[{"a": 2}]{"a": 3}`: 3,
		`[] [{"a": 1}]`: 1, `[{"a": 1}`: -1, `[{"a": 1}] [{"a": 2}`: -1, `[{"a": 1}]]`: -1, `[{"a": 1}] x`: -1, `[{"a": 1},]`: -1, `[`: -1, `]`: -1,
	} {
		got, err := objects[struct{ A int }](File{Path: write(t, "some.json", text)}, &c)
		if want < 0 && err == nil || want >= 0 && (err != nil || len(got) != want) {
			t.Errorf("%s: %d objects, %v; want %d", text, len(got), err, want)
		}
	}
}

// TestUnitsBesideOptions holds that a unit in a file is believed, and none beside it says another one.
func TestUnitsBesideOptions(t *testing.T) {
	for _, c := range []struct {
		text, option string
		value        float64
		unit         string
		wrong        string
	}{
		{"941 Mbits/sec\n", "", 941e6, "bit/s", ""},
		{"941 Mbits/sec\n", "bit/s", 941e6, "bit/s", ""},
		{"941 Mbits/sec\n", "Mbit/s", 941e6, "bit/s", ""},
		{"941 Mbits/sec\n", "frames/s", 0, "", "x.bin has numbers of Mbits/sec, and --unit says frames/s: leave that out"},
		{"941 Mbits/sec\n", "things", 0, "", "--unit says things"},
		{"1.2 Mpps\n", "pps", 1.2e6, "frames/s", ""},
		{"1.2Mpps\n", "bit/s", 0, "", "x.bin has numbers of Mpps"},
		{"941\n", "bit/s", 941, "bit/s", ""},
		{"941 Mbit\n1.02 Gbit\n", "", 941e6, "bit", ""},
		{"941 Mbits\n", "", 941e6, "bit", ""},
		{"2 KBytes\n", "", 2048, "B", ""},
		{"2 kbytes\n", "", 2000, "B", ""},
		{"941 Mbit\n1.02 Gbit/s\n", "", 0, "", "x.bin:2: a number of Gbit/s, and a number of Mbit in line 1"},
		{"941 Mbit\n", "bit/s", 0, "", "x.bin has numbers of Mbit, and --unit says bit/s"},
	} {
		all, err := Import("", []string{write(t, "x.bin", c.text)}, Options{Unit: c.option})
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%q with --unit %q: %v, want %q", c.text, c.option, err, c.wrong)
			}
			continue
		}
		if err != nil || len(all) != 1 || len(all[0].Results) == 0 {
			t.Errorf("%q with --unit %q: %v", c.text, c.option, err)
			continue
		}
		if r := all[0].Results[0]; r.Value != c.value || r.Unit != c.unit {
			t.Errorf("%q with --unit %q: %v %s", c.text, c.option, r.Value, r.Unit)
		}
	}
}

// TestBrokenNumbersInFolder holds the same of files of numbers, also where they are compared.
func TestBrokenNumbersInFolder(t *testing.T) {
	folder := t.TempDir()
	put(t, folder, "a.txt", "1\n2\n3\n")
	put(t, folder, "b.txt", "4\n5\nfast\n")
	put(t, folder, "c.txt", "7\n8\n9\n")
	put(t, folder, "d.txt", "")
	if _, sets, err := Sets(folder, nil, Options{}); sets != nil || err != nil {
		t.Errorf("the sets are %v, %v", sets, err)
	}
	c := one(t, "", folder)
	if left := Left(*c.Manifest.Imported); len(c.Results) != 6 || len(left) != 2 || !strings.Contains(left[1], `b.txt:3: "fast" is no number`) || !strings.Contains(left[0], "d.txt is empty") {
		t.Errorf("there are %d results, and left out are %q", len(c.Results), left)
	}
}
