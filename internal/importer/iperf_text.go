package importer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
)

// iperfText is what iperf and iperf3 print for people, and the lines of iperf -y C.
var iperfText = Format{
	Name: "iperf", Summary: "what iperf and iperf3 print, also with -y C: each test is a run",
	Recognise: func(f File) bool {
		for line := range strings.Lines(string(f.Head)) {
			if iperfLine.MatchString(line) || iperfRow.MatchString(line) || iperfBegins.MatchString(line) {
				return true
			}
		}
		return false
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("iperf", "bit/s above TCP or UDP that reached the receiver, or that an end sent where it says no more; no forwarding rate and no throughput of RFC 2544", files, o)
		for _, f := range files {
			var all iperfLog
			if err := f.lines(all.read); err != nil {
				return weir.Campaign{}, err
			}
			before := len(c.Results)
			for _, t := range all.tests {
				if results := t.results(armOf(f)); len(results) > 0 {
					add(&c, armOf(f), results...)
				}
			}
			for _, r := range (iperfTest{rows: all.rows}).results(armOf(f)) { // a test each
				add(&c, armOf(f), r)
			}
			if len(c.Results) == before {
				return weir.Campaign{}, fmt.Errorf("%s: no test in it has an end: iperf was cut off, failed, or is still running", f.Path)
			}
		}
		note(&c, "the rates were printed with three digits; the MTU, and so the frame size, was not said")
		began(&c, nil)
		finish(&c, set)
		return c, nil
	},
}

var (
	iperfLine   = regexp.MustCompile(`^\[[ *]*(\d+|SUM)\](?:\[(TX-C|RX-C|TX-S|RX-S)\])? +([\d.]+) *- *([\d.]+) +sec +[\d.]+ [KMGT]?(?:Bytes|bits) +([\d.]+) ([KMGT]?)(bits|Bytes)/sec(.*)$`)
	iperfReport = regexp.MustCompile(`^\[ *\w+\]`) // which stream a line is of
	iperfLost   = regexp.MustCompile(`([\d.]+) ms +(-?\d+)/ *(-?\d+) \(`)
	iperfRow    = regexp.MustCompile(`^\d{14}[^,]*,[^,]*,\d+,[^,]*,\d+,-?\d+,[\d.]+-[\d.]+,\d+,-?\d+`)
	// A test begins with one of these.
	iperfBegins = regexp.MustCompile(`^(?:Connecting to host|Accepted connection from|Client connecting to|Server listening on)`)
	iperfPeers  = regexp.MustCompile(`^\[[ *]*\d+\] local (\S+) port`)
)

// An iperfPart is what one line says of a stream or of all of them.
type iperfPart struct {
	id, way                            string // of a stream, and as "TX-C" what it is to the client or the server
	from, to, rate                     float64
	jitter, lost, packets              float64
	sender, receiver, reported, counts bool // reported: by the other end; counts: it has the loss
}

// An iperfTest is one of a file.
type iperfTest struct {
	parts   []iperfPart
	rows    []string // of -y C
	begun   string   // the line that it began with
	udp     bool
	reverse bool
	family  string
	report  string // the stream of which the server's report follows; "": none
}

// An iperfLog is a file.
type iperfLog struct {
	tests []iperfTest
	rows  []string
}

