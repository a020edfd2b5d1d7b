package dut

import (
	"context"
	"fmt"
	"strings"

	"weir"
)

// offload is the tuning of an offload, by the name that ethtool has for it.
func offload(name, feature, summary string) tuning {
	return tuning{
		name: name, values: "on, off", summary: summary,
		check: func(ctx context.Context, at target, t weir.Tuning) error {
			if t.Value != "on" && t.Value != "off" {
				return fmt.Errorf("it is on or off")
			}
			for i, port := range at.Ports {
				now, fixed, err := readOffload(ctx, at.Host, port.DUT, feature)
				switch {
				case err != nil:
					return err
				case now == t.Value:
				case fixed:
					return &weir.UnsupportedError{Feature: fmt.Sprintf("%s at port %d (%s)", quoted(t), i, feature), Remedy: "its driver has it " + now + " for good: leave the level out, or take another card"}
				case name == "gro" && at.virtual(ctx, port.DUT):
					return &weir.UnsupportedError{Feature: fmt.Sprintf("%s at port %d, an end of a virtual link", quoted(t), i), Remedy: "without GRO it has no queue for what the tester sends and loses all of it: leave the level out"}
				}
			}
			return nil
		},
		set: func(ctx context.Context, at target, t weir.Tuning, undo *undoList) error {
			for _, port := range at.Ports {
				was, _, err := readOffload(ctx, at.Host, port.DUT, feature)
				if err != nil {
					return err
				}
				if was == t.Value {
					continue
				}
				undo.add(func(ctx context.Context) error {
					return switchOffload(ctx, at.Host, port.DUT, feature, was)
				})
				if err := switchOffload(ctx, at.Host, port.DUT, feature, t.Value); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// switchOffload switches an offload and looks whether it was: some drivers take
// it in silence and leave things as they are.
func switchOffload(ctx context.Context, h weir.Host, port, feature, value string) error {
	if _, err := ethtool(ctx, h, "-K", port, feature, value); err != nil {
		return err
	}
	now, _, err := readOffload(ctx, h, port, feature)
	if err == nil && now != value {
		err = fmt.Errorf("%s of %s is still %s after it was set to %s", feature, port, now, value)
	}
	return err
}

// readOffload says whether an offload is "on" or "off", and whether it is so
// for good.
func readOffload(ctx context.Context, h weir.Host, port, feature string) (state string, fixed bool, err error) {
	text, err := ethtool(ctx, h, "-k", port)
	if err != nil {
		return "", false, err
	}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch value := strings.Fields(rest); {
		case state != "" && !strings.HasPrefix(line, "\t"):
			return state, fixed, nil
		case state != "": // it is a group, and for good what all of its parts are
			fixed = fixed && strings.Contains(rest, fixedMark)
		case name == feature && len(value) > 0:
			state, fixed = value[0], strings.Contains(rest, fixedMark)
			if grouped(text, line) {
				fixed = true
			}
		}
	}
	if state == "" {
		err = fmt.Errorf("ethtool does not know %s of %s", feature, port)
	}
	return state, fixed, err
}

// fixedMark is what ethtool writes at offloads that cannot be changed.
const fixedMark = "[fixed]"

// grouped reports whether lines of parts come after a line.
func grouped(text, line string) bool {
	_, rest, _ := strings.Cut(text, line)
	return strings.HasPrefix(rest, "\t")
}

// virtual reports whether a port of the DUT is an end of a virtual link.
func (at target) virtual(ctx context.Context, port string) bool {
	said, err := ethtool(ctx, at.Host, "-i", port)
	return err == nil && strings.HasPrefix(said, "driver: veth\n")
}

func ethtool(ctx context.Context, h weir.Host, args ...string) (string, error) {
	said, err := h.Run(ctx, "", append([]string{"ethtool"}, args...)...)
	if err != nil {
		return "", fmt.Errorf("ask the driver (Debian package ethtool): %w", err)
	}
	return said, nil
}
