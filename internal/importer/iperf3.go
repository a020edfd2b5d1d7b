package importer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"weir"
)

// iperf3 is what iperf3 -J and --json-stream write: one test an object or a row of events,
// and several of them in the file of a server.
var iperf3 = Format{
	Name: "iperf3", Summary: "what iperf3 -J and --json-stream write, TCP and UDP: each test is a run",
	Recognise: func(f File) bool {
		return f.isJSON("start") && (f.isJSON("test_start") || f.isJSON("connected") || f.isJSON("intervals")) || f.isJSON("event", "data")
	},
	Read: func(files []File, o Options) (weir.Campaign, error) {
		c := begin("iperf3", "goodput: bit/s that reached the receiver above TCP or UDP, headers left out; no forwarding rate and no throughput of RFC 2544", files, o)
		var times []time.Time
		seen := map[string]string{} // the file of a test, by its cookie
		for _, f := range files {
			read, err := objects[iperf3Object](f, &c)
			if err != nil {
				return weir.Campaign{}, err
			}
			tests, err := iperf3Tests(read)
			if err != nil {
				return weir.Campaign{}, fmt.Errorf("%s: %w", f.Path, err)
			}
			for i, t := range tests {
				if t.Error != "" && len(tests) > 1 {
					note(&c, "test %d of %s was left out: it failed; iperf3 says %q", i+1, f.base(), t.Error)
					continue
				}
				if other, twice := seen[t.Start.Cookie]; twice && len(t.Start.Cookie) >= cookieLength {
					note(&c, "%s and %s hold the same test, seen from both ends or copied: it counts once", other, f.base())
					continue
				}
				results, err := t.results(armOf(f))
				if err != nil {
					return weir.Campaign{}, fmt.Errorf("%s: %w", f.Path, err)
				}
				seen[t.Start.Cookie] = f.base()
				add(&c, armOf(f), results...)
				if s := t.Start.Timestamp.Seconds; s > 0 {
					times = append(times, time.Unix(s, 0))
				}
				if t.Start.Test.Protocol != "UDP" {
					note(&c, "TCP adapts its load, so that it has none that was intended")
				}
			}
		}
		if len(c.Results) == 0 {
			return weir.Campaign{}, fmt.Errorf("%s: no test in it has a result", files[0].Path)
		}
		note(&c, "the MTU, and so the frame size, was not said")
		began(&c, times)
		finish(&c, set)
		return c, nil
	},
}

// cookieLength is how long the cookies of tests are that iperf3 draws by chance.
const cookieLength = 30

// iperf3Object is a test, or an event of one.
type iperf3Object struct {
	iperf3Test
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
}

// iperf3Tests puts the tests of events together.
func iperf3Tests(read []iperf3Object) ([]iperf3Test, error) {
	var out []iperf3Test
	var open *iperf3Test // of which there was no end yet
	seconds, streamed := 0, false
	cutOff := func() error {
		if open == nil {
			return nil
		}
		return fmt.Errorf("the test has no end: its events (--json-stream) end after %d intervals; it was cut off, or is still running", seconds)
	}
	for _, o := range read {
		var err error
		switch o.Event {
		case "":
			if err := cutOff(); err != nil {
				return nil, err
			}
			if n := len(out); streamed && n > 0 && out[n-1].Start.same(o.Start) {
				continue // --json-stream-full-output repeats the whole test behind its events
			}
			out, streamed = append(out, o.iperf3Test), false
		case "start":
			if err := cutOff(); err != nil {
				return nil, err
			}
			open, seconds = new(iperf3Test), 0
			err = json.Unmarshal(o.Data, &open.Start)
		case "interval":
			seconds++
		case "error":
			if open == nil {
				open = new(iperf3Test)
			}
			err = json.Unmarshal(o.Data, &open.Error)
		case "end":
			if open == nil {
				return nil, fmt.Errorf("there is an end without a start: the beginning of the events (--json-stream) is missing")
			}
			if err = json.Unmarshal(o.Data, &open.End); err == nil {
				out, open, streamed = append(out, *open), nil, true
			}
		}
		if err != nil {
			return nil, fmt.Errorf("the event %q is not as iperf3 writes it: %w", o.Event, err)
		}
	}
	if open != nil && open.Error != "" {
		return append(out, *open), nil
	}
	return out, cutOff()
}

// iperf3Test is what is taken of one object.
type iperf3Test struct {
	Error string      `json:"error"`
	Start iperf3Start `json:"start"`
	End   iperf3End   `json:"end"`
}

type iperf3Start struct {
	Cookie    string `json:"cookie"`
	Connected []struct {
		Local string `json:"local_host"`
	} `json:"connected"`
	Timestamp struct {
		Seconds int64 `json:"timesecs"`
	} `json:"timestamp"`
	Test struct {
		Protocol string  `json:"protocol"`
		Streams  int     `json:"num_streams"`
		Duration float64 `json:"duration"`
		Block    int     `json:"blksize"`
		Reverse  int     `json:"reverse"`
	} `json:"test_start"`
}

// same reports whether two starts are those of one test.
func (s iperf3Start) same(other iperf3Start) bool {
	return s.Cookie == other.Cookie && s.Timestamp == other.Timestamp
}

