package shell

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// A command runs while another one does, and has its input as it is.
func TestBeside(t *testing.T) {
	b := Beside{opened(t, ""), "near"}
	ctx, cancel := context.WithCancelCause(t.Context())
	long := make(chan error)
	go func() {
		_, err := b.Run(ctx, "", "sh", "-c", "exec sleep 1d")
		long <- err
	}()
	in := strings.Repeat("a 'b'\n", 100_000)
	if out, err := b.Run(t.Context(), in, "cat"); out != in || err != nil {
		t.Errorf("%d octets of %d, %v", len(out), len(in), err)
	}
	if _, err := b.Run(t.Context(), "", "sh", "-c", "echo bad >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "exit status 3: bad") {
		t.Error(err)
	}
	why := errors.New("it took too long")
	cancel(why)
	if err := <-long; !errors.Is(err, why) {
		t.Error(err)
	}
	if b.Name() != "near" {
		t.Error(b.Name())
	}
}
