//go:build !linux

package main

import (
	"context"

	"weir"
	"weir/internal/plan"
)

// lookAround has nothing to say of a machine without a lab.
func (a *app) lookAround(context.Context, plan.Plan) ([]weir.Setting, error) { return nil, nil }
