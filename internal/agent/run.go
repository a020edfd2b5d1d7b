package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// command is one thing that a role can be asked to do.
type command func(ctx context.Context, with json.RawMessage) (any, error)

// commands are what a role can be asked to do, by name.
type commands map[string]command

// opener begins to play a role. The closing function ends it.
type opener func(with json.RawMessage) (commands, func(), error)

// Run plays a role until its input ends. It is an error when there is no such
// role, or when a line is not a request; what a request could not do is told
// to the one who asked.
func Run(ctx context.Context, role string, in io.Reader, out io.Writer) error {
	begin, ok := roles[role]
	if !ok {
		return fmt.Errorf("there is no role %q", role)
	}
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	var known commands
	for {
		var q request
		if err := requests.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request to %s: %w", role, err)
		}
		value, err := any(nil), error(nil)
		do, isKnown := known[q.Do]
		switch {
		case q.Do == open && known == nil:
			var end func()
			if known, end, err = begin(q.With); err == nil {
				defer end()
			}
		case isKnown:
			value, err = do(ctx, q.With)
		default:
			err = fmt.Errorf("%s cannot %s now", role, q.Do)
		}
		if err := answers.Encode(reply(q.ID, value, err)); err != nil {
			return fmt.Errorf("answer as %s: %w", role, err)
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

// with decodes what a request says into T before a command does it.
func with[T any](do func(context.Context, T) (any, error)) command {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var v T
		if err := decode(raw, &v); err != nil {
			return nil, err
		}
		return do(ctx, v)
	}
}

func decode(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read what the request says: %w", err)
	}
	return nil
}
