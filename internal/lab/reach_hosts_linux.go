package lab

import (
	"context"
	"errors"
	"slices"

	"weir/internal/plan"
	"weir/internal/settings"
)

// ReachHosts connects with the machines that a plan names, and leaves them as they are: a
// key or a right that is missing is said before other plans are measured for an hour.
func ReachHosts(ctx context.Context, p plan.Plan) error {
	var hosts []string
	if p.DUT.Host != "" {
		hosts = append(hosts, p.DUT.Host)
	}
	if far, are := p.Testbed.FarHosts(); are {
		hosts = append(hosts, far[:]...)
	}
	if p.Testbed.Hosted() {
		for _, end := range p.Testbed.Hosts {
			hosts = append(hosts, end.Host)
		}
	}
	slices.Sort(hosts)
	var errs []error
	for _, host := range slices.Compact(hosts) {
		var undo settings.Undo
		_, err := connect(ctx, host, &undo)
		errs = append(errs, err, undo.Close())
	}
	return errors.Join(errs...)
}
