package lab

import (
	"context"
	"errors"

	"weir/internal/campaign"
	"weir/internal/settings"
)

// assembled is a lab that a function assembles, and what removes it. The function notes what
// undoes the lab, also of what there is when it fails.
func assembled(ctx context.Context, assemble func(context.Context, *settings.Undo) (campaign.Lab, error)) (campaign.Lab, func() error, error) {
	var undo settings.Undo
	lab, err := assemble(ctx, &undo)
	if err != nil {
		return campaign.Lab{}, nil, errors.Join(err, undo.Close())
	}
	return lab, undo.Close, nil
}
