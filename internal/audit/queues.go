package audit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"weir/internal/settings"
)

func checkRings(ctx context.Context, s *site, l link) ([]Finding, error) {
	text, err := s.ethtool(ctx, "-g", l.Name)
	if err != nil {
		return nil, err
	}
	rings := settings.ParseCounts(text)
	for name, most := range rings.Most {
		if (name == "rx" || name == "tx") && rings.Now[name] < most {
			most := settings.Value(settings.Rings, rings.Most)
			return []Finding{{Severity: Note, Found: settings.Value(settings.Rings, rings.Now), Wanted: "known; at most " + most,
				mends: []mend{{settings.Setting{Kind: settings.Rings, Device: l.Name}, most}}}}, nil
		}
	}
	return nil, nil
}

// channels are the receive queues that a device has and could have; 0: it does
// not say.
func (s *site) channels(ctx context.Context, l link) (now, most int, all settings.Counts, err error) {
	text, err := s.ethtool(ctx, "-l", l.Name)
	all = settings.ParseCounts(text)
	return all.Now["rx"] + all.Now["combined"], all.Most["rx"] + all.Most["combined"], all, err
}

func checkQueues(ctx context.Context, s *site, l link) ([]Finding, error) {
	now, most, all, err := s.channels(ctx, l)
	if err != nil || now == 0 {
		return nil, err
	}
	cpus, err := s.cpus(ctx)
	if err != nil || now >= len(cpus) {
		return nil, err
	}
	f := Finding{Severity: Note, Found: fmt.Sprint(now), Wanted: fmt.Sprintf("%d, one for each CPU that forwards", len(cpus))}
	if now == 1 {
		f.Severity = Doubtful
	}
	if most > now {
		values := make(map[string]int)
		for name, n := range all.Most {
			if n > 0 {
				values[name] = min(n, len(cpus))
			}
		}
		if values["combined"] > 0 { // separate ones come on top of these
			delete(values, "rx")
			delete(values, "tx")
		}
		f.mends = []mend{{settings.Setting{Kind: settings.Channels, Device: l.Name}, settings.Value(settings.Channels, values)}}
	} else {
		f.Advice = "the port has no more; name the CPUs that forward in the plan, or spread frames over CPUs with rps_cpus"
	}
	return []Finding{f}, nil
}

// flowsPerQueue is how many flows a queue should have: hashed at random, the
// queues' shares then differ by 10 %.
const flowsPerQueue = 100

func checkFlows(ctx context.Context, s *site) ([]Finding, error) {
	if s.Flows == 0 || len(s.links) == 0 {
		return nil, errNone
	}
	queues := 0
	var errs []error
	for _, l := range s.links {
		now, _, _, err := s.channels(ctx, l)
		errs, queues = append(errs, err), max(queues, now)
	}
	wanted := queues * flowsPerQueue
	if queues <= 1 || s.Flows >= wanted {
		return nil, errors.Join(errs...)
	}
	f := Finding{Severity: Doubtful, Where: "plan", Wanted: fmt.Sprintf("%d or more", wanted),
		Found:  fmt.Sprintf("%d over %d queues, whose shares differ by about %.0f %%", s.Flows, queues, 100*math.Sqrt(float64(queues)/float64(s.Flows))),
		Advice: "set traffic.flows in the plan, or as few queues as there are flows"}
	if s.Flows < queues {
		f.Severity, f.Found = Spoils, fmt.Sprintf("%d, fewer than the %d queues", s.Flows, queues)
	}
	return []Finding{f}, errors.Join(errs...)
}
