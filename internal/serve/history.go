package serve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"weir"
	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/result"
	"weir/internal/sqlite"
	"weir/internal/visible"
	"weir/stats"
)

const (
	mostHistory = 400 // campaigns of a history, the last ones
	leastChange = .01 // relative, that is worth a word
)

// A topic is what a history is of: campaigns of one name at one DUT and testbed, and the results of
// a method at a frame size in a case (caseOf), or how an arm of their experiment differs from its baseline.
type topic struct{ Name, DUT, Testbed, Method, Size, Case, Metric, Arm string }

func (t topic) fields() map[string]*string {
	return map[string]*string{"name": &t.Name, "dut": &t.DUT, "testbed": &t.Testbed, "method": &t.Method, "size": &t.Size, "case": &t.Case, "metric": &t.Metric, "arm": &t.Arm}
}

// path is where the server has the page of a topic.
func (t topic) path() string {
	q := url.Values{}
	for name, value := range t.fields() {
		if *value != "" {
			q.Set(name, *value)
		}
	}
	return "history?" + q.Encode()
}

// what names what is followed.
func (t topic) what() string {
	if t.Arm != "" {
		return joined(t.Metric, t.Size, t.Case, t.Arm+" relative to its baseline")
	}
	return joined(t.Method, t.Size, t.Case)
}

// joined writes what there is of several words, with commas between them.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

func readTopic(q url.Values) topic {
	return topic{q.Get("name"), q.Get("dut"), q.Get("testbed"), q.Get("method"), q.Get("size"), q.Get("case"), q.Get("metric"), q.Get("arm")}
}

// A moment is a campaign of a history with what it found.
type moment struct {
	*entry
	stats.Point
	unit   string // "": it is a share of the baseline
	counts bool   // its value is one, and no bound
	change string // what is known to have changed since the one before
}

// counted reports whether it may be part of a change: nobody has marked it to be ignored.
func (m moment) counted() bool { return m.counts && m.Mark() != sqlite.Ignored }

// began writes when it began.
func (e *entry) began() string { return e.Started.UTC().Format("2006-01-02 15:04") }

// text writes a value of it: a share of the baseline as what differs from that.
func (m moment) text(v float64) string {
	if m.unit == "" {
		return signed(v-1) + " %"
	}
	return figures.Quantity(v, m.unit)
}

// interval writes the bounds of its value.
func (m moment) interval() string {
	if m.Upper <= m.Lower {
		return figures.Missing
	}
	return m.text(m.Lower) + " to " + m.text(m.Upper)
}

// moments returns the campaigns of a topic that are complete, the oldest first.
func (x *index) moments(ctx context.Context, t topic) ([]moment, error) {
	var some []*entry
	var ids []string
	for _, e := range x.all() {
		if e.Ended == weir.EndedComplete && e.Name == t.Name && e.DUT == t.DUT && e.testbed() == t.Testbed && len(some) < mostHistory {
			some, ids = append(some, e), append(ids, e.ID)
		}
	}
	slices.Reverse(some)
	found, err := x.values(ctx, t, some, ids)
	if err != nil {
		return nil, err
	}
	var out []moment
	for _, e := range some {
		m, there := found[e.ID]
		if !there {
			continue
		}
		m.entry = e
		if n := len(out); n > 0 {
			m.change = changed(out[n-1].entry, e)
		}
		out = append(out, m)
	}
	return out, nil
}

// values returns what campaigns have found of a topic, by their ids.
func (x *index) values(ctx context.Context, t topic, all []*entry, ids []string) (map[string]moment, error) {
	out := map[string]moment{}
	if t.Arm != "" {
		for _, e := range all {
			for _, f := range e.Effects {
				if f.Method == t.Method && f.Size == t.Size && f.Case == t.Case && f.Metric == t.Metric && f.Arm == t.Arm && f.Estimate != nil && *f.Estimate > -1 {
					out[e.ID] = moment{Point: f.share(), counts: f.Lower != nil && f.Upper != nil}
				}
			}
		}
		return out, nil
	}
	x.mu.RLock()
	store := x.store
	x.mu.RUnlock()
	if store == nil || len(all) == 0 {
		return nil, nil
	}
	results, err := store.Series(ctx, ids, t.Method, t.Size)
	is := map[string]*entry{}
	for _, e := range all {
		is[e.ID] = e
	}
	for _, r := range results {
		if !is[r.Campaign].Imported {
			r.Factors = nil // its levels are none that tell results apart
		}
		if r.Run.Number > 0 && is[r.Campaign].Experiment {
			continue // what was found of runs is in the effects
		}
		if caseOf(&r.Result) == t.Case && r.Unmeasured == "" && r.Value > 0 { // rounds replace each other
			out[r.Campaign] = moment{Point: stats.Point{Value: r.Value, Lower: r.Lower, Upper: r.Upper}, unit: r.Unit, counts: !result.AtLeast(&r.Result)}
		}
	}
	return out, err
}