// read takes a line.
func (l *iperfLog) read(_ int, line string) error {
	line = strings.TrimRight(line, " ")
	if iperfRow.MatchString(line) {
		l.rows = append(l.rows, line)
		return nil
	}
	peers := iperfPeers.FindStringSubmatch(line)
	if begins := iperfBegins.MatchString(line); begins || len(l.tests) == 0 || peers != nil && len(l.tests[len(l.tests)-1].parts) > 0 {
		next := iperfTest{begun: line}
		if !begins && len(l.tests) > 0 {
			last := l.tests[len(l.tests)-1]
			next = iperfTest{begun: last.begun, udp: last.udp}
		}
		l.tests = append(l.tests, next)
	}
	t := &l.tests[len(l.tests)-1]
	t.udp = t.udp || strings.Contains(line, "UDP port") || strings.Contains(line, "Total Datagrams")
	switch {
	case peers != nil:
		t.family = map[bool]string{true: "IPv6", false: "IPv4"}[strings.Contains(peers[1], ":")]
	case strings.HasPrefix(line, "Reverse mode"):
		t.reverse = true
	case strings.Contains(line, "Server Report"):
		t.report = iperfReport.FindString(line)
	}
	m := iperfLine.FindStringSubmatch(line)
	if m == nil || strings.Contains(m[8], "(omitted)") {
		return nil
	}
	p := iperfPart{id: m[1], way: m[2], from: scaled(m[3], ""), to: scaled(m[4], ""), rate: scaled(m[5], m[6])}
	if m[7] == "Bytes" {
		power := map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}[m[6]]
		p.rate = 8 * scaled(m[5], "") * power
	}
	p.sender, p.receiver, p.reported = strings.HasSuffix(line, "sender"), strings.HasSuffix(line, "receiver"), t.report != "" && iperfReport.FindString(line) == t.report
	if p.reported {
		t.report = ""
	}
	if lost := iperfLost.FindStringSubmatch(m[8]); lost != nil {
		p.counts, p.jitter = true, scaled(lost[1], "")/1e3
		p.lost, p.packets = signed(lost[2]), signed(lost[3])
	}
	t.parts = append(t.parts, p)
	return nil
}

// signed is a whole number, of which the expressions above admit no others.
func signed(digits string) float64 {
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0
	}
	return v
}

// results are one for each direction of a test; none where it has no end.
func (t iperfTest) results(name string) (out []weir.Result) {
	if t.rows != nil {
		return t.ofRows(name)
	}
	ways := map[string][]iperfPart{}
	ended := slices.ContainsFunc(t.parts, func(p iperfPart) bool { return p.sender || p.receiver })
	longest := 0.
	for _, p := range t.parts {
		longest = max(longest, p.to)
	}
	for _, p := range t.parts {
		if !ended && p.from == 0 && p.to < .8*longest {
			continue // a part of a test whose end is not there
		}
		if p.from == 0 && (!ended || p.sender || p.receiver) {
			ways[p.way] = append(ways[p.way], p)
		}
	}
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		parts := ways[way]
		arrived := total(parts, func(p iperfPart) bool { return p.receiver || p.reported })
		sent := total(parts, func(p iperfPart) bool { return !p.receiver && !p.reported })
		if !ended && strings.HasPrefix(t.begun, "Server listening") {
			arrived = sent
		}
		protocol := map[bool]string{true: "UDP", false: "TCP"}[t.udp]
		r := weir.Result{Claim: weir.PublishedAs(protocol + " goodput"), Value: arrived.rate, TrialSeconds: arrived.to, Unit: "bit/s"}
		if arrived.to == 0 {
			r.Claim, r.Value, r.TrialSeconds = weir.PublishedAs(protocol+" rate sent"), sent.rate, sent.to
		}
		direction := map[bool]string{true: "reverse", false: "forward"}[t.reverse != (way == "RX-C" || way == "TX-S")]
		r.Factors = weir.Factors{set: name, "protocol": protocol, "direction": direction, "streams": fmt.Sprint(streams(t.parts))}
		if t.family != "" {
			r.Factors["family"] = t.family
		}
		if arrived.counts && arrived.packets > 0 {
			r.LossRatio = arrived.lost / arrived.packets
			r.Figures = []weir.Figure{{Name: weir.Jitter, Value: arrived.jitter, Unit: "s"}}
		}
		judge(&r, facts{})
		out = append(out, r)
	}
	return out
}

// streams is how many there are among the parts of a test.
func streams(parts []iperfPart) int {
	ids := map[string]bool{}
	for _, p := range parts {
		if p.id != "SUM" {
			ids[p.id] = true
		}
	}
	return max(1, len(ids))
}

// total is the longest part of all streams together, of those that count: their sum where
// it is said, and else that of each.
func total(parts []iperfPart, counts func(iperfPart) bool) (all iperfPart) {
	longest := map[string]iperfPart{}
	for _, p := range parts {
		if counts(p) && p.to >= longest[p.id].to {
			longest[p.id] = p
		}
	}
	sum, summed := longest["SUM"]
	if summed && sum.counts {
		return sum
	}
	delete(longest, "SUM")
	for _, p := range longest {
		all.rate += p.rate
		all.lost += p.lost
		all.packets += p.packets
		all.to, all.jitter, all.counts = max(all.to, p.to), max(all.jitter, p.jitter), all.counts || p.counts
	}
	if summed { // that of UDP says nothing of jitter, and each stream what it has lost
		all.rate, all.to = sum.rate, sum.to
	}
	return all
}

