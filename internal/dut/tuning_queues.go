package dut

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"weir"
)

// ethtoolTable is what `ethtool -l`, `-g` and `-a` say: what there can be, and
// what there is, by name. What has no value is left out.
type ethtoolTable struct{ most, now map[string]string }

func readTable(ctx context.Context, h weir.Host, option, port string) (ethtoolTable, error) {
	text, err := ethtool(ctx, h, option, port)
	if err != nil {
		return ethtoolTable{}, err
	}
	t := ethtoolTable{map[string]string{}, map[string]string{}}
	into := t.now
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(name, "Pre-set maximums"):
			into = t.most
		case strings.HasPrefix(name, "Current hardware settings"):
			into = t.now
		case ok && value != "" && value != "n/a":
			into[name] = value
		}
	}
	return t, nil
}

// counted is a tuning of numbers that ethtool reads and sets: queues and rings.
type counted struct {
	what      string // "queues"
	read, set string // the options
	names     func(ethtoolTable) []string
}

var (
	queueCount = counted{"queues", "-l", "-L", func(t ethtoolTable) []string {
		if n, err := strconv.Atoi(t.most["Combined"]); err == nil && n > 0 {
			return []string{"Combined"}
		}
		return []string{"RX", "TX"}
	}}
	ringSize = counted{"rings", "-g", "-G", func(ethtoolTable) []string { return []string{"RX", "TX"} }}
)

func (c counted) check(ctx context.Context, at target, t weir.Tuning) error {
	n, err := positive(t.Value)
	if err != nil {
		return err
	}
	for i, port := range at.Ports {
		table, err := readTable(ctx, at.Host, c.read, port.DUT)
		if err != nil {
			return &weir.UnsupportedError{Feature: fmt.Sprintf("setting the %s of port %d", c.what, i), Remedy: "its driver has no such setting: leave the level out", Err: err}
		}
		for _, name := range c.names(table) {
			most, err := strconv.Atoi(table.most[name])
			if err != nil {
				return &weir.UnsupportedError{Feature: fmt.Sprintf("setting the %s of port %d", c.what, i), Remedy: "its driver does not say how many there can be: leave the level out"}
			}
			if n > most {
				return fmt.Errorf("port %d can have %d at most (%s): take fewer", i, most, name)
			}
		}
	}
	return nil
}

func (c counted) apply(ctx context.Context, at target, t weir.Tuning, undo *undoList) error {
	for _, port := range at.Ports {
		table, err := readTable(ctx, at.Host, c.read, port.DUT)
		if err != nil {
			return err
		}
		now, before := []string{c.set, port.DUT}, []string{c.set, port.DUT}
		for _, name := range c.names(table) {
			if table.now[name] != t.Value {
				now = append(now, strings.ToLower(name), t.Value)
				before = append(before, strings.ToLower(name), table.now[name])
			}
		}
		if len(now) == 2 {
			continue
		}
		if _, err := ethtool(ctx, at.Host, now...); err != nil {
			return err
		}
		undo.add(func(ctx context.Context) error {
			_, err := ethtool(ctx, at.Host, before...)
			return err
		})
	}
	return nil
}

func checkRing(ctx context.Context, at target, t weir.Tuning) error {
	return ringSize.check(ctx, at, t)
}

func setRing(ctx context.Context, at target, t weir.Tuning, undo *undoList) error {
	return ringSize.apply(ctx, at, t, undo)
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

func setQueues(ctx context.Context, at target, t weir.Tuning, undo *undoList) error {
	return queueCount.apply(ctx, at, t, undo)
}

// checkPause says whether the ports have flow control.
func checkPause(ctx context.Context, at target, t weir.Tuning) error {
	if t.Value != "on" && t.Value != "off" {
		return fmt.Errorf("it is on or off")
	}
	for i, port := range at.Ports {
		if _, err := readTable(ctx, at.Host, "-a", port.DUT); err != nil {
			return &weir.UnsupportedError{Feature: fmt.Sprintf("flow control at port %d", i), Remedy: "its driver has none: leave the level out", Err: err}
		}
	}
	return nil
}

// setPause turns negotiation off too, which would take what the other end says.
func setPause(ctx context.Context, at target, t weir.Tuning, undo *undoList) error {
	for _, port := range at.Ports {
		table, err := readTable(ctx, at.Host, "-a", port.DUT)
		if err != nil {
			return err
		}
		if table.now["RX"] == t.Value && table.now["TX"] == t.Value && table.now["Autonegotiate"] != "on" {
			continue
		}
		pause := func(ctx context.Context, negotiated, rx, tx string) error {
			_, err := ethtool(ctx, at.Host, "-A", port.DUT, "autoneg", negotiated, "rx", rx, "tx", tx)
			return err
		}
		undo.add(func(ctx context.Context) error {
			return pause(ctx, table.now["Autonegotiate"], table.now["RX"], table.now["TX"])
		})
		if err := pause(ctx, "off", t.Value, t.Value); err != nil {
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