// mostChanged is how many settings that changed are named.
const mostChanged = 3

// importance is more for what is named first of all that changed.
func importance(name string) int { return slices.Index([]string{"weir", "cpu", "kernel"}, name) }

// changed says what the manifests of two campaigns differ in.
func changed(a, b *entry) string {
	if a.environment == b.environment {
		return ""
	}
	before, after := settingsOf(a.environment), settingsOf(b.environment)
	names := slices.Collect(maps.Keys(before))
	for name := range after {
		if _, there := before[name]; !there {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(importance(b)-importance(a), cmp.Compare(a, b)) })
	var all []string
	for _, name := range names {
		if before[name] != after[name] {
			all = append(all, fmt.Sprintf("%s: %s -> %s", name, cmp.Or(before[name], figures.Missing), cmp.Or(after[name], figures.Missing)))
		}
	}
	if more := len(all) - mostChanged; more > 0 {
		all = append(all[:mostChanged], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

// A series is a metric over campaigns, and where it changed.
type series struct {
	topic
	all, counting []moment // all campaigns, and those whose value is no bound
	changes       []stats.Change
}

// historyOf returns the series of a topic.
func (x *index) historyOf(ctx context.Context, t topic) (h series, err error) {
	h.topic = t
	if whole, _ := x.state(); !whole {
		return h, statusError{http.StatusServiceUnavailable, "the store is still being read: try again in a minute"}
	}
	if h.all, err = x.moments(ctx, t); err != nil {
		return h, err
	}
	if len(h.all) == 0 {
		return h, statusError{http.StatusNotFound, "there is no complete campaign with such results: follow a value of the list to its history"}
	}
	var points []stats.Point
	for _, m := range h.all {
		if m.counted() {
			h.counting = append(h.counting, m)
			points = append(points, m.Point)
		}
	}
	h.changes = stats.Changes(points, stats.ChangesOptions{Margin: leastChange})
	return h, nil
}

// history answers with a metric over campaigns, and where it changed.
func (s *Server) history(w http.ResponseWriter, req *http.Request) error {
	h, err := s.index.historyOf(req.Context(), readTopic(req.URL.Query()))
	if err != nil {
		return err
	}
	return s.sendPage(w, req, s.historyDocument(h))
}

func (s *Server) historyDocument(h series) document.Document {
	t, all, counting, changes := h.topic, h.all, h.counting, h.changes
	var d document.Document
	d.Add("", document.Title{Text: visible.Line(fmt.Sprintf("%s: %s over %d campaigns", t.Name, t.what(), len(all)))},
		document.Paragraph{Text: visible.Line(fmt.Sprintf("DUT %s, testbed %s", t.DUT, t.Testbed))}, document.Paragraph{Text: changesSentence(counting, changes), Strong: true})
	d.Part("over-time", "over time")
	d.Add("", document.ChartSet{Charts: []chart.Chart{historyChart(all, counting, changes)}, Note: "A dot is a campaign with its 95 % interval, hollow where its value is a lower bound, or it is to be ignored; the line is the mean between changes; an upright line is where the machine, the DUT, a setting of theirs or weir changed."})
	if len(changes) > 0 {
		d.Part("changes", "changes")
		d.Add("changes", document.TableOf(s.changeColumns(counting), changes), document.Paragraph{Text: "A change is found in the series of values alone, each weighed by its interval. It is no proof: measure both sides again side by side (weir versus), or compare the two campaigns"})
	}
	d.Part("campaigns", "campaigns")
	newest := slices.Clone(all)
	slices.Reverse(newest)
	d.Add("campaigns", document.TableOf(s.momentColumns(), newest))
	return d
}

// changesSentence says in a sentence what changed last.
func changesSentence(counting []moment, changes []stats.Change) string {
	switch {
	case len(counting) < stats.LeastSeries:
		return fmt.Sprintf("It takes %d campaigns to tell a change from noise", stats.LeastSeries)
	case len(changes) == 0:
		return fmt.Sprintf("No change of %s %% or more is seen in them", figures.Significant(100*leastChange))
	}
	c := changes[len(changes)-1]
	seen := "It changed"
	if c.Suspected {
		seen = "A change is suspected"
	}
	return fmt.Sprintf("%s by %s %% (%s to %s %%) from campaign %s on, of %s", seen, signed(c.Effect.Estimate), signed(c.Effect.Lower), signed(c.Effect.Upper), counting[c.At].ID, counting[c.At].Started.UTC().Format("2 January 2006, 15:04 UTC"))
}

func signed(v float64) string { return fmt.Sprintf("%+.1f", 100*v) }

func historyChart(all, counting []moment, changes []stats.Change) chart.Chart {
	unit, scale := all[0].unit, 1.
	if unit == "" {
		unit, scale = "% of the baseline", 100
	}
	c := chart.Chart{X: chart.Axis{Label: "campaign, the oldest first", Plain: true}, Y: chart.Axis{Label: unit}}
	found := chart.Series{Color: 0, Dots: true}
	at := map[string]float64{}
	for i, m := range all {
		x := float64(i + 1)
		at[m.ID] = x
		p := chart.Point{X: x, Y: scale * m.Value, Low: scale * m.Lower, High: scale * m.Upper, Hollow: !m.counted(), Tip: m.ID + "\n" + m.text(m.Value)}
		found.Points = append(found.Points, p)
		if m.change != "" {
			c.Rules = append(c.Rules, x-.5)
		}
	}
	from := 0
	for _, to := range append(placesOf(changes), len(counting)) {
		if part := counting[from:to]; len(part) > 0 {
			mean := 0.
			for _, m := range part {
				mean += math.Log(scale*m.Value) / float64(len(part))
			}
			line := chart.Series{Color: 1, Line: true}
			for _, m := range []moment{part[0], part[len(part)-1]} {
				line.Points = append(line.Points, chart.Point{X: at[m.ID], Y: math.Exp(mean)})
			}
			c.Series = append(c.Series, line)
		}
		from = to
	}
	c.Series = append(c.Series, found)
	return c
}

func placesOf(changes []stats.Change) (out []int) {
	for _, c := range changes {
		out = append(out, c.At)
	}
	return out
}

// changeColumns describe a change, with the page that compares both sides of it.
func (s *Server) changeColumns(counting []moment) []document.Column[stats.Change] {
	heading := func(head, unit string, words bool) document.Heading {
		return document.Heading{Head: head, Unit: unit, Words: words}
	}
	return []document.Column[stats.Change]{
		{Heading: heading("from", "", false), Text: func(c stats.Change) string { return counting[c.At].began() }, Look: func(c stats.Change, cell *document.Cell) {
			cell.Link = s.at.compared(counting[c.At].ID, counting[c.At-1].ID)
		}},
		{Heading: heading("change", "%", false), Text: func(c stats.Change) string { return signed(c.Effect.Estimate) }},
		{Heading: heading("95 % interval", "%", false), Text: func(c stats.Change) string { return signed(c.Effect.Lower) + " to " + signed(c.Effect.Upper) }},
		{Heading: heading("beyond those before", "%", false), Text: func(c stats.Change) string { return fmt.Sprintf("%.0f", 100*c.Superiority) }},
		{Heading: heading("state", "", true), Text: func(c stats.Change) string {
			if c.Suspected {
				return "suspected: too few came after it"
			}
			return "seen"
		}},
		{Heading: heading("what is known to have changed", "", true), Text: func(c stats.Change) string { return changed(counting[c.At-1].entry, counting[c.At].entry) }},
		{Heading: heading("notes", "", true), Text: func(c stats.Change) string { return counting[c.At].Said() }},
	}
}

// momentColumns describe a campaign of a history.
func (s *Server) momentColumns() []document.Column[moment] {
	return []document.Column[moment]{
		{Heading: document.Heading{Head: "began"}, Text: func(m moment) string { return m.began() }, Look: func(m moment, cell *document.Cell) { cell.Link = s.at.campaign(m.ID) }},
		{Heading: document.Heading{Head: "value"}, Text: func(m moment) string {
			return atLeast(!m.counts && m.unit != "") + m.text(m.Value)
		}},
		{Heading: document.Heading{Head: "interval"}, Text: moment.interval},
		{Heading: document.Heading{Head: "changed since the one before", Words: true}, Text: func(m moment) string { return m.change }},
		{Heading: document.Heading{Head: "notes", Words: true}, Text: func(m moment) string { return m.Said() }},
	}
}