// csvRow is a row of -y C from the begin of a test.
type csvRow struct {
	fields []string
	began  time.Time // none where the version writes no times
	end    float64   // s from then on
}

func csvRowOf(f []string) csvRow {
	_, to, _ := strings.Cut(f[6], "-")
	r := csvRow{fields: f, end: scaled(to, "")}
	if at, err := time.Parse("20060102150405", f[0][:min(len(f[0]), 14)]); err == nil && at.Year() > 1970 {
		r.began = at.Add(-time.Duration(r.end * float64(time.Second)))
	}
	return r
}

// peers are the ends of a stream, and its number.
func (r csvRow) peers() string { return strings.Join(r.fields[1:6], ",") }

// atOnce reports whether two rows are of streams of one client to one port that began at the same time,
// within what they round and half of their length; where there are no times, the port has to say it.
func (r csvRow) atOnce(o csvRow) bool {
	const own, ownPort, other, otherPort = 1, 2, 3, 4
	switch {
	case r.began.IsZero() || o.began.IsZero():
		return r.fields[otherPort] == o.fields[otherPort]
	case r.fields[own] != o.fields[own] || r.fields[other] != o.fields[other]:
		return false
	case r.fields[otherPort] != o.fields[otherPort] && r.fields[ownPort] != o.fields[ownPort]: // the other way of a test both ways
		return false
	}
	most := min(1500*time.Millisecond, time.Duration(min(r.end, o.end)/2*float64(time.Second)))
	return r.began.Sub(o.began).Abs() <= most
}

// ofRows are the results of -y C, one for each test: the last row from 0 of each stream, or
// those of all streams together (-1). It does not say which end it is.
func (t iperfTest) ofRows(name string) (out []weir.Result) {
	var ended []csvRow // the last of each stream and test
	at := map[string]int{}
	for _, row := range t.rows {
		f := strings.Split(row, ",")
		if !strings.HasPrefix(f[6], "0.0") {
			continue
		}
		r := csvRowOf(f)
		if i, known := at[r.peers()]; known && r.end > ended[i].end && r.atOnce(ended[i]) {
			ended[i] = r // of the same test, which goes on
			continue
		}
		at[r.peers()] = len(ended)
		ended = append(ended, r)
	}
	for len(ended) > 0 {
		n := streamsOf(ended)
		out = append(out, ofStreams(ended[:n], name))
		ended = ended[n:]
	}
	return out
}

// csvSum is the number of what all streams did together.
const csvSum = "-1"

// streamsOf is how many rows from the first on are of streams of one test, with their sum.
func streamsOf(rows []csvRow) int {
	const id = 5
	seen := map[string]bool{}
	for n, r := range rows {
		if seen[r.fields[id]] || seen[csvSum] || n > 0 && r.fields[id] != csvSum && !r.atOnce(rows[0]) {
			return n
		}
		seen[r.fields[id]] = true
	}
	return len(rows)
}

// ofStreams is the result of a test: the sum that it says, or that of its streams.
func ofStreams(rows []csvRow, name string) weir.Result {
	if last := rows[len(rows)-1]; last.fields[5] == csvSum {
		rows = []csvRow{last}
	}
	r := weir.Result{Claim: weir.PublishedAs("rate at one end"), Unit: "bit/s", Factors: weir.Factors{set: name}}
	lost, packets, jitter := 0., 0., 0.
	for _, row := range rows {
		f := row.fields
		r.Value += signed(f[8])
		r.TrialSeconds = max(r.TrialSeconds, row.end)
		if len(f) >= 13 {
			lost, packets, jitter = lost+signed(f[10]), packets+signed(f[11]), max(jitter, signed(f[9])/1e3)
		}
	}
	if packets > 0 {
		r.Claim, r.LossRatio = weir.PublishedAs("UDP goodput"), lost/packets
		r.Figures = []weir.Figure{{Name: weir.Jitter, Value: jitter, Unit: "s"}}
	}
	judge(&r, facts{})
	return r
}
