package telemetry

import (
	"context"
	"testing"
	"time"

	"weir"
)

// family is a host whose processes are known.
type family struct{ weir.Host }

func (family) Run(context.Context, string, ...string) (string, error) {
	return `/proc/1/stat:1 (init) S 0 1 1 0 -1 4194560 1 2 3 4 900 900 900 900 20 0 1 0 1 0 0
/proc/7/stat:7 (weir) S 1 7 7 0 -1 4194560 1 2 3 4 100 100 1 2 20 0 9 0 1 0 0
/proc/8/stat:8 (a ) name) S 7 7 7 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 9 0 1 0 0
/proc/9/stat:9 (smbd) S 8 7 7 0 -1 4194560 1 2 3 4 5 6 0 0 20 0 9 0 1 0 0
/proc/66/stat:66 (
/proc/66/stat:7 (a) S 1 66 66 0 -1 4194560 1 2 3 4 5 6 9000 9000 20 0 9 0 1 0 0
`, nil
}

func TestDescendants(t *testing.T) {
	got, err := ReadDescendants(t.Context(), family{}, 7)
	if want := (1 + 2 + 10 + 20 + 30 + 40 + 5 + 6) * 10 * time.Millisecond; err != nil || got != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	whole, err := ReadFamily(t.Context(), family{}, 7)
	if want := got + (100+100)*10*time.Millisecond; err != nil || whole != want {
		t.Errorf("with its own: %v, %v, want %v", whole, err, want)
	}
}
