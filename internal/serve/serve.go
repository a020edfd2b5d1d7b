// Package serve shows what a store holds as pages of a site: the list of campaigns, each campaign
// while it is measured and afterwards, and comparisons. It reads the store and nothing else, unless
// it allows actions: nothing couples it with what measures, and it needs no right but to read.
package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/jobs"
	"weir/internal/tokens"
)

// Bounds of what one reader can take.
const (
	readTimeout  = 10 * time.Second
	writeTimeout = 30 * time.Second
	idleTimeout  = time.Minute
	mostHeader   = 16 << 10
	mostBody     = 1 << 16
	mostOpen     = 512 // connections at once
)

// Options are where a server finds what it shows, and who may see it.
type Options struct {
	Store string // path of the store; it may be made later
	Log   *slog.Logger

	Webhook string // address that each change is sent to once; ""
	Sent    string // file of what was sent

	Allow       []tokens.Scope // what people may do but read; nothing
	Tokens      string         // file that says who may
	Guarded     bool           // reading takes a token, too
	BehindProxy bool           // a web server of this machine says by X-Forwarded-For whom it asks for
	TLS         *tls.Config    // by which it answers; nil: without TLS
	Weir        []string       // the command that is weir, before its arguments
	Runner      []string       // the same, with the rights that it takes to measure
}

// Server is a server of pages.
type Server struct {
	Options
	access access
	at     addresses
	index  *index
	pages  *pages
	jobs   *jobs.Queue
	routes http.Handler

	write, importing chan struct{} // a place for who writes to the store, and one for who imports
	listening        chan struct{} // as many places as readers may follow campaigns

	forms, campaignForms []link // to forms of actions: of the site, and of a campaign
}

// New makes a server. It reads nothing before Serve.
func New(o Options) *Server {
	s := &Server{
		Options: o, index: newIndex(o.Store), jobs: jobs.New(), write: make(chan struct{}, 1), importing: make(chan struct{}, 1),
		listening: make(chan struct{}, mostListeners),
	}
	s.access.file, s.access.guarded, s.access.secure, s.access.behindProxy, s.access.now = o.Tokens, o.Guarded, o.TLS != nil, o.BehindProxy, time.Now
	s.pages = newPages(s.index)
	mux := http.NewServeMux()
	for _, r := range routes {
		s.handle(mux, "GET "+r.pattern, mostBody, r.answer)
	}
	if s.signing() {
		s.handle(mux, "GET /sign-in", mostBody, (*Server).signInForm)
		s.handle(mux, "POST /sign-in", mostBody, (*Server).signIn)
		s.handle(mux, "POST /sign-out", mostBody, (*Server).signOut)
	}
	for _, a := range actions {
		if !slices.Contains(o.Allow, a.scope) {
			continue
		}
		s.handle(mux, a.pattern, a.most, permitted(a.scope, a.answer))
		path := strings.TrimPrefix(a.pattern, "GET /")
		if name, is := strings.CutPrefix(path, "c/{id}/"); is && a.link != "" {
			s.campaignForms = append(s.campaignForms, link{name, a.link})
		} else if a.link != "" {
			s.forms = append(s.forms, link{path, a.link})
		}
	}
	s.register(mux)
	s.handle(mux, "/", mostBody, func(_ *Server, w http.ResponseWriter, req *http.Request) error {
		if req.Method != http.MethodGet && req.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			return statusError{http.StatusMethodNotAllowed, "this page is for reading: it takes GET alone"}
		}
		return statusError{http.StatusNotFound, "there is no page " + req.URL.Path}
	})
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.fail(w, req, statusError{http.StatusForbidden, "this form is on a page of another site: go to this one"})
	}))
	s.routes = guard(origins.Handler(s.reading(mux)))
	return s
}

// An answerer answers a request; what is wrong becomes a page that says so.
type answerer = func(*Server, http.ResponseWriter, *http.Request) error

// handle has an answerer answer what matches a pattern, and brings so many octets at most.
func (s *Server) handle(mux *http.ServeMux, pattern string, most int64, answer answerer) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
		req.Body = http.MaxBytesReader(w, req.Body, most)
		if err := answer(s, w, req); err != nil {
			s.fail(w, req, err)
		}
	})
}

// A route is a page, or what belongs to one.
type route struct {
	pattern string
	answer  answerer
}

// routes is the table of all that is served. To add one, write it in a file of its own and enter
// it here.
var routes = []route{
	{"/{$}", (*Server).list},
	{"/c/{id}", (*Server).campaign},
	{"/c/{id}/events", (*Server).events},
	{"/c/{id}/{file}", making((*Server).file)},
	{"/c/{id}/chart/{name}", (*Server).picture},
	{"/c/{id}/badge.svg", (*Server).badge},
	{"/compare", making((*Server).compare)},
	{"/history", making((*Server).history)},
	{"/changes", (*Server).listChanges},
	{"/changes.atom", (*Server).atom},
	{"/metrics", making((*Server).metrics)},
	{"/static/{name}", (*Server).static},
	{"/favicon.ico", (*Server).favicon},
	{apiPath + "result.schema.json", (*Server).schema},
}

