package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parrot is a role that says what it is told.
func parrot(t *testing.T) {
	ended := false
	roles["parrot"] = func(raw json.RawMessage) (commands, func(), error) {
		var name string
		if err := decode(raw, &name); err != nil {
			return nil, nil, err
		}
		return commands{
			"say":    with(func(_ context.Context, word string) (any, error) { return name + " " + word, nil }),
			"nod":    func(context.Context, json.RawMessage) (any, error) { return nil, nil },
			"refuse": func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("no") },
		}, func() { ended = true }, nil
	}
	t.Cleanup(func() {
		delete(roles, "parrot")
		if !ended {
			t.Error("the role was not ended")
		}
	})
}

func TestRun(t *testing.T) {
	parrot(t)
	in := `{"id":1,"do":"say","with":"too early"}
{"id":2,"do":"open","with":"Polly"}
{"id":3,"do":"say","with":"hello"}
{"id":4,"do":"nod"}
{"id":5,"do":"refuse"}
{"id":6,"do":"say","with":7}
{"id":7,"do":"open"}
`
	var out bytes.Buffer
	if err := Run(t.Context(), "parrot", strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"id":1,"error":"parrot cannot say now"}
{"id":2}
{"id":3,"value":"Polly hello"}
{"id":4}
{"id":5,"error":"no"}
{"id":6,"error":"read what the request says: json: cannot unmarshal number into Go value of type string"}
{"id":7,"error":"parrot cannot open now"}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	if err := Run(t.Context(), "parrot", strings.NewReader(`{"id":1,"do":"open"}`+"\n}"), &out); err == nil {
		t.Error("a line that is no request was taken")
	}
	if err := Run(t.Context(), "cat", strings.NewReader(in), &out); err == nil || err.Error() != `there is no role "cat"` {
		t.Errorf("%v", err)
	}
}
