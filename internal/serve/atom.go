package serve

import (
	"encoding/xml"
	"net/http"
	"time"
)

// feed is an Atom feed (RFC 4287), of what this server has to say.
type feed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []feedLink  `xml:"link"`
	Entries []feedEntry `xml:"entry"`
}

type feedLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type feedEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    feedLink `xml:"link"`
	Summary string   `xml:"summary"`
}

// atom answers with the newest changes of all histories as a feed. An entry keeps its id, so that a
// reader tells each of them once.
func (s *Server) atom(w http.ResponseWriter, req *http.Request) error {
	scheme := "http"
	if req.TLS != nil {
		scheme = "https"
	}
	site := scheme + "://" + req.Host + "/"
	f := feed{ID: "urn:weir:changes:" + s.Store, Title: "weir: changes", Author: "weir", Updated: time.Unix(0, 0).UTC().Format(time.RFC3339),
		Links: []feedLink{{"self", site + "changes.atom"}, {"", site + "changes"}}}
	for i, c := range s.index.lastChanges() {
		at := c.from.Started.UTC().Format(time.RFC3339)
		if i == 0 {
			f.Updated = at
		}
		f.Entries = append(f.Entries, feedEntry{ID: "urn:weir:change:" + c.id(), Title: c.sentence(), Updated: at, Link: feedLink{Href: site + c.path()}, Summary: c.reason})
	}
	text, err := xml.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	_, err = w.Write(append([]byte(xml.Header), text...))
	return err
}
