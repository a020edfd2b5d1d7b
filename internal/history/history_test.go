package history

import (
	"slices"
	"strings"
	"testing"

	"weir"
)

func all(t *testing.T) []Row {
	t.Helper()
	rows, err := Rows()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestEveryRowHasItsDocument holds the purpose of the table: no number without
// its document and without what that did not say.
func TestEveryRowHasItsDocument(t *testing.T) {
	docs, err := Documents()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]int{}
	for i, r := range all(t) {
		used[r.Document]++
		if r.Value <= 0 || r.To != 0 && r.To <= r.Value {
			t.Errorf("row %d is from %v to %v", i+1, r.Value, r.To)
		}
		if len(r.Unsaid) < 3 || slices.Contains(r.Unsaid, "") {
			t.Errorf("row %d does not say what its document left out: %q", i+1, r.Unsaid)
		}
		if r.Year < 2003 || r.Year > 2017 || r.Hardware == "" || r.System == "" || r.Measured == "" || !slices.Contains([]string{"kpps", "Mbit/s", "MB/s"}, r.Unit) {
			t.Errorf("row %d is %+v", i+1, r)
		}
	}
	for _, d := range docs {
		if used[d.ID] == 0 || d.Title == "" || d.Author == "" || d.Date == "" || len(d.Unsaid) == 0 {
			t.Errorf("the document %q has %d rows: %+v", d.ID, used[d.ID], d)
		}
	}
}

// TestPublished compares numbers here and there with their documents.
func TestPublished(t *testing.T) {
	rows := all(t)
	for _, c := range []struct {
		document, system, measured, direction, firewall string
		value, to                                       float64
		cpu                                             string
	}{
		{"gbit", "FreeBSD 7.0 BETA2 AMD64", "netperf -l 60 -t TCP_STREAM", "em1 to em0", "pf", 933, 0, "60%"},
		{"gbit", "OpenBSD 4.2 AMD64", "netperf -l 60 -t TCP_STREAM", "em1 to em0", "pf", 891, 0, "55%"},
		{"gbit", "NetBSD 4.0 RC3 i386", "iperf -t 60 -P 3", "em0 to em1", "none", 903, 0, "100%"},
		{"gbit", "Linux 2.6.21.5 i686", "iperf -t 60 -P 3", "em1 to em0", "none", 936, 0, ""},
		{"exotic", "FreeBSD 4.10, ia32", "packets passed, minimal UDP packets", "", "", 550, 0, ""},
		{"pppoe", "FreeBSD 5.1-RELEASE at both ends", "netperf TCP_STREAM over PPPoE, ppp(8), PPPoE server on pandora", "pandora to dual", "", 41.25, 0, ""},
		{"bench-router", "FreeBSD, TSO and LRO disabled", "pkt-gen, packets forwarded", "", "", 1734.8632, 0, ""},
		{"nic-log", "Mac OS X 10.3.9 and SuSE Linux 9.2", "SMB, 13 files of 1.9 GB", "left to right", "", .4, 2.6, ""},
	} {
		if !slices.ContainsFunc(rows, func(r Row) bool {
			return r.Document == c.document && r.System == c.system && r.Measured == c.measured && r.Direction == c.direction &&
				r.Firewall == c.firewall && r.Value == c.value && r.To == c.to && r.CPU == c.cpu
		}) {
			t.Errorf("there is no row %+v", c)
		}
	}
	for _, r := range rows {
		if r.Document == "nic-log" && !strings.Contains(r.Note, "cannot be told apart") && !strings.HasPrefix(r.Note, "mean") {
			t.Errorf("%s of %s does not say that peaks and averages cannot be told apart: %s", r.Number(), r.Hardware, r.Note)
		}
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return strings.HasPrefix(r.System, "Linux 2.6.21") && r.Firewall == "pf" }) {
		t.Error("Linux was not measured with pf")
	}
}

func TestOwn(t *testing.T) {
	result := func(size any, unit string, value float64) weir.Result {
		return weir.Result{Method: "throughput", Factors: weir.Factors{"frame_size": size}, Unit: unit, Value: value, Claim: weir.Claim{Name: "RFC 2544 throughput"}}
	}
	c := weir.Campaign{Results: []weir.Result{
		result(64, "frames/s", 9e5), result(float64(64), "frames/s", 1.1e6), result(1518, "frames/s", 8e4), result("imix", "frames/s", 3e5), result(64, "s", 1e-5),
	}}
	own := OwnOf(c)
	if len(own) != 1 || own[0].Value != 1000 || own[0].Unit != "kpps" || own[0].Runs != 2 {
		t.Fatalf("the own numbers are %+v", own)
	}
	beside, apart := 0, 0
	for _, r := range all(t) {
		ok, why := r.Comparable(own[0])
		if why == "" {
			t.Errorf("nothing is said of %+v", r)
		}
		if ok != (r.Unit == "kpps") {
			t.Errorf("%s beside kpps is %v", r.Unit, ok)
		}
		if ok {
			beside++
		} else {
			apart++
		}
	}
	if beside != 10 || apart == 0 {
		t.Errorf("%d numbers stand beside the own one, and %d do not", beside, apart)
	}
}
