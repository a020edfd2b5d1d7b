package dut

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/settings"
)

// counted is a tuning of numbers that ethtool reads and sets: queues and rings.
type counted struct {
	what, kind string // "queues", of settings
}

var (
	queueCount = counted{"queues", settings.Channels}
	ringSize   = counted{"rings", settings.Rings}
)

// wanted are the numbers that a value is, by the names that a port has for them: one for
// all of them, or some with their names.
func (c counted) wanted(value string, has settings.Counts) (map[string]int, error) {
	out := map[string]int{}
	words := strings.Fields(value)
	if len(words) == 1 {
		n, err := positive(value)
		for _, name := range has.Names() {
			out[name] = n
		}
		return out, err
	}
	for pair := range slices.Chunk(words, 2) {
		if !slices.Contains(has.Names(), pair[0]) || len(pair) < 2 {
			return nil, weir.Wrong("%q are no numbers of %s", value, c.what).Advise("give one number, or some of %s, each with its number", strings.Join(has.Names(), " and "))
		}
		n, err := positive(pair[1])
		if err != nil {
			return nil, err
		}
		out[pair[0]] = n
	}
	return out, nil
}

func (c counted) check(ctx context.Context, at target, t weir.Tuning) error {
	for i, port := range at.Ports {
		has, err := settings.ReadCounts(ctx, at.Host, c.kind, port.DUT)
		if err != nil {
			return &weir.UnsupportedError{Feature: fmt.Sprintf("setting the %s of port %d", c.what, i), Remedy: "its driver has no such setting: leave the level out", Err: err}
		}
		wanted, err := c.wanted(t.Value, has)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(wanted)) {
			most, ok := has.Most[name]
			if !ok {
				return &weir.UnsupportedError{Feature: fmt.Sprintf("setting the %s of port %d", c.what, i), Remedy: "its driver does not say how many there can be: leave the level out"}
			}
			if wanted[name] > most {
				return weir.Wrong("port %d can have %d at most (%s)", i, most, name).Advise("take fewer%s", c.apart(has))
			}
		}
	}
	return nil
}

// apart says how to have different numbers, where a port can have more of one than of the
// other.
func (c counted) apart(has settings.Counts) string {
	names := has.Names()
	if c != ringSize || len(names) != 2 || has.Most[names[0]] == has.Most[names[1]] {
		return ""
	}
	return fmt.Sprintf(", or one number for each: %s", settings.Value(c.kind, has.Most))
}

func (c counted) set(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	for _, port := range at.Ports {
		has, err := settings.ReadCounts(ctx, at.Host, c.kind, port.DUT)
		if err != nil {
			return err
		}
		wanted, err := c.wanted(t.Value, has)
		if err != nil {
			return err
		}
		maps.Copy(has.Now, wanted)
		if _, err := undo.Set(ctx, at.Host, settings.Setting{Kind: c.kind, Device: port.DUT}, settings.Value(c.kind, has.Now)); err != nil {
			return err
		}
	}
	return nil
}

// checkQueues refuses queues of virtual links: which one a frame comes to is
// for the sender to say there.
func checkQueues(ctx context.Context, at target, t weir.Tuning) error {
	if err := queueCount.check(ctx, at, t); err != nil {
		return err
	}
	for i, port := range at.Ports {
		if at.virtual(ctx, port.DUT) && t.Value != strconv.Itoa(port.Queues) {
			return &weir.UnsupportedError{Feature: fmt.Sprintf("other queues than %d at port %d, an end of a virtual link", port.Queues, i),
				Remedy: "there the sender chooses the queue and would lose what has none: leave the level out"}
		}
	}
	return nil
}

// checkPause says whether the ports have flow control.
func checkPause(ctx context.Context, at target, t weir.Tuning) error {
	if t.Value != "on" && t.Value != "off" {
		return fmt.Errorf("it is on or off")
	}
	for i, port := range at.Ports {
		if _, err := pause(port).Get(ctx, at.Host); err != nil {
			return &weir.UnsupportedError{Feature: fmt.Sprintf("flow control at port %d", i), Remedy: "its driver has none: leave the level out, or take another card", Err: err}
		}
	}
	return nil
}

func pause(p weir.Port) settings.Setting {
	return settings.Setting{Kind: settings.Pause, Device: p.DUT}
}

// setPause turns negotiation off too, which would take what the other end says.
func setPause(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	for _, port := range at.Ports {
		if _, err := undo.Set(ctx, at.Host, pause(port), "autoneg off rx "+t.Value+" tx "+t.Value); err != nil {
			return err
		}
	}
	return nil
}

// positive reads a number from 1 on.
func positive(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no number from 1 on", value)
	}
	return n, nil
}