// Serve answers on a listener until ctx ends.
func (s *Server) Serve(ctx context.Context, on net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var working sync.WaitGroup
	if s.Webhook != "" {
		hook, err := openWebhook(s.Webhook, s.Sent)
		if err != nil {
			return err
		}
		working.Go(func() { s.notify(ctx, hook) })
	}
	working.Go(func() { s.index.follow(ctx, s.Log) })
	working.Go(func() { s.jobs.Run(ctx) })
	defer func() { stop(); working.Wait(); s.index.forget() }()
	open := &connections{most: mostOpen, open: map[net.Conn]*connection{}}
	server := &http.Server{
		Handler: open.around(s.routes), ConnState: open.note, ConnContext: open.context, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: mostHeader,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug), BaseContext: func(net.Listener) context.Context { return ctx },
	}
	done := make(chan error, 1)
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true) // one request at a time by each connection, whose number is bounded
	if s.TLS != nil {
		server.TLSConfig = s.TLS
		go func() { done <- server.ServeTLS(on, "", "") }()
	} else {
		go func() { done <- server.Serve(on) }()
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	stop() // what follows a campaign ends
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		server.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// statusError is what is wrong with a request, for its reader.
type statusError struct {
	status int
	text   string
}

func (e statusError) Error() string { return e.text }

// fail answers with a page that says what is wrong.
func (s *Server) fail(w http.ResponseWriter, req *http.Request, err error) {
	status := statusError{http.StatusInternalServerError, err.Error()}
	if !errors.As(err, &status) {
		if req.Context().Err() != nil {
			return // nobody waits for it any more
		}
		s.Log.Error("page failed", "path", req.URL.Path, "error", err)
	}
	w.Header().Set("Cache-Control", "no-store")
	if status.status == http.StatusServiceUnavailable || status.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "10")
	}
	if strings.HasPrefix(req.URL.Path, apiPath) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status.status)
		json.NewEncoder(w).Encode(huma.NewError(status.status, status.text)) // nobody hears of one that is not sent
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status.status)
	err = write(w, "error", frame{Title: "weir: " + http.StatusText(status.status), Root: root(req)}, map[string]any{"Text": document.Capitalised(status.text), "First": s.at.first(root(req))})
	if err != nil {
		s.Log.Debug("page not sent", "path", req.URL.Path, "error", err)
	}
}

// site is what pages of documents are part of, with links of their own and what stands above them.
func (s *Server) site(root string, above string, links ...link) (document.Site, error) {
	var b bytes.Buffer
	if err := siteTemplate.ExecuteTemplate(&b, "nav", frame{Nav: append(s.nav(root), links...)}); err != nil {
		return document.Site{}, fmt.Errorf("make the page: %w", err)
	}
	return document.Site{Icon: root + "static/icon.svg", Style: root + "static/weir.css", Script: root + "static/charts.js", Above: template.HTML(b.String() + above)}, nil
}

// sendPage answers with a document as a page.
func (s *Server) sendPage(w http.ResponseWriter, req *http.Request, d document.Document) error {
	var b bytes.Buffer
	site, err := s.site(root(req), "")
	if err != nil {
		return err
	}
	if err := d.WritePage(&b, site); err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = b.WriteTo(w)
	return err
}

// staticFiles are those that all pages share, but for the script that follows a campaign.
var staticFiles = []string{"icon.svg", "weir.css", "charts.js"}

// static answers with a file that all pages share.
func (s *Server) static(w http.ResponseWriter, req *http.Request) error {
	kind, text := "", ""
	switch req.PathValue("name") {
	case "icon.svg":
		kind, text = "image/svg+xml", icon
	case "weir.css":
		kind, text = "text/css; charset=utf-8", string(document.Style())+siteStyle
	case "charts.js":
		kind, text = "text/javascript; charset=utf-8", string(chart.Script())
	case "live.js":
		kind, text = "text/javascript; charset=utf-8", liveScript
	default:
		return statusError{http.StatusNotFound, "there is no file " + req.URL.Path}
	}
	return sendStatic(w, kind, text)
}

// favicon answers with the icon where no page names it, as beside a picture.
func (s *Server) favicon(w http.ResponseWriter, _ *http.Request) error {
	return sendStatic(w, "image/svg+xml", icon)
}

// sendStatic answers with a text that stays as it is.
func sendStatic(w http.ResponseWriter, kind, text string) error {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "max-age=3600")
	_, err := w.Write([]byte(text))
	return err
}
