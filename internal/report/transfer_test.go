package report

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/testenv/samples"
)

// Nobody reads of frames where there were none, and what was not measured is no 0.
func TestTransfersAreNoFrames(t *testing.T) {
	bad := regexp.MustCompile(`kpps|frame_size=|streams (direction|near|forward|reverse|frames)|frame size|octet frames|(?m)^  streams|direction forward`)
	for name, c := range map[string]weir.Campaign{"arms": sampleGbit(), "ends": sampleNICs(), "once": sampleOnce()} {
		for _, format := range []string{"text", "markdown", "html", "benchfmt"} {
			text := render(t, format, c)
			if i := strings.Index(text, "<main>"); i > 0 {
				text, _, _ = strings.Cut(text[i:], `id="manifest"`)
			}
			if found := bad.FindString(text); found != "" {
				t.Errorf("%s of %s says %q:\n%s", format, name, found, text)
			}
		}
	}
	bench := render(t, "benchfmt", sampleOnce())
	if strings.Contains(bench, "Smb") || strings.Contains(bench, " 0 bit/s") || strings.Count(bench, "BenchmarkNetperf") != 2 || strings.Count(bench, "BenchmarkTcp/streams=4/mtu=9000 ") != 1 {
		t.Errorf("what was not measured is a sample:\n%s", bench)
	}
	if csv := render(t, "csv", sampleOnce()); strings.Count(csv, "1500,,bit/s,,,") != 3 || strings.Count(csv, "9000,,bit/s,,,") != 3 {
		t.Errorf("the value of what was not measured is not empty:\n%s", csv)
	}
}