type iperf3End struct {
	Sum      *iperf3Sum `json:"sum"` // UDP
	Sent     *iperf3Sum `json:"sum_sent"`
	Received *iperf3Sum `json:"sum_received"`

	BackSum      *iperf3Sum `json:"sum_bidir_reverse"`
	BackSent     *iperf3Sum `json:"sum_sent_bidir_reverse"`
	BackReceived *iperf3Sum `json:"sum_received_bidir_reverse"`

	Streams []struct {
		UDP      iperf3Sum `json:"udp"`
		Sender   iperf3Sum `json:"sender"`
		Receiver iperf3Sum `json:"receiver"`
	} `json:"streams"`
}

type iperf3Sum struct {
	Start       float64 `json:"start"`
	End         float64 `json:"end"`
	Rate        float64 `json:"bits_per_second"`
	Octets      float64 `json:"bytes"`
	Seconds     float64 `json:"seconds"`
	Retransmits float64 `json:"retransmits"`
	Lost        float64 `json:"lost_packets"`
	Packets     float64 `json:"packets"`
	Jitter      float64 `json:"jitter_ms"`
}

// An iperf3Way is what a test has of one direction.
type iperf3Way struct {
	direction           string
	sum, sent, received *iperf3Sum
}

// results are one for each direction.
func (t iperf3Test) results(name string) ([]weir.Result, error) {
	if t.Error != "" {
		return nil, fmt.Errorf("the test failed; iperf3 says %q", t.Error)
	}
	ways := []iperf3Way{{"forward", t.End.Sum, t.End.Sent, t.End.Received}}
	if t.Start.Test.Reverse != 0 {
		ways[0].direction = "reverse"
	}
	if t.End.BackSum != nil || t.End.BackSent != nil || t.End.BackReceived != nil {
		ways = append(ways, iperf3Way{"reverse", t.End.BackSum, t.End.BackSent, t.End.BackReceived})
	}
	var out []weir.Result
	for _, w := range ways {
		if w.sum == nil && w.sent == nil && w.received == nil {
			return nil, fmt.Errorf("the test has no end with what was received: it was cut off, or it is not what iperf3 writes")
		}
		out = append(out, t.result(name, w, len(ways) == 1))
	}
	return out, nil
}

// result is that of one direction; only: of a test that has no other.
func (t iperf3Test) result(name string, w iperf3Way, only bool) weir.Result {
	var sum, sent, received iperf3Sum
	for at, from := range map[*iperf3Sum]*iperf3Sum{&sum: w.sum, &sent: w.sent, &received: w.received} {
		if from != nil {
			*at = *from
		}
	}
	protocol := t.Start.Test.Protocol
	r := weir.Result{
		Claim: weir.PublishedAs(protocol + " goodput"), Value: received.Rate, Unit: "bit/s", TrialSeconds: received.Seconds,
		Factors: weir.Factors{set: name, "protocol": protocol, "streams": fmt.Sprint(t.Start.Test.Streams), "direction": w.direction},
		Figures: []weir.Figure{{Name: "sent", Value: sent.Rate, Unit: "bit/s"}},
	}
	if family := t.Start.family(); family != "" {
		r.Factors["family"] = family
	}
	if protocol == "UDP" {
		t.datagrams(&r, sum, sent, received, w.received != nil)
	} else {
		r.Figures = append(r.Figures, weir.Figure{Name: "retransmits", Value: sent.Retransmits, Unit: "segments"})
	}
	if w.received == nil && w.sum == nil || received.Octets == 0 && sent.Octets > 0 && protocol != "UDP" {
		// The end that sent does not know more, where the other one did not tell it.
		r.Claim, r.Value, r.TrialSeconds = weir.PublishedAs(protocol+" rate sent"), sent.Rate, sent.Seconds
	}
	var said facts
	for _, s := range []iperf3Sum{sum, sent, received} {
		if s.End < s.Start || s.Seconds < 0 {
			said.backwards = fmt.Sprintf("it begins at %g s and ends at %g s", s.Start, s.End)
		}
	}
	if only {
		for _, s := range t.End.Streams {
			said.parts += s.Receiver.Rate + s.UDP.Rate
		}
	}
	if protocol != "UDP" && sent.Octets > 0 {
		said.sent, said.received, said.counts = sent.Octets, received.Octets, "octets"
	}
	judge(&r, said)
	return r
}

// datagrams enters what a test of UDP has. The sum of both ends has the loss; older
// versions have nothing else, and its rate is that of what was sent.
func (t iperf3Test) datagrams(r *weir.Result, sum, sent, received iperf3Sum, told bool) {
	packets := received
	if packets.Packets == 0 {
		packets = sum
	}
	if packets.Packets > 0 {
		r.LossRatio = packets.Lost / packets.Packets
	}
	if told && received.Octets == 0 && sent.Octets > 0 {
		r.LossRatio = 1 // nothing came
	}
	if !told && sum.Rate != 0 {
		r.Value, r.TrialSeconds = sum.Rate*(1-r.LossRatio), sum.Seconds
		r.Figures[0].Value = sum.Rate
	}
	r.Figures = append(r.Figures, weir.Figure{Name: weir.Jitter, Value: packets.Jitter / 1e3, Unit: "s"}, weir.Figure{Name: "datagram size", Value: float64(t.Start.Test.Block), Unit: "octets"})
}

// family is that of the addresses; "": not said.
func (s iperf3Start) family() string {
	switch {
	case len(s.Connected) == 0 || s.Connected[0].Local == "":
		return ""
	case strings.Contains(strings.TrimPrefix(s.Connected[0].Local, "::ffff:"), ":"):
		return "IPv6"
	}
	return "IPv4"
}
