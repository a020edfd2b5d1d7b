package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"weir"
)

// endLimit is how long stopping all programs of a trial may take.
const endLimit = 30 * time.Second

// Run does what a trial asks of the end hosts. A transfer that broke off is a
// result that says why (weir.Transferred.Failed); an error says that there was
// none. That of a program which is missing is a *weir.UnsupportedError.
func (p Path) Run(ctx context.Context, t weir.Trial) (found weir.Transferred, err error) {
	if t.Transfer == nil {
		return weir.Transferred{}, errors.New("the trial has no transfer")
	}
	prog, err := lookUp(t.Transfer.Program)
	if err != nil {
		return weir.Transferred{}, err
	}
	jobs := p.jobs(t)
	var sessions []*session
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
		defer cancel()
		for _, s := range slices.Backward(sessions) {
			switch left := s.end(ctx); {
			case left == nil:
			case found.Failed != "": // which is why, and what is to be recorded
				found.Failed += "; and afterwards: " + left.Error()
			default:
				err = errors.Join(err, left)
			}
		}
	}()
	for _, j := range jobs {
		s, err := prog.begin(ctx, j)
		if err != nil {
			return weir.Transferred{}, fmt.Errorf("%s: %w", prog.Name, err)
		}
		sessions = append(sessions, s)
	}
	done := func() {}
	if p.Moving != nil {
		done = p.Moving()
	}
	found, err = moved(ctx, jobs, sessions)
	done()
	if err != nil || found.Failed != "" {
		return found, err
	}
	for _, s := range sessions {
		if s.check == nil {
			continue
		}
		if err := s.check(ctx); err != nil {
			found.Failed = err.Error()
			return found, ctx.Err()
		}
		found.Verified = true
	}
	return found, nil
}

// lookUp is the program of that name.
func lookUp(name string) (program, error) {
	i := slices.IndexFunc(programs, func(p program) bool { return p.Name == name })
	if i < 0 {
		var names []string
		for _, p := range programs {
			names = append(names, p.Name)
		}
		return program{}, fmt.Errorf("there is no program %q; there are: %s", name, strings.Join(names, ", "))
	}
	return programs[i], nil
}

// jobs are the directions of a trial.
func (p Path) jobs(t weir.Trial) []*job {
	j := job{line: p.Line, Transfer: *t.Transfer, family: t.Traffic.Family, duration: t.Duration, server: cmp.Or(t.Traffic.Server, weir.Destination)}
	var out []*job
	for backward := range 2 {
		if !t.Traffic.Bidirectional && t.Traffic.Backward != (backward == 1) {
			continue
		}
		one := j
		one.source, one.destination, one.number, one.pausing = p.Ends[backward], p.Ends[1-backward], len(out), &atomic.Bool{}
		out = append(out, &one)
	}
	return out
}

// moved has all jobs move their octets at once, each watched, and adds up what
// came of them. When one breaks off, the others do.
func moved(ctx context.Context, jobs []*job, sessions []*session) (weir.Transferred, error) {
	moving, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	parts, failures := make([]weir.Transferred, len(jobs)), make([]error, len(jobs))
	var all sync.WaitGroup
	for i := range jobs {
		all.Go(func() {
			w := watch(moving, jobs[i])
			part, err := sessions[i].move(w.ctx)
			why := context.Cause(w.ctx)
			part.Rates, part.Interval = w.end()
			part.Server = jobs[i].server
			if err != nil {
				if why != nil && ctx.Err() == nil {
					err = fmt.Errorf("%w (%w)", why, err)
				}
				failures[i] = err
				stop(fmt.Errorf("the other direction broke off: %w", err))
			}
			parts[i] = part
		})
	}
	all.Wait()
	whole := sumDirections(parts)
	for _, err := range failures {
		if err != nil && whole.Failed == "" {
			whole.Failed = err.Error()
		}
	}
	return whole, ctx.Err()
}
