package serve

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"weir"
	"weir/internal/result"
	"weir/internal/sqlite"
)

const (
	indexAtOnce = 500         // campaigns that one query of the index reads
	indexPeriod = time.Second // between two looks at the store
	readers     = 4           // queries of the store at once
)

// entry is a campaign in the list.
type entry struct {
	sqlite.Version
	Name, DUT, Kernel, Testbed, Place, Weir string
	Started                                 time.Time
	Simulated, Imported                     bool
	Methods, Sizes                          []string
	Warnings                                []weir.WarningCode
	Found                                   []found // the last one of each method and size, a few
	Results, Trials                         int
	text                                    string // what a search looks at beside id and name, in lower case
}

// found is a result in the list.
type found struct {
	Method, Size string
	Value        float64
	Unit         string
	AtLeast      bool // it is a lower bound
}

// State says what became of a campaign, in a word.
func (e entry) State() string {
	switch {
	case e.Ended == "":
		return stateOpen
	case e.Ended == weir.EndedComplete:
		return "complete"
	case strings.HasPrefix(e.Ended, weir.EndedInterrupted):
		return "interrupted"
	}
	return "failed"
}

// stateOpen is the state of a campaign that runs, or was killed.
const stateOpen = "running or killed"

// index is the list of all campaigns of a store, the newest first. It follows the store: nothing
// couples it with what measures.
type index struct {
	path string

	mu      sync.RWMutex
	store   *sqlite.Store // nil: there is no file yet
	entries []entry
	whole   bool  // all campaigns were read once
	err     error // why the store cannot be read
	changed chan struct{}
	texts   map[string]string
	counts  []map[string]int // of each of choices: how many campaigns have a value
}

func newIndex(path string) *index { return &index{path: path, changed: make(chan struct{})} }

// follow reads the store and what changes in it, until ctx ends.
func (x *index) follow(ctx context.Context) {
	tick := time.NewTicker(indexPeriod)
	defer tick.Stop()
	for {
		err := x.refresh(ctx)
		x.mu.Lock()
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
	changed, err := x.update(ctx)
	if err == nil && !x.whole {
		err = x.fill(ctx)
	}
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
	x.store, x.entries, x.whole, x.counts, x.texts = nil, nil, false, nil, nil
}

// update reads campaigns that began since, and those that may go on and did. It reports
// whether there were any.
func (x *index) update(ctx context.Context) (bool, error) {
	if whole, _ := x.state(); !whole {
		return false, nil // all are read anyway
	}
	var last int64
	known := map[int64]sqlite.Version{}
	var open []int64
	for _, e := range x.all() {
		last = max(last, e.Seq)
		if e.Ended != weir.EndedComplete {
			known[e.Seq] = e.Version
			open = append(open, e.Seq)
		}
	}
	fresh, err := x.store.Since(ctx, last)
	if err != nil {
		return false, err
	}
	now, err := x.store.Versions(ctx, open)
	if err != nil {
		return false, err
	}
	for _, v := range now {
		if known[v.Seq] == v {
			continue
		}
		o, err := x.store.Overview(ctx, v.ID)
		if err != nil {
			return false, err
		}
		fresh = append(fresh, o)
	}
	x.put(fresh)
	return len(fresh) > 0, nil
}

// fill reads the campaigns that were there before, the newest first.
func (x *index) fill(ctx context.Context) error {
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
	entries := x.entries
	if n := len(entries); n > 0 && slices.ContainsFunc(all, func(o sqlite.Overview) bool { return o.Seq >= entries[n-1].Seq }) {
		entries = slices.Clone(entries) // readers have these; what comes after all they have not
	}
	for _, o := range all {
		e := x.entryOf(o)
		at, found := slices.BinarySearchFunc(entries, e.Seq, func(e entry, seq int64) int { return int(seq - e.Seq) })
		if found {
			x.count(entries[at], -1)
			entries[at] = e
		} else {
			entries = slices.Insert(entries, at, e)
		}
		x.count(e, 1)
	}
	x.entries = entries
}

// count counts the values of a campaign, or does so no more.
func (x *index) count(e entry, by int) {
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
func (x *index) all() []entry {
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

// find returns the campaign with an id.
func (x *index) find(id string) (entry, bool) {
	for _, e := range x.all() {
		if e.ID == id {
			return e, true
		}
	}
	return entry{}, false
}

// mostFound is how many results of a campaign a list shows.
const mostFound = 4

// entryOf makes an entry. What many campaigns have in common is there once.
func (x *index) entryOf(o sqlite.Overview) entry {
	e := entry{
		Version: o.Version, Name: x.once(o.Name), Kernel: x.once(o.About.Kernel), Testbed: x.once(o.About.Testbed), Place: x.once(o.About.Place),
		Weir: x.once(o.About.Weir), DUT: x.once(o.About.Platform), Started: o.About.Started, Simulated: o.About.Simulated,
		Imported: o.About.Imported != nil, Results: len(o.Results), Trials: o.Trials,
	}
	e.Ended = x.once(e.Ended)
	for _, r := range o.Results {
		r.Method, r.Size, r.Unit = x.once(r.Method), x.once(r.Size), x.once(r.Unit)
		e.Methods, e.Sizes = with(e.Methods, r.Method), with(e.Sizes, r.Size)
		for _, code := range r.Warnings {
			e.Warnings = with(e.Warnings, weir.WarningCode(x.once(string(code))))
		}
		at := slices.IndexFunc(e.Found, func(f found) bool { return f.Method == r.Method && f.Size == r.Size })
		switch {
		case at >= 0:
			e.Found[at] = foundOf(r)
		case len(e.Found) < mostFound && r.Value > 0:
			e.Found = append(e.Found, foundOf(r))
		}
	}
	words := []string{e.DUT, e.Kernel, e.Testbed, e.Place, o.About.CPUModel, o.About.Backend, e.Weir}
	words = append(words, e.Methods...)
	for _, code := range e.Warnings {
		words = append(words, string(code))
	}
	e.text = x.once(strings.ToLower(strings.Join(words, "\n")))
	return e
}

// foundOf returns a result of the list, by its columns.
func foundOf(o sqlite.Outcome) found {
	r := weir.Result{Method: o.Method, Value: o.Value, Unit: o.Unit, Claim: weir.Claim{Name: o.Claim}}
	for _, code := range o.Warnings {
		r.Warnings = append(r.Warnings, weir.Warning{Code: code})
	}
	return found{o.Method, o.Size, o.Value, o.Unit, result.AtLeast(&r)}
}

// once returns a text that is in memory once.
func (x *index) once(text string) string {
	if known, ok := x.texts[text]; ok {
		return known
	}
	if x.texts == nil {
		x.texts = map[string]string{}
	}
	x.texts[text] = text
	return text
}

// with returns a list with a value in it.
func with[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
