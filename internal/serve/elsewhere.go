package serve

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/report"
	"weir/internal/result"
)

const (
	mostMetrics  = 20 // campaigns of which the latest results are metrics
	badgeLetter  = 6.6
	badgePadding = 8.0
)

// metrics answers with the results of the latest complete campaign of each name, DUT and testbed.
func (s *Server) metrics(w http.ResponseWriter, req *http.Request) error {
	type kind struct{ name, dut, testbed string }
	seen := map[kind]bool{}
	var all []weir.Campaign
	for _, e := range s.index.all() {
		k := kind{e.Name, e.DUT, e.testbed()}
		if e.Ended != weir.EndedComplete || e.Imported || seen[k] || len(all) == mostMetrics {
			continue
		}
		seen[k] = true
		c, err := s.index.read(req.Context(), e.ID, 0)
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	var b bytes.Buffer
	if err := report.WriteMetrics(&b, all); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
	_, err := b.WriteTo(w)
	return err
}

// badge answers with what a campaign found at a frame size (size=64) by a method (method=sweep) for a goal
// (goal=loss 0.5 %), or last of all, as a small picture. Its colour says how far it can be trusted.
func (s *Server) badge(w http.ResponseWriter, req *http.Request) error {
	made, err := s.pages.get(req.Context(), req.PathValue("id"))
	if err != nil {
		return err
	}
	size, method, goal := req.URL.Query().Get("size"), req.URL.Query().Get("method"), req.URL.Query().Get("goal")
	var c weir.Campaign
	err = s.pages.work(req.Context(), func(ctx context.Context) (err error) {
		c, err = s.index.read(ctx, made.of.ID, 0)
		return err
	})
	if err != nil {
		return err
	}
	for i := len(c.Results) - 1; i >= 0; i-- {
		r := &c.Results[i]
		if e := c.Manifest.Experiment; e != nil && r.Run.Number > 0 && (len(e.Arms) == 0 || r.Run.Arm != e.Arms[0]) {
			continue // what others are compared with is what the campaign found
		}
		if of := fmt.Sprint(r.Factors["frame_size"]); size != "" && of != size || method != "" && r.Method != method || goal != "" && result.Goal(r) != goal || result.Unknown(r) {
			continue
		}
		text := atLeast(result.AtLeast(r)) + figures.Quantity(r.Value, r.Unit)
		switch {
		case result.AtLeast(r):
		case r.Upper > r.Lower && r.Value > 0:
			text += fmt.Sprintf(" +-%s %%", figures.Significant(100*max(r.Upper/r.Value-1, 1-r.Lower/r.Value)))
		}
		return sendBadge(w, joined(labelOf(r.Method, fmt.Sprint(r.Factors["frame_size"]), r.Simulated), result.Goal(r)), text, trustOf(made.document))
	}
	return sendBadge(w, "weir", "no such result", document.NoTrust)
}

// labelOf names what a badge is about.
func labelOf(method, size string, simulated bool) string {
	text := method
	switch {
	case size == "imix":
		text = "IMIX"
	case size != "" && strings.Trim(size, "0123456789") == "":
		text = size + " octets"
	}
	if simulated {
		text = "SIMULATED " + text
	}
	return text
}

// trustOf returns how far the page of a campaign trusts its results.
func trustOf(d document.Document) document.Trust {
	for _, section := range d {
		for _, block := range section.Blocks {
			if b, ok := block.(document.Badge); ok {
				return b.Level
			}
		}
	}
	return document.SomeTrust
}

// badgeColours are those behind what was found.
var badgeColours = map[document.Trust]string{document.GoodTrust: "#00694c", document.SomeTrust: "#9a4a00", document.NoTrust: "#a1182b"}

func sendBadge(w http.ResponseWriter, label, text string, trust document.Trust) error {
	label, text = document.Proper(label), document.Proper(text)
	width := func(s string) float64 { return badgeLetter*float64(len([]rune(s))) + 2*badgePadding }
	left, right := width(label), width(text)
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="20" role="img" aria-label="%[2]s: %[3]s"><title>%[2]s: %[3]s</title>`+
		`<rect width="%.0[1]f" height="20" rx="3" fill="#3a4a5a"/><path d="M%.0[4]f 0h%.0[5]fa3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-%.0[5]fz" fill="%[6]s"/>`+
		`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"><text x="%.1[7]f" y="14">%[2]s</text><text x="%.1[8]f" y="14">%[3]s</text></g></svg>`,
		left+right, html.EscapeString(label), html.EscapeString(text), left, right-3, badgeColours[trust], left/2, left+right/2)
	return err
}
