package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"weir"
	"weir/internal/sqlite"
)

const (
	indexAtOnce  = 500         // campaigns that one query of the index reads
	indexPeriod  = time.Second // between two looks at the store
	readers      = 4           // queries of the store at once
	mostFollowed = 1000        // campaigns that are not complete, the newest, that are looked at again
	mostGone     = 1000        // campaigns that are deleted before their texts are
)

// index is the list of all campaigns of a store, the newest first. It follows the store: nothing
// couples it with what measures.
type index struct {
	path string

	mu      sync.RWMutex
	store   *sqlite.Store // nil: there is no file yet
	entries []*entry      // replaced as a whole; neither it nor an entry is changed
	byID    map[string]*entry
	whole   bool  // all campaigns were read once
	err     error // why the store cannot be read
	changed chan struct{}
	texts   map[string]string
	lists   map[string]any // of texts, by these
	sought  map[sought]*sought
	gone    int              // campaigns that were deleted since texts and lists were empty
	most    int              // of these, before texts and lists are made anew; or as many as there are campaigns
	counts  []map[string]int // of each of choices: how many campaigns have a value

	unjudged []string       // experiments that are complete, of which it is not known yet what they have proven
	grown    map[topic]bool // histories with campaigns that no change was looked for in
	settled  bool           // there are none of both
	changes  map[topic][]foundChange
	seen     int64 // state of the store that was read last, as sqlite.Store.Changes counts it
	noted    int64 // the annotation that was read last
}

func newIndex(path string) *index {
	return &index{path: path, most: mostGone, changed: make(chan struct{})}
}

