package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"weir"
	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/report"
	"weir/internal/sqlite"
	"weir/internal/tokens"
)

const (
	mostTrials = 3000             // of a campaign that a page looks at; what it found is in its results
	mostPages  = 64               // that are kept
	makeAtOnce = 2                // pages, files and answers
	makeTime   = 20 * time.Second // to wait for a place, and to read a campaign
	workTime   = 25 * time.Second // for both: less than writeTimeout, so that an answer is sent yet
)

// A page is what a campaign looks like in one of its states.
type page struct {
	of *entry

	once     sync.Once
	err      error
	document document.Document
	progress template.HTML // of one that is being measured

	mu   sync.Mutex
	html map[string][]byte // by the way to the first page
}

// pages makes the pages of campaigns, and keeps the last ones. Many readers of one campaign cost as
// much as one of them, and do not keep those of another one waiting.
type pages struct {
	index  *index
	making chan struct{} // as many places as pages are made at once

	mu    sync.Mutex
	known []*page // the one asked for last is the last
}

func newPages(x *index) *pages { return &pages{index: x, making: make(chan struct{}, makeAtOnce)} }

// get returns the page of a campaign as it is now.
func (p *pages) get(ctx context.Context, id string) (*page, error) {
	e, err := p.index.find(id)
	if err != nil {
		return nil, err
	}
	got := p.place(e)
	got.once.Do(func() { got.err = p.fill(context.WithoutCancel(ctx), got) })
	if got.err != nil { // another try may do better
		p.mu.Lock()
		p.known = slices.DeleteFunc(p.known, func(o *page) bool { return o == got })
		p.mu.Unlock()
	}
	return got, got.err
}

// place returns the page of a campaign's state among those that are kept. It takes the place of one
// of an older state, or of the page that nobody has asked for longest.
func (p *pages) place(e *entry) *page {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.known, func(o *page) bool { return o.of.ID == e.ID })
	got := &page{of: e, html: map[string][]byte{}}
	if at >= 0 {
		if known := p.known[at]; known.of.Version == e.Version && known.of.process == e.process {
			got = known
		}
		p.known = slices.Delete(p.known, at, at+1)
	}
	if len(p.known) == mostPages {
		p.known = slices.Delete(p.known, 0, 1)
	}
	p.known = append(p.known, got)
	return got
}

// errBusy says why something was not made.
var errBusy = statusError{http.StatusServiceUnavailable, "others ask for more than this server can make at once: try again"}

// take waits for a place among those who make something of whole campaigns, and returns what gives it back.
func (p *pages) take(ctx context.Context) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, makeTime)
	defer cancel()
	select {
	case p.making <- struct{}{}:
		return func() { <-p.making }, nil
	case <-ctx.Done():
		return nil, errBusy
	}
}

// work does something with a place among those who make something of whole campaigns, in workTime.
func (p *pages) work(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, workTime)
	defer cancel()
	release, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err = do(ctx); err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errBusy
	}
	return err
}

// making has an answerer wait for a place among those who make something of whole campaigns. It has given
// that back when what it made is sent: a reader may take it slowly.
func making(do answerer) answerer {
	return func(s *Server, w http.ResponseWriter, req *http.Request) error {
		made := answer{header: w.Header(), status: http.StatusOK}
		err := s.pages.work(req.Context(), func(ctx context.Context) error { return do(s, &made, req.WithContext(ctx)) })
		if err != nil {
			return err
		}
		w.WriteHeader(made.status)
		_, err = made.body.WriteTo(w)
		return err
	}
}

// fill makes a page's document.
func (p *pages) fill(ctx context.Context, of *page) error {
	return p.work(ctx, func(ctx context.Context) error {
		c, err := p.index.read(ctx, of.of.ID, mostTrials)
		if err == nil {
			of.document = report.Options{Files: of.of.ID + "/report."}.Page(c)
			if of.of.Runs() {
				of.progress = progressOf(of.of, c, time.Now()).html()
			}
		}
		return err
	})
}

// write returns the page as HTML, as part of a site. A campaign that may still be measured is
// followed.
func (p *page) write(root string, of document.Site) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text, ok := p.html[root]; ok {
		return text, nil
	}
	var b bytes.Buffer
	if err := p.document.WritePage(&b, of); err != nil {
		return nil, fmt.Errorf("make the page of campaign %s: %w", p.of.ID, err)
	}
	p.html[root] = b.Bytes()
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
		return weir.Campaign{}, x.unknown(id)
	}
	c, err := store.Abridged(ctx, id, trials)
	if errors.As(err, new(*sqlite.UnknownCampaignError)) {
		return c, x.unknown(id)
	}
	return c, err
}

// unknown says that a campaign is not there, or not known yet.
func (x *index) unknown(id string) error {
	if whole, _ := x.state(); !whole {
		return statusError{http.StatusServiceUnavailable, fmt.Sprintf("campaign %q is not among those that were read so far: the store is still being read, try again in a minute", id)}
	}
	return statusError{http.StatusNotFound, fmt.Sprintf("there is no campaign %q in the store: it was deleted, or never there", id)}
}

// campaign answers with the report of a campaign.
func (s *Server) campaign(w http.ResponseWriter, req *http.Request) error {
	made, err := s.pages.get(req.Context(), req.PathValue("id"))
	if err != nil {
		return err
	}
	tag := `"` + stateTag(made.of) + "-" + tokens.List(s.Allow) + `"` // which the page has links for
	w.Header().Set("ETag", tag)
	if strings.Contains(req.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	from := root(req)
	said, err := notes(made.of)
	if err != nil {
		return err
	}
	of, err := s.site(from, said, s.campaignLinks(made.of.ID)...)
	if err != nil {
		return err
	}
	switch {
	case s.at.export != nil:
		s.exportFiles(made)
	case made.of.Runs():
		of.Live, of.Data = from+"static/live.js", made.of.ID+"/events"
		of.Above += made.progress
	}
	text, err := made.write(from, of)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = w.Write(text)
	return err
}

// exportFiles asks for what belongs to a campaign's page.
func (s *Server) exportFiles(of *page) {
	at, to := "c/"+url.PathEscape(of.of.ID), "c/"+pageFile(of.of.ID)
	for _, file := range []string{"/report.json", "/report.csv", "/badge.svg"} {
		s.at.export.file(at+file, to+file)
	}
	for _, c := range chartsOf(of.document) {
		file := "/chart/" + c.name + ".svg"
		s.at.export.file(at+file, to+file)
	}
}

// stateTag tells one state of a campaign, as this weir shows it, from another.
func stateTag(e *entry) string {
	return fmt.Sprintf("%d-%d-%d-%08x", e.LastTrial, e.LastOutcome, e.LastNote, crc32.ChecksumIEEE([]byte(weir.Version+e.State()+e.Ended)))
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
	if _, err := s.index.find(id); err != nil {
		return err
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
	made, err := s.pages.get(req.Context(), req.PathValue("id"))
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
