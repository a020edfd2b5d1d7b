package method

import (
	"os"
	"strings"
	"testing"

	"weir"
)

func TestSatisfies(t *testing.T) {
	for _, tt := range []struct {
		have, demanded string
		want           bool
	}{
		{"FRMOL", "FRMOL", true},
		{"FRMOL", "loss curve", false},
		{"FRMOL", "forwarding rate", true},
		{"loss curve", "FRMOL", true},
		{"RFC 2544 frame loss rate", "loss curve", true},
		{"loss curve", "RFC 2544 frame loss rate", false},
		{"loss curve, short trials", "loss curve", false},
		{"RFC 5180 frame loss rate", "RFC 2544 frame loss rate", false},
		{"RFC 2544 throughput", "RFC 2544 frame loss rate", false},
		{"throughput, short trials", "RFC 5180 frame loss rate", false},
		{"RFC 2544 suite", "RFC 2544 frame loss rate", true},
		{"RFC 2544 suite", "RFC 5180 throughput", false},
		{"throughput, short trials", "loss curve", true},
		{"throughput, short trials", "RFC 2544 throughput", false},
		{"throughput, short trials, exceed ratio 50 %", "throughput, short trials", false},
		{"throughput, short trials", "throughput, short trials, exceed ratio 50 %", true},
		{"throughput, at least", "throughput, short trials", true},
		{"throughput, short trials", "rate at 0.5 % loss", true},
		{"rate at 0.1 % loss", "rate at 0.5 % loss", true},
		{"rate at 0.5 % loss", "rate at 0.1 % loss", false},
		{"rate at 0.5 % loss", "throughput, short trials", false},
		{"rate at 0.1 % loss, exceed ratio 50 %", "rate at 0.5 % loss", false},
		{"MLRsearch goal 60s/120s/0 %/50 %", "MLRsearch goal", true},
		{"MLRsearch goal 60s/120s/0 %/50 %", "MLRsearch goal 1s/21s/0.5 %/50 %", true},
		{"MLRsearch goal 1s/21s/0.5 %/50 %", "MLRsearch goal 60s/120s/0.5 %/50 %", false},
		{"MLRsearch goal 1s/21s/0.5 %/50 %", "throughput, short trials", false},
		{"MLRsearch goal 1s/21s/0 %/0 %", "throughput, short trials", true},
		{"MLRsearch goal 60s/60s/0 %/0 %, irregular", "MLRsearch goal", false},
		{"RFC 2544 throughput", "MLRsearch goal 60s/60s/0 %/0 %", true},
		{"RFC 2544 throughput", "throughput, short trials", true},
		{"RFC 2544 throughput", "RFC 2544 suite", false},
		{"RFC 2544 suite", "RFC 2544 throughput", true},
		{"RFC 5180 throughput", "RFC 2544 throughput", false},
		{"RFC 5180 throughput", "MLRsearch goal", true},
		{"RFC 2544 latency", "latency, short stream", true},
		{"latency, short stream", "latency", false},
		{"RFC 2544 latency", "RFC 2544 throughput", false},
		{"RFC 2544 throughput", "RFC 2544 latency", false},
		{"RFC 9004 back-to-back", "back-to-back", true},
		{"RFC 9004 back-to-back", "RFC 2544 back-to-back", false},
		{"RFC 6349 TCP throughput", "TCP goodput", true},
		{"RFC 6349 TCP throughput", "TCP goodput, short trials", true},
		{"TCP goodput", "RFC 6349 TCP throughput", false},
		{"TCP goodput, short trials", "TCP goodput", false},
		{"UDP goodput", "TCP goodput", false},
		{"file transfer, not verified", "file transfer", false},
		{"search not ended", "FRMOL", false},
		{"no load met the goal", "rate at 5 % loss", false},
		{"rate, not confirmed by its trials", "FRMOL", false},
	} {
		if got := Satisfies(weir.Claim{Name: tt.have}, tt.demanded); got != tt.want {
			t.Errorf("%q satisfies %q: %v, want %v", tt.have, tt.demanded, got, tt.want)
		}
		if !CanEarn(tt.demanded) {
			t.Errorf("%q does not exist", tt.demanded)
		}
	}
	for _, name := range []string{"", "throughput", "NDR", "rate at P % loss", "rate at 101 % loss", "rate at 1 % loss, exceed ratio x", "throughput, very good",
		"MLRsearch goal 1s/21s", "MLRsearch goal 1s/21s/0.5/50 %", "search not ended", "RFC 2544"} {
		if CanEarn(name) {
			t.Errorf("%q can be asked for", name)
		}
	}
}

// Each name of the ladder satisfies those below it, and each that is listed
// exists.
func TestNames(t *testing.T) {
	filled := map[string]string{"rate at P % loss": "rate at 0.5 % loss", "MLRsearch goal FINAL/SUM/LOSS %/EXCEED %": "MLRsearch goal 1s/21s/0 %/0 %"}
	for _, name := range Names() {
		if real, ok := filled[name]; ok {
			name = real
		}
		if !CanEarn(name) {
			t.Errorf("%q is listed and does not exist", name)
		}
	}
	steps := []string{"FRMOL", "loss curve", "throughput, short trials", "MLRsearch goal 1s/21s/0 %/0 %", "RFC 2544 throughput", "RFC 2544 suite"}
	for i, have := range steps {
		for j, demanded := range steps {
			if got := Satisfies(weir.Claim{Name: have}, demanded); got != (i >= j) {
				t.Errorf("%q satisfies %q: %v", have, demanded, got)
			}
		}
	}
}

// The names are documented.
func TestDocumentedNames(t *testing.T) {
	text, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		if !strings.Contains(string(text), strings.TrimSuffix(name, " FINAL/SUM/LOSS %/EXCEED %")) {
			t.Errorf("docs/claims.md has no name %q", name)
		}
	}
}

// All methods but the profile, which claims nothing, have a checklist, and without a
// trial it says so.
func TestChecklists(t *testing.T) {
	for _, m := range All() {
		want := "nothing measured"
		if m.Name == "profile" {
			want = m.Name
		}
		if got := Claim(weir.Result{Method: m.Name}, nil).Name; got != want {
			t.Errorf("%s without trials is called %q", m.Name, got)
		}
	}
	if got := Claim(weir.Result{Method: "unheard-of"}, nil).Name; got != "unheard-of" {
		t.Errorf("a method that is not known claims %q", got)
	}
}
