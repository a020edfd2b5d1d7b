package dut

import (
	"context"
	"fmt"
	"slices"

	"weir"
	"weir/internal/settings"
)

// offload is the tuning of an offload, by the name that ethtool has for it. Drivers have
// some of them by one of several names.
func offload(name, summary string, features ...string) tuning {
	return tuning{
		name: name, kind: weir.Switch, values: "on, off", summary: summary, needs: []string{"ethtool"},
		check: func(ctx context.Context, at target, t weir.Tuning) error {
			if t.Value != "on" && t.Value != "off" {
				return fmt.Errorf("it is on or off")
			}
			for i, port := range at.Ports {
				feature, now, fixed, err := at.settable(ctx, port.DUT, features)
				switch {
				case err != nil:
					return err
				case now == t.Value:
				case fixed:
					return &weir.UnsupportedError{Feature: fmt.Sprintf("%s at port %d (%s)", quoted(t), i, feature), Remedy: "its driver has it " + now + " for good: leave the level out, or take another card"}
				case name == "gro" && at.KeepNAPI == nil && at.virtual(ctx, port.DUT):
					return &weir.UnsupportedError{Feature: fmt.Sprintf("%s at port %d, an end of a virtual link", quoted(t), i), Remedy: "without GRO it has no NAPI, and loses all that the tester sends: leave the level out, or measure a lab of kind netns, where a program keeps it"}
				}
			}
			return nil
		},
		set: func(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
			for _, port := range at.Ports {
				if name == "gro" && t.Value == "off" && at.KeepNAPI != nil && at.virtual(ctx, port.DUT) {
					back, err := at.KeepNAPI(port.DUT)
					if err != nil {
						return fmt.Errorf("keep the NAPI of %s without GRO: %w", port.DUT, err)
					}
					undo.AddClose(back)
				}
				feature, _, _, err := at.settable(ctx, port.DUT, features)
				if err != nil {
					return err
				}
				if err := at.setParts(ctx, port.DUT, feature, t.Value, undo); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// againstDriver says that GRO is off without an effect where something takes frames before it.
func againstDriver(t weir.Tuning, c weir.Condition) weir.Problems {
	way := c.InDriver()
	return weir.When(t.Value == "off" && way != "", "gro off: %s takes frames before GRO would see them", way).Advise("leave one of the two out")
}

// setParts sets an offload of a port part by part, so that each is what it was when that
// is undone: the whole of it may have been on with parts that were off.
func (at target) setParts(ctx context.Context, port, feature, value string, undo *settings.Undo) error {
	parts, err := settings.ReadParts(ctx, at.Host, port, feature)
	if value == "off" {
		slices.Reverse(parts) // the others need the first
	}
	for _, part := range parts {
		if err != nil {
			break
		}
		_, err = undo.Set(ctx, at.Host, settings.Setting{Kind: settings.Feature, Device: port, Name: part}, value)
	}
	if err != nil {
		return err
	}
	now, _, err := settings.ReadFeature(ctx, at.Host, port, feature)
	if err == nil && now != value { // some drivers take it in silence and leave things as they are
		err = fmt.Errorf("%s of %s is still %s after it was set to %s", feature, port, now, value)
	}
	return err
}

// settable is the first of an offload's names by which the driver of a port lets it be
// set, and how it is; the first of all where there is none.
func (at target) settable(ctx context.Context, port string, features []string) (name, now string, fixed bool, err error) {
	name = features[0]
	if now, fixed, err = settings.ReadFeature(ctx, at.Host, port, name); err != nil || !fixed {
		return name, now, fixed, err
	}
	for _, other := range features[1:] {
		if state, forGood, err := settings.ReadFeature(ctx, at.Host, port, other); err == nil && !forGood {
			return other, state, false, nil
		}
	}
	return name, now, fixed, nil
}

// virtual reports whether a port of the DUT is an end of a virtual link.
func (at target) virtual(ctx context.Context, port string) bool {
	driver, err := settings.Driver(ctx, at.Host, port)
	return err == nil && driver == "veth"
}
