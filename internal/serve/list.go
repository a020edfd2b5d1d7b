package serve

import (
	"net/http"

	"weir"
	"weir/internal/figures"
	"weir/internal/visible"
)

// listPage is what the list shows.
type listPage struct {
	filter
	Rows          []listRow
	Choices       []shownChoice
	Total, Found  int
	First, Last   int
	Before, After string // addresses of the pages before and after; "": there is none
	Filling       bool   // not all campaigns were read yet
	Wrong         string // why the store cannot be read
	Store         string
	Changes       string // address of the changes of all histories
	Fixed         bool   // these are files, which nothing can be asked
}

type listRow struct {
	*entry
	Address string
	Values  []shownValue
}

// A shownValue is what was found, and the address of its history.
type shownValue struct{ Text, History string }

type shownChoice struct {
	choice
	Value   string
	Options []string
}

// list answers with the campaigns that pass a filter.
func (s *Server) list(w http.ResponseWriter, req *http.Request) error {
	f, err := readFilter(req.URL.Query())
	if err != nil {
		return statusError{http.StatusBadRequest, err.Error()}
	}
	all := s.index.all()
	rows, n := f.apply(all)
	whole, wrong := s.index.state()
	p := listPage{filter: f, Total: len(all), Found: n, Filling: !whole, Store: s.Store, Changes: s.at.of("changes", "changes.html"), Fixed: s.at.export != nil}
	if wrong != nil {
		p.Wrong = visible.Line(wrong.Error())
	}
	for _, e := range rows {
		p.Rows = append(p.Rows, listRow{e, s.at.campaign(e.ID), s.valuesOf(e)})
	}
	p.First = min((f.Page-1)*onPage+1, n)
	p.Last = min(f.Page*onPage, n)
	if f.Page > 1 && n > 0 {
		p.Before = s.at.list(f, min(f.Page-1, (n+onPage-1)/onPage))
	}
	if p.Last < n {
		p.After = s.at.list(f, f.Page+1)
	}
	for i, c := range choices {
		p.Choices = append(p.Choices, shownChoice{c, *c.of(&f), s.index.options(i)})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return write(w, "list", frame{Title: "weir: campaigns", Root: root(req), Nav: s.nav(root(req))[1:]}, p)
}

// atLeast is what comes before a lower bound.
func atLeast(is bool) string {
	if is {
		return ">="
	}
	return ""
}

// valuesOf writes what was found, for a list: "64: 1,010 kpps". Campaigns that are not complete have no
// place in a history.
func (s *Server) valuesOf(e *entry) (out []shownValue) {
	history := func(t topic) string {
		if e.Ended != weir.EndedComplete {
			return ""
		}
		return s.at.history(t)
	}
	for _, o := range e.Found {
		text, size := atLeast(o.AtLeast)+figures.Quantity(o.Value, o.Unit), o.Size
		if size == "<nil>" {
			size = ""
		}
		if of := joined(size, o.Case); of != "" {
			text = of + ": " + text
		}
		if len(e.Methods) > 1 {
			text = o.Method + " " + text
		}
		out = append(out, shownValue{visible.Line(text), history(topic{Name: e.Name, DUT: e.DUT, Testbed: e.testbed(), Method: o.Method, Size: o.Size, Case: o.Case})})
	}
	for _, f := range e.Effects {
		if f.secondary || len(out) == 2*mostFound {
			continue
		}
		out = append(out, shownValue{visible.Line(f.String()), history(topic{e.Name, e.DUT, e.testbed(), f.Method, f.Size, f.Case, f.Metric, f.Arm})})
	}
	return out
}
