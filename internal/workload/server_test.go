package workload

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"weir"
)

// alive is a process that never ends.
type alive struct{}

func (alive) Alive() error               { return nil }
func (alive) Stop(context.Context) error { return nil }
func (alive) PID() int                   { return 1 }

// distant is a host at which nobody listens and that takes a time to say so.
type distant struct{ weir.Host }

func (distant) ReadFile(context.Context, string) (string, error) {
	time.Sleep(100 * time.Millisecond)
	return "", errors.New("there is no such table")
}

// Whoever failed learns after a limited time that its server has not ended, however long each
// look at that takes.
func TestServerThatDoesNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := endedSoon(t.Context(), alive{}, End{Host: distant{}}, 1); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < endedLimit || took > endedLimit+time.Second {
			t.Errorf("it took %v, want %v and a look", took, endedLimit)
		}
	})
}

func TestEndedEarly(t *testing.T) {
	for _, c := range []struct {
		took, length time.Duration
		early        bool
	}{
		{0, time.Second, true},
		{400 * time.Millisecond, time.Second, true},
		{500 * time.Millisecond, time.Second, false},
		{900 * time.Millisecond, 2 * time.Second, true},
		{4 * time.Second, 5 * time.Second, false},
		{3900 * time.Millisecond, 5 * time.Second, true},
		{54 * time.Second, time.Minute, false},
		{53 * time.Second, time.Minute, true},
		{61 * time.Second, time.Minute, false},
	} {
		if err := endedEarly(c.took, c.length); (err != nil) != c.early {
			t.Errorf("%v of %v: %v", c.took, c.length, err)
		}
	}
}
