package campaign

import (
	"fmt"
	"time"
)

// clock is the step under way, and the time of the campaign.
type clock struct {
	size   string        // name of the traffic being measured
	method string        // that is being performed
	key    string        // of the step: no other one of the campaign has it
	began  time.Time     // the step
	limit  time.Duration // of its time; 0: none
	inStep time.Duration // what its trials took
	ofStep time.Duration // its worst-case time
	spent  time.Duration // worst-case time of the steps that are done
	worst  time.Duration // worst-case time of the plan
}

// begin enters a step of the campaign, with its worst-case time; what the step
// before had is spent. Index is its number among those of one traffic, from 1; 0: it
// has none.
func (r *run) begin(size, method string, index int, budget time.Duration) {
	r.clock = clock{
		size: size, method: method, key: fmt.Sprintf("%s, %s", method, size),
		began: time.Now(), ofStep: budget, spent: r.spent + r.ofStep, worst: r.worst,
	}
	if index > 0 {
		r.key = fmt.Sprintf("%d %s", index, r.key)
	}
	if r.level.Name != "" {
		r.key += ", " + r.level.Name
	}
	for _, n := range []struct {
		of    string
		value int
	}{{"run", r.current.Number}, {"round", r.round}, {"part", r.nr}} {
		if n.value > 0 {
			r.key += fmt.Sprintf(", %s %d", n.of, n.value)
		}
	}
}
