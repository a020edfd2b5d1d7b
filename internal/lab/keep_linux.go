package lab

import (
	"context"
	"errors"

	"weir/internal/dut"
	"weir/internal/plan"
	"weir/internal/testbed"
)

// Keep makes a lab that outlives this process. One that could not be made
// whole is removed.
func Keep(ctx context.Context) (bed *testbed.Netns, err error) {
	if bed, err = testbed.OpenNetns(ctx, testbed.NetnsConfig{Keep: true}); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, bed.Close())
		if err != nil {
			_, down := testbed.Down(context.WithoutCancel(ctx), bed.ID, false)
			err = errors.Join(err, down)
		}
	}()
	platform, err := dut.ByName("linux")
	if err != nil {
		return bed, err
	}
	setup, err := routed(plan.Plan{})
	if err != nil {
		return bed, err
	}
	if _, err := platform.Forward(ctx, bed.DUT(), setup); err != nil {
		return bed, err
	}
	return bed, addressTester(bed)
}
