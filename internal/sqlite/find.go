package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"weir"
)

// Find reads the campaign with an id, or the only one whose id ends so: people read
// the end, as the beginning is the date.
func (s *Store) Find(ctx context.Context, id string, read func(context.Context, string) (weir.Campaign, error)) (weir.Campaign, error) {
	c, err := read(ctx, id)
	if !errors.As(err, new(*UnknownCampaignError)) {
		return c, err
	}
	rows, listed := s.Campaigns(ctx)
	if listed != nil {
		return c, listed
	}
	var ends []string
	for _, r := range rows {
		if strings.HasSuffix(r.ID, id) {
			ends = append(ends, r.ID)
		}
	}
	switch len(ends) {
	case 0:
		return c, err
	case 1:
		return read(ctx, ends[0])
	}
	return c, fmt.Errorf("several campaigns end with %q: %s; give more of the id", id, strings.Join(ends, ", "))
}
