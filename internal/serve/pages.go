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
	//go:embed page/site.css
	siteStyle string
	//go:embed page/live.js
	liveScript string

	siteTemplate = template.Must(template.New("site").Funcs(template.FuncMap{
		"when":   func(t time.Time) string { return t.Local().Format("2006-01-02 15:04") },
		"stamp":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"proper": document.Proper,
	}).Parse(siteText))
)

// frame is what all pages of the site have.
type frame struct {
	Title string
	Root  string // the way to the first page
	Body  any
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