func TestTransferHeadlines(t *testing.T) {
	for _, c := range []struct {
		campaign weir.Campaign
		want     string
	}{
		{sampleGbit(), `^stateful nftables costs [0-9.]+ % \+/- [0-9.]+ % of netperf's (goodput|transaction rate) \(TCP_[A-Z]+, (forward|reverse)\); proven, 6 runs a side\nCompared with firewall none`},
		{sampleNICs(), `^MTU 9000 gains [0-9.]+ % \+/- [0-9.]+ % of FTP's goodput \(forward, server at the (source|target)\); proven, 5 runs a side\nCompared with MTU 1500`},
	} {
		text := regexp.MustCompile(`\n  `).ReplaceAllString(render(t, "text", c.campaign), " ")
		if !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("want %s, got:\n%s", c.want, text[:min(400, len(text))])
		}
	}
	only := func(r weir.Result) weir.Campaign { return weir.Campaign{Results: []weir.Result{r}} }
	base := weir.Result{Method: "ftp", Unit: "bit/s", Value: 295.2e6, Factors: weir.Factors{"frame_size": "streams", "direction": "reverse"}, Transfer: &weir.Transfer{Program: "ftp", Files: 13}}
	missing := weir.Result{Method: "netperf", Unit: "bit/s", Factors: weir.Factors{"frame_size": "streams"}, Unmeasured: "netperf is not installed"}
	rr := weir.Result{Method: "netperf", Unit: "transactions/s", Value: 12345, Factors: weir.Factors{"frame_size": "streams"}, Transfer: &weir.Transfer{Program: "netperf", Test: "TCP_RR"}}
	fast := weir.Result{Method: "tcp", Unit: "bit/s", Value: 21.34e9, Factors: weir.Factors{"frame_size": "streams"}, Transfer: &weir.Transfer{Program: "tcp"}}
	for _, c := range []struct {
		r    weir.Result
		want string
	}{
		{base, "This box carries 36.9 MB/s (295 Mbit/s) of FTP (far -> near)."},
		{missing, "netperf (near -> far) was not measured: netperf is not installed."},
		{rr, "This box carries 12,345 transactions/s of netperf (TCP_RR, near -> far)."},
		{fast, "This box carries 21.3 Gbit/s of TCP (near -> far)."},
	} {
		if got := figures.Headline(only(c.r), figures.GridOf(only(c.r))).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A table of source and target has the cells of the third seed, with the numbers
// of notes where one has none or is doubtful.
func TestSourceAndTarget(t *testing.T) {
	m := figures.TransfersOf(viewOf(sampleOnce()).Grid).Matrix()
	if got := document.InWords(m.Rows[1]); !slices.Equal(got[:6], []string{"far -> near, MTU 1500", got[1], got[2], "- ^2", got[4], "- ^1"}) || !strings.HasSuffix(got[4], ") ^3") {
		t.Errorf("the row is %q", got)
	}
	want := []string{"not tested, because: smbd is not installed: install the package samba", "broke off: the server was killed"}
	if len(m.Notes) != 4 || !slices.Equal(m.Notes[:2], want) || !strings.HasPrefix(m.Notes[2], "disk-bound: it moved ") {
		t.Errorf("the notes are %q", m.Notes)
	}
	if last := m.Rows[1][len(m.Rows[1])-1].Text; last != "netperf TCP_RR broke off; FTP disk-bound; SMB not tested" {
		t.Errorf("the remark is %q", last)
	}
}

// A peak is told beside the rate, and is none; a transfer that jumps is drawn.
func TestPeaksAndFlutter(t *testing.T) {
	v := viewOf(sampleNICs())
	list := figures.TransfersOf(v.Grid).Courses()
	table, note := figures.SecondsTable(list)
	jumps := 0
	for _, row := range table.Rows {
		if row[7].Text == "unstable" {
			jumps++
			if row[1].Text != "SMB" || row[5].Text == "0" {
				t.Errorf("unstable is %q", row)
			}
		}
		if row[6].Text != figures.Missing && row[6].Text == row[2].Text {
			t.Errorf("the peak is the rate: %q", row)
		}
	}
	if jumps != 2 || !strings.Contains(note, "not reproducible") || !strings.Contains(note, "other transfers") {
		t.Errorf("%d are unstable, and the note is %q", jumps, note)
	}
	charts := figures.UnstablePlots(list)
	if len(charts) != 2 || len(charts[0].Series) != 4 || len(charts[0].Series[0].Points) != 7 || len(charts[0].Rules) > 0 {
		t.Fatalf("%d charts", len(charts))
	}
	if page := render(t, "html", sampleNICs()); !strings.Contains(page, `>Peaks and flutter<`) || strings.Count(page, `<sup>`) < 8 {
		t.Error("the page has no peaks, or no notes")
	}
}

// Two transfers of one program are told apart by what differs.
func TestTransfersOfOneProgram(t *testing.T) {
	small, large := weir.Transfer{Program: "ftp", Files: 100, FileSize: 1e6, Storage: weir.Memory}, weir.Transfer{Program: "ftp", Files: 13, FileSize: 19e8, Storage: weir.Disk}
	c := transferCampaign(samples.Firewalls[:2], samples.FirewallFactor(), nil, 5, []moved{
		{method: "ftp", transfer: small, unit: "bit/s", rate: steadyRate(1e8)}, {method: "ftp", transfer: large, unit: "bit/s", rate: steadyRate(3e8)},
		{method: "tcp", unit: "bit/s", rate: steadyRate(4e8)}, {method: "tcp", transfer: weir.Transfer{Streams: 4}, unit: "bit/s", rate: steadyRate(5e8)},
		{method: "udp", transfer: weir.Transfer{WarmUp: time.Second}, unit: "bit/s", rate: steadyRate(6e8)}, {method: "udp", transfer: weir.Transfer{WarmUp: 5 * time.Second}, unit: "bit/s", rate: steadyRate(7e8)},
	})
	text := render(t, "text", c)
	for _, want := range []string{"FTP, 100 x 1 MB, memory", "FTP, 13 x 1.90 GB, disk", "TCP, 4 streams", "UDP, warm-up 1 s", "UDP, warm-up 5 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	p, err := proof.Of(c)
	if err != nil {
		t.Fatal(err)
	}
	m := newStudy(p).matrices()[0]
	for i, want := range []float64{100, 300, 400, 500, 600, 700} {
		if got, err := strconv.ParseFloat(m.Rows[0][1+2*i].Text, 64); err != nil || math.Abs(got/want-1) > .02 {
			t.Errorf("cell %d is %s, want about %v", i, m.Rows[0][1+2*i].Text, want)
		}
	}
}
