package serve

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"weir"
	"weir/internal/document"
	"weir/stats"
)

const (
	reviewPeriod = 100 * time.Millisecond // that one look at the store spends on histories
	mostListed   = 100                    // changes that are listed, the newest
)

// A foundChange is a change in a history that is more than suspected.
type foundChange struct {
	topic
	stats.Change
	from, before *entry   // the campaigns on both sides of it
	reason       string   // what is known to have changed
	near         []string // ids of the campaigns where it may lie as well, once more is known
	first        string   // where it lay when it was found first
}

// id tells a change from all others; it stays when the change moves by a campaign or two.
func (c foundChange) id() string { return c.at(c.first) }

// at tells a change from all others that lies at a campaign, and goes up or down.
func (c foundChange) at(campaign string) string {
	sign := "+"
	if c.Effect.Estimate < 0 {
		sign = "-"
	}
	return campaign + sign + "?" + c.path()
}

// nearby is how many campaigns a change moves by at most, as more come after it: fewer than lie between
// two changes.
const nearby = 2

// sentence is the change in words.
func (c foundChange) sentence() string {
	return fmt.Sprintf("%s, %s: %s %% (%s to %s %%) from campaign %s on", c.Name, c.what(), signed(c.Effect.Estimate), signed(c.Effect.Lower), signed(c.Effect.Upper), c.from.ID)
}

// topics are the histories that a campaign is part of.
func (e *entry) topics() (out []topic) {
	of := topic{Name: e.Name, DUT: e.DUT, Testbed: e.testbed()}
	for _, f := range e.Found {
		of.Method, of.Size, of.Case = f.Method, f.Size, f.Case
		out = append(out, of)
	}
	for _, f := range e.Effects {
		if !f.secondary {
			of.Method, of.Size, of.Case, of.Metric, of.Arm = f.Method, f.Size, f.Case, f.Metric, f.Arm
			out = append(out, of)
		}
	}
	return out
}

// review looks for changes in some of the histories that have a campaign more, and reports whether
// there were any.
func (x *index) review(ctx context.Context) (some bool) {
	defer func() {
		x.mu.Lock()
		x.settled = x.whole && len(x.unjudged)+len(x.grown) == 0
		x.mu.Unlock()
	}()
	until := time.Now().Add(reviewPeriod)
	for t := range x.grown {
		if time.Now().After(until) || ctx.Err() != nil {
			break
		}
		h, err := x.historyOf(ctx, t)
		if err != nil && ctx.Err() != nil {
			break
		}
		some = true // one that cannot be read has no changes: its own page says why
		delete(x.grown, t)
		x.mu.Lock()
		if x.changes == nil {
			x.changes = map[topic][]foundChange{}
		}
		x.changes[t] = h.found(x.changes[t])
		x.mu.Unlock()
	}
	return some
}

// found returns the changes of a series that are more than suspected. One that was known before keeps
// its id.
func (h series) found(before []foundChange) (out []foundChange) {
	for _, c := range h.changes {
		if c.Suspected {
			continue
		}
		from := h.counting[c.At]
		f := foundChange{topic: h.topic, Change: c, from: from.entry, before: h.counting[c.At-1].entry, reason: changed(h.counting[c.At-1].entry, from.entry), first: from.ID}
		for _, m := range h.counting[max(c.At-nearby, 0):min(c.At+nearby+1, len(h.counting))] {
			f.near = append(f.near, m.ID)
		}
		for _, b := range before {
			if slices.Contains(f.near, b.from.ID) && (b.Effect.Estimate < 0) == (c.Effect.Estimate < 0) {
				f.first = b.first
			}
		}
		out = append(out, f)
	}
	return out
}

// grow notes that the histories of a campaign have changed.
func (x *index) grow(e *entry) {
	if e.Ended != weir.EndedComplete {
		return
	}
	if x.grown == nil {
		x.grown = map[topic]bool{}
	}
	for _, t := range e.topics() {
		x.grown[t] = true
	}
}

// isSettled reports whether all of the store was looked at for changes.
func (x *index) isSettled() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.settled
}

// lastChanges returns the newest changes of all histories, the newest first.
func (x *index) lastChanges() (out []foundChange) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, some := range x.changes {
		out = append(out, some...)
	}
	slices.SortFunc(out, func(a, b foundChange) int {
		return cmp.Or(b.from.Started.Compare(a.from.Started), cmp.Compare(a.id(), b.id()))
	})
	return out[:min(len(out), mostListed)]
}

// listChanges answers with the newest changes of all histories.
func (s *Server) listChanges(w http.ResponseWriter, req *http.Request) error {
	all := s.index.lastChanges()
	var d document.Document
	text := "No history has a change that is more than suspected"
	if !s.index.isSettled() {
		text = "Not all histories were looked through yet"
	}
	if len(all) > 0 {
		text = "Where values changed, the newest first. A change is no proof: its history leads to the comparison of both sides"
	}
	d.Add("", document.Title{Text: "Changes"}, document.Paragraph{Text: text})
	if len(all) > 0 {
		heading := func(head string) document.Heading { return document.Heading{Head: head, Words: true} }
		d.Part("changes", "changes")
		d.Add("changes", document.TableOf([]document.Column[foundChange]{
			{Heading: document.Heading{Head: "history"}, Text: func(c foundChange) string { return c.Name + ", " + c.what() }, Look: func(c foundChange, cell *document.Cell) { cell.Link = s.at.history(c.topic) }},
			{Heading: document.Heading{Head: "since"}, Text: func(c foundChange) string { return c.from.began() }},
			{Heading: document.Heading{Head: "change", Unit: "%"}, Text: func(c foundChange) string { return signed(c.Effect.Estimate) }},
			{Heading: document.Heading{Head: "95 % interval", Unit: "%"}, Text: func(c foundChange) string { return signed(c.Effect.Lower) + " to " + signed(c.Effect.Upper) }},
			{Heading: heading("what is known to have changed"), Text: func(c foundChange) string { return c.reason }},
			{Heading: heading("notes"), Text: func(c foundChange) string { return c.from.Said() }},
		}, all))
	}
	return s.sendPage(w, req, d)
}
