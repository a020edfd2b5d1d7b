package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"weir"
	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/report"
	"weir/internal/sqlite"
)

const (
	mostTrials = 3000 // of a campaign that a page looks at; what it found is in its results
	mostPages  = 64   // that are kept
	makeTime   = 20 * time.Second
)

// A page is what a campaign looks like in one of its states.
type page struct {
	of       sqlite.Version
	document document.Document
	html     map[string][]byte // by the way to the first page
}

// pages makes the pages of campaigns, and keeps the last ones. One is made at a time, so that many
// readers of one campaign cost as much as one of them.
type pages struct {
	index *index

	mu    sync.Mutex
	known []*page // the one asked for last is the last
}

func newPages(x *index) *pages { return &pages{index: x} }

// get returns the page of a campaign as it is now.
func (p *pages) get(ctx context.Context, id string) (*page, entry, error) {
	e, ok := p.index.find(id)
	if !ok {
		return nil, e, unknown(id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := slices.IndexFunc(p.known, func(o *page) bool { return o.of == e.Version }); at >= 0 {
		found := p.known[at]
		p.known = append(slices.Delete(p.known, at, at+1), found)
		return found, e, nil
	}
	c, err := p.index.read(ctx, id, mostTrials)
	if err != nil {
		return nil, e, err
	}
	made := &page{of: e.Version, document: report.Options{Files: id + "/report."}.Page(c), html: map[string][]byte{}}
	p.known = slices.DeleteFunc(p.known, func(o *page) bool { return o.of.ID == id })
	if len(p.known) == mostPages {
		p.known = slices.Delete(p.known, 0, 1)
	}
	p.known = append(p.known, made)
	return made, e, nil
}

// write returns the page as HTML. A campaign that may go on is followed.
func (p *pages) write(made *page, e entry, root string) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text, ok := made.html[root]; ok {
		return text, nil
	}
	of := site(root)
	if e.Ended != weir.EndedComplete {
		of.Live, of.Data = root+"static/live.js", e.ID+"/events"
	}
	var b bytes.Buffer
	if err := made.document.WritePage(&b, of); err != nil {
		return nil, fmt.Errorf("make the page of campaign %s: %w", e.ID, err)
	}
	made.html[root] = b.Bytes()
	return b.Bytes(), nil
}

// read returns a campaign with its first trials.
func (x *index) read(ctx context.Context, id string, trials int) (weir.Campaign, error) {
	ctx, cancel := context.WithTimeout(ctx, makeTime)
	defer cancel()
	x.mu.RLock()
	store := x.store
	x.mu.RUnlock()
	if store == nil {
		return weir.Campaign{}, unknown(id)
	}
	c, err := store.Abridged(ctx, id, trials)
	if errors.As(err, new(*sqlite.UnknownCampaignError)) {
		return c, unknown(id)
	}
	return c, err
}

func unknown(id string) error {
	return statusError{http.StatusNotFound, fmt.Sprintf("there is no campaign %q in the store: it was deleted, or never there", id)}
}

// campaign answers with the report of a campaign.
func (s *Server) campaign(w http.ResponseWriter, req *http.Request) error {
	made, e, err := s.pages.get(req.Context(), req.PathValue("id"))
	if err != nil {
		return err
	}
	tag := tagOf(e)
	w.Header().Set("ETag", tag)
	if strings.Contains(req.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	text, err := s.pages.write(made, e, root(req))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = w.Write(text)
	return err
}

// tagOf is the state of a campaign, for browsers that have a page of it.
func tagOf(e entry) string { return fmt.Sprintf(`"%s"`, stateTag(e)) }

func stateTag(e entry) string {
	return fmt.Sprintf("%d-%d-%s-%08x", e.LastTrial, e.LastOutcome, e.State()[:1], crc32.ChecksumIEEE([]byte(weir.Version+e.Ended)))
}

// kinds are the media types of formats; others are plain text.
var kinds = map[string]string{
	"html": "text/html; charset=utf-8", "csv": "text/csv; charset=utf-8", "json": "application/json", "junit": "application/xml",
}

// file answers with a campaign in one of the formats of reports, as report.json.
func (s *Server) file(w http.ResponseWriter, req *http.Request) error {
	id := req.PathValue("id")
	format, is := strings.CutPrefix(req.PathValue("file"), "report.")
	if !is {
		return statusError{http.StatusNotFound, "there is no file " + req.URL.Path}
	}
	if err := report.CheckFormat(format, "a campaign is", report.Formats()); err != nil {
		return statusError{http.StatusNotFound, err.Error()}
	}
	if _, ok := s.index.find(id); !ok {
		return unknown(id)
	}
	c, err := s.index.read(req.Context(), id, mostTrials)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := (report.Options{}).Write(&b, format, c); err != nil {
		return err
	}
	kind, ok := kinds[format]
	if !ok {
		kind = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	if format == "html" { // one file that needs nothing else: it has its style and its script
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; sandbox allow-scripts")
	}
	_, err = b.WriteTo(w)
	return err
}

// picture answers with a chart of a campaign's page, for pages elsewhere.
func (s *Server) picture(w http.ResponseWriter, req *http.Request) error {
	made, _, err := s.pages.get(req.Context(), req.PathValue("id"))
	if err != nil {
		return err
	}
	charts := chartsOf(made.document)
	name, _ := strings.CutSuffix(req.PathValue("name"), ".svg")
	at := slices.IndexFunc(charts, func(c named) bool { return c.name == name })
	if at < 0 {
		return statusError{http.StatusNotFound, fmt.Sprintf("this campaign has no chart %q: it has %s", name, strings.Join(namesOf(charts), ", "))}
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox") // it has its style
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	_, err = w.Write([]byte(charts[at].SVG(820, 360)))
	return err
}

// named is a chart with its name in an address.
type named struct {
	name string
	chart.Chart
}

// chartsOf returns the charts of a page, by the words of their titles.
func chartsOf(d document.Document) (out []named) {
	for _, section := range d {
		for _, block := range section.Blocks {
			set, ok := block.(document.ChartSet)
			if !ok {
				continue
			}
			for _, c := range set.Charts {
				name := slug(c.Title)
				if slices.Contains(namesOf(out), name) {
					name = fmt.Sprintf("%s-%d", name, len(out)+1)
				}
				out = append(out, named{name, c})
			}
		}
	}
	return out
}

func namesOf(charts []named) (out []string) {
	for _, c := range charts {
		out = append(out, c.name)
	}
	return out
}

// slug writes a title as a part of an address.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "chart"
	}
	return strings.Join(words, "-")
}
