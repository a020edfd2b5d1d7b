package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// request is one line to a process. The first one opens its role.
type request struct {
	ID   int             `json:"id"`
	Do   string          `json:"do"`
	With json.RawMessage `json:"with,omitempty"`
}

// answer is one line from a process. Answers come in the order of the requests.
type answer struct {
	ID    int             `json:"id"`              // of its request
	Going bool            `json:"going,omitempty"` // it is being done: more is to come
	Error string          `json:"error,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// open is what the first request does.
const open = "open"

// goingEach is how often a process says that it is still doing what it was asked to.
const goingEach = 500 * time.Millisecond

// answers are the lines that a process says.
type answers struct {
	mu    sync.Mutex
	lines *json.Encoder
}

func (a *answers) say(one answer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lines.Encode(one)
}

// going says that a request is being done, again and again until stop is called.
func (a *answers) going(id int) (stop func()) {
	over := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		tick := time.NewTicker(goingEach)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
			}
			if a.say(answer{ID: id, Going: true}) != nil {
				return // so does its answer
			}
		}
	})
	return func() { close(over); telling.Wait() }
}

// Run plays one of some roles until its input or the context ends, whatever it is
// doing then. It is an error when there is no such role, when a line is not a
// request, or when a server fails; what a request could not do is told to the one
// who asked.
func Run(ctx context.Context, roles map[string]Role, name string, in io.Reader, out io.Writer) error {
	begin, ok := roles[name]
	if !ok {
		return fmt.Errorf("there is no role %q", name)
	}
	playing, cancel := context.WithCancel(ctx)
	requests, broken := make(chan request), error(nil) // broken is read when requests is closed
	go func() {
		defer cancel()
		defer close(requests)
		for lines := json.NewDecoder(in); ; {
			var q request
			if broken = lines.Decode(&q); broken != nil {
				return
			}
			select {
			case requests <- q:
			case <-playing.Done():
			}
		}
	}()
	var role Opened
	var serving sync.WaitGroup
	failed := make(chan error, 1)
	defer func() {
		cancel()
		serving.Wait()
		if role.Close != nil {
			role.Close()
		}
	}()
	answers := &answers{lines: json.NewEncoder(out)}
	for opened := false; ; {
		var q request
		var more bool
		select {
		case q, more = <-requests:
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		}
		if !more && errors.Is(broken, io.EOF) {
			return nil
		} else if !more {
			return fmt.Errorf("read a request to %s: %w", name, broken)
		}
		value, err := any(nil), error(nil)
		do, known := role.Commands[q.Do]
		stop := answers.going(q.ID)
		switch {
		case q.Do == open && !opened:
			role, err = begin(playing, q.With)
			value, opened = role.Value, err == nil
			if opened && role.Serve != nil {
				serving.Go(func() { failed <- role.Serve() })
			}
		case known:
			value, err = do(playing, q.With)
		default:
			err = fmt.Errorf("%s cannot %s now", name, q.Do)
		}
		stop()
		if err := answers.say(reply(q.ID, value, err)); err != nil {
			return fmt.Errorf("answer as %s: %w", name, err)
		}
	}
}

func reply(id int, value any, err error) answer {
	a := answer{ID: id}
	if err == nil && value != nil {
		a.Value, err = json.Marshal(value)
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}
