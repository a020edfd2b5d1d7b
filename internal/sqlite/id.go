package sqlite

import (
	"fmt"
	"time"
)

// NewID is the id of a campaign that begins at t: the date and minute in UTC
// and the position within the minute in 1/65536 of it (0.9 ms), as in
// "20261121-0433-7f3a". Ids sort by time.
func NewID(t time.Time) string {
	t = t.UTC()
	within := t.Sub(t.Truncate(time.Minute))
	return t.Format("20060102-1504") + fmt.Sprintf("-%04x", int64(within<<16/time.Minute))
}