// follow reads the store and what changes in it, until ctx ends. Why it cannot is told once.
func (x *index) follow(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(indexPeriod)
	defer tick.Stop()
	for {
		err := x.refresh(ctx)
		x.mu.Lock()
		if err != nil && ctx.Err() == nil && (x.err == nil || x.err.Error() != err.Error()) {
			log.Error("the store cannot be read", "error", err)
		}
		x.err = err
		x.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// refresh reads the campaigns that are new or have changed.
func (x *index) refresh(ctx context.Context) error {
	if err := x.open(ctx); err != nil || x.store == nil {
		return err
	}
	now, err := x.store.Changes(ctx)
	if err != nil {
		return err
	}
	changed := x.watch()
	if whole, _ := x.state(); !whole {
		err = x.fill(ctx)
	} else if now != x.seen {
		err = x.update(ctx)
		changed = true
	}
	if err == nil {
		x.seen = now
	}
	changed = x.judge(ctx) || changed
	changed = x.review(ctx) || changed
	if changed {
		x.announce()
	}
	return err
}

// open opens the store when its file is there, and another one that took its place.
func (x *index) open(ctx context.Context) error {
	info, err := os.Stat(x.path)
	switch {
	case os.IsNotExist(err):
		x.forget()
		return nil
	case err != nil:
		return fmt.Errorf("look at store %s: %w", x.path, err)
	case x.store != nil && x.store.Is(info):
		return nil
	}
	x.forget()
	store, err := sqlite.OpenReader(ctx, x.path, readers)
	if err != nil {
		return err
	}
	x.mu.Lock()
	x.store = store
	x.mu.Unlock()
	return nil
}

// forget closes the store, and knows none of its campaigns any more.
func (x *index) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.store == nil {
		return
	}
	x.store.Close()
	x.store, x.entries, x.byID, x.whole, x.counts, x.texts, x.unjudged, x.grown, x.changes, x.settled, x.seen, x.noted = nil, nil, nil, false, nil, nil, nil, nil, nil, false, 0, 0
	x.lists, x.sought, x.gone = nil, nil, 0
}

// update reads the campaigns that began since the last look, those that went on and those of which
// something was said, and drops those that were deleted.
func (x *index) update(ctx context.Context) error {
	all := x.all()
	var last int64
	if len(all) > 0 {
		last = all[0].Seq
	}
	known := map[int64]sqlite.Version{}
	var open []int64
	for _, e := range all {
		if e.Ended != weir.EndedComplete && len(open) < mostFollowed {
			known[e.Seq] = e.Version
			open = append(open, e.Seq)
		}
	}
	fresh, err := x.store.Since(ctx, last)
	if err != nil {
		return err
	}
	now, err := x.store.Versions(ctx, open)
	if err != nil {
		return err
	}
	changed, noted, err := x.store.AnnotatedSince(ctx, x.noted)
	if err != nil {
		return err
	}
	for _, v := range now {
		if known[v.Seq] != v {
			changed = append(changed, v.ID)
		}
	}
	for _, id := range changed {
		o, err := x.store.Overview(ctx, id)
		if errors.As(err, new(*sqlite.UnknownCampaignError)) {
			continue // it was deleted in this moment
		}
		if err != nil {
			return err
		}
		fresh = append(fresh, o)
	}
	x.put(fresh)
	x.noted = noted
	return x.drop(ctx)
}

// drop forgets the campaigns that are not in the store any more.
func (x *index) drop(ctx context.Context) error {
	there, err := x.store.Sequence(ctx, len(x.all()))
	if err != nil || there == nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	before := len(x.entries)
	x.entries = slices.DeleteFunc(slices.Clone(x.entries), func(e *entry) bool {
		_, is := slices.BinarySearch(there, e.Seq)
		if !is {
			x.count(e, -1)
			x.grow(e)
			delete(x.byID, e.ID)
		}
		return !is
	})
	if x.gone += before - len(x.entries); x.gone > max(len(x.entries), x.most) {
		x.texts, x.lists, x.sought, x.gone = nil, nil, nil, 0 // those of campaigns that are there stay with them
	}
	return nil
}

// fill reads the campaigns that were there before, the newest first.
func (x *index) fill(ctx context.Context) (err error) {
	if _, x.noted, err = x.store.AnnotatedSince(ctx, 0); err != nil {
		return err
	}
	var before int64
	for {
		some, err := x.store.Overviews(ctx, before, indexAtOnce)
		if err != nil {
			return err
		}
		if len(some) == 0 {
			x.mu.Lock()
			x.whole = true
			x.mu.Unlock()
			debug.FreeOSMemory() // what it took to read all of them
			return nil
		}
		x.put(some)
		x.announce()
		before = some[len(some)-1].Seq
	}
}

// put enters campaigns, in place of what was known of them.
func (x *index) put(all []sqlite.Overview) {
	if len(all) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	entries := slices.Clone(x.entries)
	if x.byID == nil {
		x.byID = map[string]*entry{}
	}
	for _, o := range all {
		e := x.entryOf(o)
		at, found := slices.BinarySearchFunc(entries, e.Seq, func(e *entry, seq int64) int { return cmp.Compare(seq, e.Seq) })
		if found {
			x.count(entries[at], -1)
			entries[at] = e
		} else {
			entries = slices.Insert(entries, at, e)
		}
		x.byID[e.ID] = e
		x.count(e, 1)
		x.grow(e)
		if e.Experiment && e.Ended == weir.EndedComplete {
			x.unjudged = append(x.unjudged, e.ID)
		}
	}
	x.entries = entries
}

// replace takes entries in place of those of the same campaigns.
func (x *index) replace(now map[string]*entry) {
	if len(now) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.entries = slices.Clone(x.entries)
	for at, e := range x.entries {
		if by := now[e.ID]; by != nil {
			x.count(e, -1)
			x.entries[at], x.byID[e.ID] = by, by
			x.grow(by)
			x.count(by, 1)
		}
	}
}

// watch looks which campaigns without an end a process measures, and reports whether that changed.
func (x *index) watch() (changed bool) {
	looked, now := 0, map[string]*entry{}
	for _, e := range x.all() {
		if e.Ended != "" {
			continue
		}
		if process := sqlite.StateOf(x.path, e.ID); process != e.process {
			is := *e
			is.process = process
			now[e.ID] = &is
		}
		if looked++; looked == mostWatched {
			break
		}
	}
	x.replace(now)
	return len(now) > 0
}

// mostWatched is how many campaigns without an end, the newest, are asked for their process.
const mostWatched = 50

// count counts the values of a campaign, or does so no more.
func (x *index) count(e *entry, by int) {
	if x.counts == nil {
		x.counts = make([]map[string]int, len(choices))
	}
	for i, c := range choices {
		if x.counts[i] == nil {
			x.counts[i] = map[string]int{}
		}
		for _, v := range c.values(e) {
			if x.counts[i][v] += by; x.counts[i][v] == 0 {
				delete(x.counts[i], v)
			}
		}
	}
}

// mostOptions is how many values of a choice are offered.
const mostOptions = 200

// options are the values that a choice has among campaigns, the most frequent ones first.
func (x *index) options(choice int) (out []string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.counts == nil {
		return nil
	}
	counts := x.counts[choice]
	for v := range counts {
		if v != "" {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	return out[:min(len(out), mostOptions)]
}

// announce wakes those who wait for a change.
func (x *index) announce() {
	x.mu.Lock()
	defer x.mu.Unlock()
	close(x.changed)
	x.changed = make(chan struct{})
}

// next returns a channel that is closed at the next change.
func (x *index) next() <-chan struct{} {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.changed
}

// all returns the campaigns that are known, the newest first. They are not to be changed.
func (x *index) all() []*entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.entries
}

// state returns whether all campaigns are known, and why the store cannot be read.
func (x *index) state() (whole bool, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.whole || x.store == nil && x.err == nil, x.err
}

// find returns the campaign with an id. The error says why it is not there.
func (x *index) find(id string) (*entry, error) {
	x.mu.RLock()
	e := x.byID[id]
	x.mu.RUnlock()
	if e == nil {
		return nil, x.unknown(id)
	}
	return e, nil
}
