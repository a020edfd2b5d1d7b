package endhost

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// part is played until it is done, its input ends or the context is cancelled.
// What it has to say is a line of JSON each, by tell.
type part func(ctx context.Context, settings json.RawMessage, in io.Reader, tell func(any) error) error

// FromInput stands for settings that are the first line of the input: what nobody
// else is to see is not for a command line.
const FromInput = "-"

// Run plays a part.
func Run(ctx context.Context, name string, settings []byte, in io.Reader, out io.Writer) error {
	play, ok := parts[name]
	if !ok {
		return fmt.Errorf("there is no part %q; there are: %s", name, strings.Join(slices.Sorted(maps.Keys(parts)), ", "))
	}
	if string(settings) == FromInput {
		lines := bufio.NewReader(in)
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("read the settings: %w", err)
		}
		settings, in = line, lines
	}
	lines := json.NewEncoder(out)
	return play(ctx, settings, in, lines.Encode)
}

// with decodes the settings of a part into T. One that is not known is a mistake.
func with[T any](play func(context.Context, T, io.Reader, func(any) error) error) part {
	return func(ctx context.Context, settings json.RawMessage, in io.Reader, tell func(any) error) error {
		var v T
		d := json.NewDecoder(bytes.NewReader(settings))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil {
			return fmt.Errorf("read the settings: %w", err)
		}
		return play(ctx, v, in, tell)
	}
}
