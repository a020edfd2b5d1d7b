package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Role begins what a process is there for, with the settings that the first
// request has. The context ends with the process.
type Role func(ctx context.Context, settings json.RawMessage) (Opened, error)

// Opened is a role that has begun.
type Opened struct {
	Value    any                // what the one who opened it is told; nil: nothing
	Commands map[string]Command // what it can be asked to do after that
	Serve    func() error       // runs beside the commands until the context ends; nil: nothing does
	Close    func()             // is called at the end; nil: nothing is to be done
}

// Command is one thing that a role can be asked to do.
type Command func(ctx context.Context, with json.RawMessage) (any, error)

// Opening is a role by what opens it with its settings.
func Opening[S any](open func(context.Context, S) (Opened, error)) Role {
	return func(ctx context.Context, raw json.RawMessage) (Opened, error) {
		settings, err := decoded[S](raw)
		if err != nil {
			return Opened{}, err
		}
		return open(ctx, settings)
	}
}

// Task is a role that does one thing when it is opened, and tells what came of
// it.
func Task[S, V any](do func(context.Context, S) (V, error)) Role {
	return Opening(func(ctx context.Context, settings S) (o Opened, err error) {
		o.Value, err = do(ctx, settings)
		return o, err
	})
}

// Server is a role that tells where it listens when it is opened, and serves from
// then on.
func Server[S, V any](listen func(context.Context, S) (V, func() error, error)) Role {
	return Opening(func(ctx context.Context, settings S) (o Opened, err error) {
		o.Value, o.Serve, err = listen(ctx, settings)
		return o, err
	})
}

// Do is a command by what does it with what the request says.
func Do[T, V any](do func(context.Context, T) (V, error)) Command {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		v, err := decoded[T](raw)
		if err != nil {
			return nil, err
		}
		return do(ctx, v)
	}
}

// decoded is what a request says. A field that is not known is a mistake.
func decoded[T any](raw json.RawMessage) (v T, err error) {
	if len(raw) == 0 {
		return v, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("read what the request says: %w", err)
	}
	return v, nil
}
