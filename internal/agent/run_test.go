package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parrots are a role that says what it is told.
func parrots(ended *bool) map[string]Role {
	return map[string]Role{"parrot": Opening(func(_ context.Context, name string) (Opened, error) {
		return Opened{
			Value: len(name),
			Commands: map[string]Command{
				"say":    Do(func(_ context.Context, word string) (string, error) { return name + " " + word, nil }),
				"nod":    func(context.Context, json.RawMessage) (any, error) { return nil, nil },
				"refuse": func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("no") },
			},
			Close: func() { *ended = true },
		}, nil
	})}
}

func TestRun(t *testing.T) {
	ended := false
	roles := parrots(&ended)
	in := `{"id":1,"do":"say","with":"too early"}
{"id":2,"do":"open","with":"Polly"}
{"id":3,"do":"say","with":"hello"}
{"id":4,"do":"nod"}
{"id":5,"do":"refuse"}
{"id":6,"do":"say","with":7}
{"id":7,"do":"open"}
`
	var out bytes.Buffer
	if err := Run(t.Context(), roles, "parrot", strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"id":1,"error":"parrot cannot say now"}
{"id":2,"value":5}
{"id":3,"value":"Polly hello"}
{"id":4}
{"id":5,"error":"no"}
{"id":6,"error":"read what the request says: json: cannot unmarshal number into Go value of type string"}
{"id":7,"error":"parrot cannot open now"}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	if err := Run(t.Context(), roles, "parrot", strings.NewReader(`{"id":1,"do":"open"}`+"\n}"), &out); err == nil {
		t.Error("a line that is no request was taken")
	}
	if err := Run(t.Context(), roles, "cat", strings.NewReader(in), &out); err == nil || err.Error() != `there is no role "cat"` {
		t.Errorf("%v", err)
	}
	if !ended {
		t.Error("the role was not ended")
	}
}

// Nothing outlives the one who has started it, who holds the input open.
func TestRunEndsWithItsInput(t *testing.T) {
	waits := errors.New("it was ended")
	for name, role := range map[string]Role{
		"task": Task(func(ctx context.Context, _ struct{}) (any, error) {
			<-ctx.Done()
			return nil, waits
		}),
		"server": Server(func(ctx context.Context, _ struct{}) (int, func() error, error) {
			return 80, func() error { <-ctx.Done(); return nil }, nil
		}),
	} {
		in, hold := io.Pipe()
		ended := make(chan error, 1)
		var out bytes.Buffer
		go func() { ended <- Run(t.Context(), map[string]Role{name: role}, name, in, &out) }()
		if _, err := io.WriteString(hold, `{"id":1,"do":"open"}`); err != nil {
			t.Fatal(err)
		}
		hold.Close()
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if want := map[string]string{"task": `{"id":1,"error":"it was ended"}`, "server": `{"id":1,"value":80}`}[name]; strings.TrimSpace(out.String()) != want {
			t.Errorf("%s: %q, want %q", name, out.String(), want)
		}
	}
	broken := map[string]Role{"server": Server(func(context.Context, struct{}) (any, func() error, error) {
		return nil, func() error { return waits }, nil
	})}
	in, hold := io.Pipe()
	defer hold.Close()
	go io.WriteString(hold, `{"id":1,"do":"open"}`)
	if err := Run(t.Context(), broken, "server", in, io.Discard); !errors.Is(err, waits) {
		t.Errorf("a server that fails ends with %v", err)
	}
}
