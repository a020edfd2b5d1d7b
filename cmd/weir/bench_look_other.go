//go:build !linux

package main

import (
	"context"

	"weir"
	"weir/internal/campaign"
)

// lookAround has nothing to say of a machine without a lab.
func (a *app) lookAround(context.Context, campaign.Plan) ([]weir.Setting, error) { return nil, nil }
