package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

var (
	//go:embed page/document.html
	documentText     string
	documentTemplate = template.Must(template.Must(template.New("document").Funcs(template.FuncMap{
		"kind": func(b block) string {
			return strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", b), "report."), "Block")
		},
		"capital":  capitalised,
		"sentence": sentence,
	}).Funcs(pageFuncs).Parse(documentText)).Parse(brandText + tableText))
)

// html writes a document as one file that needs nothing else.
func (d document) html(b *bytes.Buffer, simulated bool) error {
	title := ""
	for _, s := range d {
		for _, one := range s.Blocks {
			if t, ok := one.(titleBlock); ok && title == "" {
				title = string(t)
			}
		}
	}
	return documentTemplate.Execute(b, struct {
		Title     string
		Style     template.CSS
		Simulated bool
		Sections  document
	}{capital(title), template.CSS(pageStyle + studyStyle), simulated, d})
}
