package serve

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"weir"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/report"
)

// compare answers with what campaigns differ in, by their results and by their manifests, as
// "weir compare" does. The last one of an address is the baseline, as a list has the oldest last.
func (s *Server) compare(w http.ResponseWriter, req *http.Request) error {
	p, of, err := s.compared(req.Context(), req.URL.Query()["c"])
	if err != nil {
		return err
	}
	d, err := report.ComparisonPage(p, of)
	if err != nil {
		return statusError{http.StatusUnprocessableEntity, "these campaigns cannot be compared: " + err.Error()}
	}
	return s.sendPage(w, req, d)
}

// compared compares campaigns, the last of which is the baseline, by their results.
func (s *Server) compared(ctx context.Context, ids []string) (p proof.Proof, of report.Compared, err error) {
	switch {
	case len(ids) < 2:
		return p, of, statusError{http.StatusBadRequest, "mark at least two campaigns to compare them"}
	case len(ids) > mostCompare:
		return p, of, statusError{http.StatusBadRequest, fmt.Sprintf("%d campaigns are too many for one comparison: at most %d", len(ids), mostCompare)}
	}
	ids = slices.Clone(ids)
	slices.Reverse(ids) // a list has the newest first, and the oldest is the baseline
	var all []weir.Campaign
	if len(ids) > 2 {
		of.Rows = "campaign"
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return p, of, statusError{http.StatusBadRequest, "campaign " + id + " is there twice"}
		}
		if _, err := s.index.find(id); err != nil {
			return p, of, err
		}
		c, err := s.index.read(ctx, id, 0)
		if err != nil {
			return p, of, err
		}
		c.Results = weir.Latest(c.Results)
		c = proof.WithoutOrder(figures.Printable(c))
		all, of.Manifests = append(all, c), append(of.Manifests, c.Manifest)
	}
	if p, err = proof.Between(all...); err != nil {
		return p, of, statusError{http.StatusUnprocessableEntity, "these campaigns cannot be compared: " + err.Error()}
	}
	return p, of, nil
}
