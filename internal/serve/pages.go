package serve

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"weir/internal/document"
)

var (
	//go:embed page/site.html
	siteText string
	//go:embed page/actions.html
	actionsText string
	//go:embed page/site.css
	siteStyle string
	//go:embed page/live.js
	liveScript string
	//go:embed page/icon.svg
	icon string

	siteTemplate = template.Must(template.New("site").Funcs(template.FuncMap{
		"when":    func(t time.Time) string { return t.Local().Format("2006-01-02 15:04") },
		"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"proper":  document.Proper,
		"said":    kindWords,
		"capital": document.Capitalised,
		"count":   count,
	}).Parse(siteText + actionsText))
)

// count writes how many things there are.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprint(n, " ", thing)
}

// frame is what all pages of the site have.
type frame struct {
	Title string
	Root  string // the way to the first page
	Nav   []link
	Who   string // has signed in; ""
	Body  any
}

// A link leads to another page.
type link struct{ Address, Text string }

// nav are the links that all pages have.
func (s *Server) nav(root string) []link {
	out := []link{{s.at.first(root), "All campaigns"}}
	for _, l := range s.forms {
		out = append(out, link{root + l.Address, l.Text})
	}
	if s.signing() {
		out = append(out, link{root + "sign-in", "Sign in"})
	}
	return out
}

// campaignLinks lead from the page of a campaign to what one may do with it.
func (s *Server) campaignLinks(id string) (out []link) {
	for _, l := range s.campaignForms {
		out = append(out, link{id + "/" + l.Address, l.Text})
	}
	return out
}

// write writes a page of the site.
func write(w io.Writer, name string, f frame, body any) error {
	f.Body = body
	var b bytes.Buffer
	if err := siteTemplate.ExecuteTemplate(&b, name, f); err != nil {
		return fmt.Errorf("make the page %s: %w", name, err)
	}
	_, err := b.WriteTo(w)
	return err
}
