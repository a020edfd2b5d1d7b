package settings

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"weir"
)

// This is the one place that reads the text of ethtool(8): it is what every host
// can be asked, also one that is reached by commands alone.

func ethtool(ctx context.Context, h weir.Host, args ...string) (string, error) {
	said, err := h.Run(ctx, "", append([]string{"ethtool"}, args...)...)
	if err != nil {
		return "", fmt.Errorf("ask the driver (Debian package ethtool): %w", err)
	}
	return said, nil
}

// Field is the value of the first line "name: value" of a text; "" without one.
func Field(text, name string) string {
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Counts are numbers that a driver has and can have, by ethtool's names in lower
// case. What the driver does not have is not there.
type Counts struct{ Most, Now map[string]int }

// ParseCounts reads what ethtool -g and -l say.
func ParseCounts(text string) Counts {
	c := Counts{make(map[string]int), make(map[string]int)}
	into := c.Most
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "Current hardware settings") {
			into = c.Now
		}
		name, value, ok := strings.Cut(line, ":")
		if n, err := strconv.Atoi(strings.TrimSpace(value)); ok && err == nil {
			into[strings.ToLower(strings.TrimSpace(name))] = n
		}
	}
	return c
}

// Names are those of the numbers that a port has: of queues that both receive and send
// where it has these.
func (c Counts) Names() []string {
	if c.Most["combined"] > 0 {
		return []string{"combined"}
	}
	return []string{"rx", "tx"}
}

// ReadCounts asks for the numbers of a kind of setting, Rings or Channels. What the
// driver can have none of is left out.
func ReadCounts(ctx context.Context, h weir.Host, kind, device string) (Counts, error) {
	text, err := ethtool(ctx, h, counted[kind].read, device)
	c := ParseCounts(text)
	maps.DeleteFunc(c.Now, func(name string, _ int) bool { return c.Most[name] == 0 })
	return c, err
}

// counted are the kinds of settings that are numbers: the options of ethtool that
// read and set them, and the names of those that are set together.
var counted = map[string]struct {
	read, set string
	names     []string
}{
	Rings:    {"-g", "-G", []string{"rx", "tx"}},
	Channels: {"-l", "-L", []string{"rx", "tx", "combined"}},
}

// Value writes numbers as the value of a setting of a kind: "rx 256 tx 256".
func Value(kind string, numbers map[string]int) string {
	var parts []string
	for _, name := range counted[kind].names {
		if n, ok := numbers[name]; ok {
			parts = append(parts, name+" "+strconv.Itoa(n))
		}
	}
	return strings.Join(parts, " ")
}

func readCounts(ctx context.Context, h weir.Host, s Setting) (string, error) {
	c, err := ReadCounts(ctx, h, s.Kind, s.Device)
	return Value(s.Kind, c.Now), err
}

func setCounts(s Setting, v string) Command {
	return command(append([]string{"ethtool", counted[s.Kind].set, s.Device}, strings.Fields(v)...)...)
}

// ParsePause is flow control as ethtool -A takes it, from what -a says.
func ParsePause(text string) string {
	return fmt.Sprintf("autoneg %s rx %s tx %s", Field(text, "Autonegotiate"), Field(text, "RX"), Field(text, "TX"))
}

func readPause(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := ethtool(ctx, h, "-a", s.Device)
	return ParsePause(text), err
}

// fixedMark is what ethtool writes at offloads that cannot be changed.
const fixedMark = "[fixed]"

// ParseFeature is the state of an offload in what ethtool -k says: "on" or "off",
// and whether it is so for good; "" where ethtool does not know it. A group is so
// for good when all of its parts are.
func ParseFeature(text, name string) (state string, fixed bool) {
	parts := false // of a group, fixed ones alone so far
	for line := range strings.Lines(text) {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch value := strings.Fields(rest); {
		case state == "" && key == name && len(value) > 0:
			state, fixed = value[0], strings.Contains(rest, fixedMark)
			if strings.HasPrefix(line, "\t") {
				return state, fixed // a part has no parts
			}
		case state == "":
		case !strings.HasPrefix(line, "\t"):
			return state, fixed
		default:
			fixed = (fixed || !parts) && strings.Contains(rest, fixedMark)
			parts = true
		}
	}
	return state, fixed
}

// ParseParts are the parts of an offload in what ethtool -k says that are not as they are
// for good; the offload itself where it has no parts.
func ParseParts(text, name string) (parts []string) {
	within := false
	for line := range strings.Lines(text) {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case !strings.HasPrefix(line, "\t"):
			within = key == name
		case within && !strings.Contains(rest, fixedMark):
			parts = append(parts, key)
		}
	}
	if len(parts) == 0 {
		parts = []string{name}
	}
	return parts
}

// ReadParts asks for the parts of an offload that can be set.
func ReadParts(ctx context.Context, h weir.Host, device, name string) ([]string, error) {
	text, err := ethtool(ctx, h, "-k", device)
	return ParseParts(text, name), err
}

// ReadFeature asks for the state of an offload.
func ReadFeature(ctx context.Context, h weir.Host, device, name string) (state string, fixed bool, err error) {
	text, err := ethtool(ctx, h, "-k", device)
	if err != nil {
		return "", false, err
	}
	if state, fixed = ParseFeature(text, name); state == "" {
		err = fmt.Errorf("ethtool does not know %s of %s", name, device)
	}
	return state, fixed, err
}

func readFeature(ctx context.Context, h weir.Host, s Setting) (string, error) {
	state, _, err := ReadFeature(ctx, h, s.Device, s.Name)
	return state, err
}

// Driver is the name of a device's driver.
func Driver(ctx context.Context, h weir.Host, device string) (string, error) {
	text, err := ethtool(ctx, h, "-i", device)
	if name := Field(text, "driver"); err != nil || name != "" {
		return name, err
	}
	return "", errors.New("ethtool does not know the driver of " + device)
}
