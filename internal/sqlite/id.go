package sqlite

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"time"
)

// NewID returns an id for a campaign that begins at t: the date and minute in UTC, the
// position within the minute in 1/2^24 of it (3.6 us), and 40 random bits, as in
// "20261121-0433-7f3a9c-4b2e81d05f". Ids sort by time, and those of machines that know
// nothing of each other differ. Stores also have ids of before, "20261121-0433-7f3a".
func NewID(t time.Time) string {
	t = t.UTC()
	within := t.Sub(t.Truncate(time.Minute))
	var random [5]byte
	rand.Read(random[:]) // it never fails
	return t.Format("20060102-1504") + fmt.Sprintf("-%06x-%x", int64(within<<24/time.Minute), random)
}

var idForm = regexp.MustCompile(`^[0-9]{8}-[0-9]{4}-[0-9a-f]{6}-[0-9a-f]{10}$`)

// IsID reports whether a text looks like what NewID returns.
func IsID(text string) bool { return idForm.MatchString(text) }
