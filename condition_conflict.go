package weir

import "slices"

// Conflict finds the settings of a condition that do not go together. One that would have no effect
// with another one is such: a level of that name would be a comparison of nothing. What is known of
// a tuning is for its platform to say, with of.
func (c Condition) Conflict(of func(Tuning) TuningInfo) (out Problems) {
	way := c.InDriver()
	for i, s := range c {
		where, what := s.kind().locate(s)
		found := s.kind().findConflicts(s, c)
		if t, is := s.(Tuning); is {
			info := of(t)
			if info.Behind != "" {
				where, what = behindDriver, info.Behind
			}
			if info.Against != nil {
				found = info.Against(c)
			}
			twice := slices.ContainsFunc(c[:i], func(o DUTSetting) bool { return s.kind().replaces(s, o) && t.Name != commandTuning })
			found = append(found, When(twice, "%s is set twice", t.Name).Advise("leave one of them out")...)
		}
		if way != "" && where == behindDriver {
			out = append(out, Wrong("%s takes a frame at the driver, before %s", way, what).Advise("leave one of the two out")...)
		}
		out = append(out, found...)
	}
	return out
}

// WhyAlone says why DUTs that are measured side by side cannot be under a condition; "": they can.
// What is known of a tuning is for its platform to say, with of.
func (c Condition) WhyAlone(of func(Tuning) TuningInfo) string {
	for _, s := range c {
		why := s.kind().whyAlone(s)
		if t, is := s.(Tuning); is && of(t).Machine {
			why = t.Name + " is the whole machine's"
		}
		if why != "" {
			return why
		}
	}
	return ""
}

// InDriver names what takes frames in the drivers of the DUT's ports, before all that is
// behind these; "": nothing does.
func (c Condition) InDriver() string {
	for _, s := range c {
		if where, what := s.kind().locate(s); where == inDriver {
			return what
		}
	}
	return ""
}

// ConflictWith says why a traffic cannot be measured under a condition.
func (c Condition) ConflictWith(t Traffic) (out Problems) {
	for _, s := range c {
		out = append(out, s.kind().refuses(s, t)...)
	}
	return out
}
