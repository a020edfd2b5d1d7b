package serve

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir"
)

const (
	onPage      = 50  // campaigns on a page of the list
	mostText    = 200 // letters of a filter
	dayForm     = "2006-01-02"
	mostCompare = 10 // campaigns that are compared at once
)

// A filter is the state of the list: all of it is in the page's address.
type filter struct {
	Query                                                       string
	DUT, Kernel, Testbed, Method, Size, Warning, Verdict, State string
	From, Until                                                 string // days
	Page                                                        int    // from 1

	from, until time.Time
}

// A choice is a filter by a value that campaigns have: its name in an address, what people call
// it, and the values of a campaign.
type choice struct {
	Name, Label string
	of          func(*filter) *string
	values      func(*entry) []string
}

// choices is the table of such filters.
var choices = []choice{
	{"dut", "DUT", func(f *filter) *string { return &f.DUT }, func(e *entry) []string { return []string{e.DUT} }},
	{"kernel", "kernel", func(f *filter) *string { return &f.Kernel }, func(e *entry) []string { return []string{e.Kernel} }},
	{"testbed", "testbed", func(f *filter) *string { return &f.Testbed }, func(e *entry) []string { return []string{e.testbed()} }},
	{"method", "method", func(f *filter) *string { return &f.Method }, func(e *entry) []string { return e.Methods }},
	{"size", "frame size", func(f *filter) *string { return &f.Size }, func(e *entry) []string { return e.Sizes }},
	{"warning", "warning", func(f *filter) *string { return &f.Warning }, func(e *entry) []string { return codesOf(e.Warnings) }},
	{"verdict", "verdict", func(f *filter) *string { return &f.Verdict }, (*entry).verdicts},
	{"state", "state", func(f *filter) *string { return &f.State }, func(e *entry) []string { return []string{e.State()} }},
}

// testbed returns the name of where it was measured: that of the testbed, or its kind.
func (e *entry) testbed() string { return cmp.Or(e.Place, e.Testbed) }

func codesOf(codes []weir.WarningCode) (out []string) {
	for _, c := range codes {
		out = append(out, string(c))
	}
	return out
}

// readFilter reads an address. What means nothing is an error for the reader of the page.
func readFilter(q url.Values) (f filter, err error) {
	f.Page = 1
	for name, values := range q {
		value := strings.TrimSpace(values[0])
		switch at := slices.IndexFunc(choices, func(c choice) bool { return c.Name == name }); {
		case len(value) > mostText:
			return f, fmt.Errorf("the filter %s has %d letters: at most %d", name, len(value), mostText)
		case at >= 0:
			*choices[at].of(&f) = value
		case name == "q":
			f.Query = value
		case name == "from":
			f.From, f.from, err = readDay(name, value)
		case name == "until":
			f.Until, f.until, err = readDay(name, value)
		case name == "page":
			if f.Page, err = strconv.Atoi(value); err != nil || f.Page < 1 {
				return f, fmt.Errorf("there is no page %q: pages are counted from 1", value)
			}
		default:
			return f, fmt.Errorf("there is no filter %q: there are q, from, until, page, %s", name, strings.Join(choiceNames(), ", "))
		}
		if err != nil {
			return f, err
		}
	}
	if !f.until.IsZero() {
		f.until = f.until.AddDate(0, 0, 1)
	}
	return f, nil
}

func choiceNames() (out []string) {
	for _, c := range choices {
		out = append(out, c.Name)
	}
	return out
}

func readDay(name, value string) (string, time.Time, error) {
	if value == "" {
		return "", time.Time{}, nil
	}
	day, err := time.ParseInLocation(dayForm, value, time.Local)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("%s is %q: write a day as %s", name, value, dayForm)
	}
	return value, day, nil
}

// address is the list with this filter.
func (f filter) address(page int) string {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("q", f.Query)
	for _, c := range choices {
		set(c.Name, *c.of(&f))
	}
	set("from", f.From)
	set("until", f.Until)
	if page > 1 {
		set("page", strconv.Itoa(page))
	}
	if len(q) == 0 {
		return "?"
	}
	return "?" + q.Encode()
}

// matches reports whether a campaign passes.
func (f filter) matches(e *entry, words []string) bool {
	for i := range choices {
		if want := *choices[i].of(&f); want != "" && !slices.Contains(choices[i].values(e), want) {
			return false
		}
	}
	if !f.from.IsZero() && e.Started.Before(f.from) || !f.until.IsZero() && !e.Started.Before(f.until) {
		return false
	}
	for _, w := range words {
		if !strings.Contains(e.text, w) && !strings.Contains(e.ID, w) && !strings.Contains(strings.ToLower(e.Name), w) {
			return false
		}
	}
	return true
}

// apply returns the campaigns of a page, and how many pass in all.
func (f filter) apply(all []*entry) (page []*entry, n int) {
	words := strings.Fields(strings.ToLower(f.Query))
	first := (f.Page - 1) * onPage
	for _, e := range all {
		if !f.matches(e, words) {
			continue
		}
		if n >= first && n < first+onPage {
			page = append(page, e)
		}
		n++
	}
	return page, n
}
