package importer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"weir"
)

// netperf is what netperf prints: its tables, also with -v 2, and the names and values of
// its omni tests.
var netperf = Format{
	Name: "netperf", Summary: "what netperf prints, tables and KEY=VALUE: each test is a run",
	Recognise: func(f File) bool { return netperfTitle.Match(f.Head) || netperfPair.Match(f.Head) },
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("netperf", "bit/s above TCP or UDP, or transactions/s; no forwarding rate and no throughput of RFC 2544", files, o)
		for _, f := range files {
			var tests []netperfTest
			err := f.lines(func(n int, line string) error {
				if m := netperfTitle.FindStringSubmatch(line); m != nil || len(tests) == 0 {
					tests = append(tests, netperfTest{line: n})
				}
				tests[len(tests)-1].read(line)
				return nil
			})
			if err != nil {
				return weir.Campaign{}, err
			}
			for _, t := range tests {
				r, ok := t.result(armOf(f))
				switch {
				case ok:
					add(&c, armOf(f), r)
				case t.title != "" || len(tests) == 1:
					return weir.Campaign{}, fmt.Errorf("%s:%d: the test has no result: it failed or was cut off, or prints columns (-O) that weir does not read; let it print pairs (-k THROUGHPUT,THROUGHPUT_UNITS,ELAPSED_TIME)", f.Path, t.line)
				}
			}
		}
		note(&c, "the MTU, and so the frame size, was not said")
		began(&c, nil)
		finish(&c, set)
		return c, nil
	},
}

var (
	netperfTitle = regexp.MustCompile(`(?m)^(?:MIGRATED )?([A-Za-z/ ]+?) (?:TEST|Test) from .*$`)
	netperfPair  = regexp.MustCompile(`(?m)^THROUGHPUT(?:_UNITS)?=.*$`)
	netperfUnit  = regexp.MustCompile(`(10\^\d+bits/s(?:ec)?|[KMG]?Bytes/s(?:ec)?|per sec|Trans/s)`)
)

// A netperfTest is one of a file.
type netperfTest struct {
	line          int // that it begins in
	title, family string
	unit          unit
	rows          [][]float64 // of numbers alone, below the unit
	pairs         map[string]string
}

// read takes a line of a test.
func (t *netperfTest) read(line string) {
	if m := netperfTitle.FindStringSubmatch(line); m != nil {
		t.title = m[1]
		t.family = map[bool]string{true: "IPv6", false: "IPv4"}[strings.Contains(line, "AF_INET6")]
		return
	}
	if key, value, ok := strings.Cut(line, "="); ok && strings.ToUpper(key) == key && !strings.Contains(key, " ") {
		if t.pairs == nil {
			t.pairs = map[string]string{}
		}
		t.pairs[key] = strings.TrimSpace(value)
		return
	}
	if word := netperfUnit.FindString(line); word != "" && t.unit.name == "" {
		if word == "per sec" {
			word = "trans/s"
		}
		t.unit, _ = unitOf(strings.Replace(word, "Trans/", "trans/", 1))
		return
	}
	var row []float64
	for _, word := range strings.Fields(line) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return
		}
		row = append(row, v)
	}
	if len(row) > 0 && t.unit.name != "" {
		t.rows = append(t.rows, row)
	}
}

// result is that of a test; false where it has none.
func (t netperfTest) result(name string) (weir.Result, bool) {
	r := weir.Result{Factors: weir.Factors{set: name, "direction": "forward"}}
	if t.family != "" {
		r.Factors["family"] = t.family
	}
	if strings.Contains(t.title, "MAERTS") {
		r.Factors["direction"] = "reverse"
	}
	value, u, seconds := 0., t.unit, 0.
	title := strings.TrimSpace(t.title)
	switch {
	case t.pairs["THROUGHPUT"] != "":
		word := strings.Replace(t.pairs["THROUGHPUT_UNITS"], "Trans/", "trans/", 1)
		known := false
		if u, known = unitOf(word); !known {
			u = unit{name: weir.UnknownUnit, scale: 1}
		}
		value, seconds = signed(t.pairs["THROUGHPUT"]), signed(t.pairs["ELAPSED_TIME"])
		title = strings.TrimSpace(t.pairs["PROTOCOL"])
	case len(t.rows) == 0:
		return r, false
	case strings.HasPrefix(title, "UDP STREAM") && len(t.rows[0]) >= 6:
		// The second row is that of the receiver; without it nothing is known of the loss.
		sent := t.rows[0]
		value, seconds = sent[5], sent[2]
		r.Figures = []weir.Figure{{Name: "sent", Value: sent[5] * u.scale, Unit: u.name}, {Name: "datagram size", Value: sent[1], Unit: "octets"}}
		if len(t.rows) > 1 && len(t.rows[1]) >= 4 {
			value = t.rows[1][3]
			r.LossRatio = 1 - t.rows[1][2]/max(1, sent[3])
		}
	case len(t.rows[0]) >= 6 && u.name == "transactions/s":
		value, seconds = t.rows[0][5], t.rows[0][4]
	case len(t.rows[0]) >= 5:
		value, seconds = t.rows[0][4], t.rows[0][3]
	default:
		return r, false
	}
	if u.name == "B/s" {
		u.name, u.scale = "bit/s", 8*u.scale
	}
	kind := "goodput"
	if u.name == "transactions/s" {
		kind = "transactions"
	}
	protocol, _, _ := strings.Cut(title, " ")
	r.Claim = weir.PublishedAs(strings.TrimSpace(protocol + " " + kind))
	r.Value, r.Unit, r.TrialSeconds = value*u.scale, u.name, seconds
	judge(&r, facts{})
	return r, true
}
