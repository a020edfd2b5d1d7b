package lab

import (
	"context"

	"weir"
	"weir/internal/telemetry"
)

// readings are what the DUT's machine says of itself between two times.
type readings struct {
	bed    watchedBed
	meter  *telemetry.Meter
	before telemetry.Snapshot
}

func newReadings(bed watchedBed) *readings {
	return &readings{bed: bed, meter: telemetry.NewMeter(bed.DUT().Host)}
}

func (r *readings) begin(ctx context.Context) (err error) {
	r.before, err = r.read(ctx)
	return err
}

// since are those since it began.
func (r *readings) since(ctx context.Context) ([]weir.Reading, error) {
	after, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	return after.Since(r.before), nil
}

// read reads what the DUT is now: a reset gives it new threads.
func (r *readings) read(ctx context.Context) (telemetry.Snapshot, error) {
	return r.meter.Read(ctx, telemetry.Subject{
		Ports: r.bed.DUT().Ports, CPUs: r.bed.CPUs().DUT, Threads: r.bed.Forwarding(),
	})
}
