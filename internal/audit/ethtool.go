package audit

import (
	"context"
	"strconv"
	"strings"
)

// ethtool asks it about a device. Nothing is said of what the driver does not
// have.
func (s *site) ethtool(ctx context.Context, flag, device string) (string, error) {
	argv := []string{"ethtool", flag, device}
	if flag == "" {
		argv = []string{"ethtool", device}
	}
	text, err := s.run(ctx, argv...)
	if err != nil && unsupported(err) {
		return "", nil
	}
	return text, err
}

// unsupported reports whether a program says that a driver lacks something.
func unsupported(err error) bool {
	return strings.Contains(strings.ToLower(err.Error()), "not supported")
}

// field is the value of a line "name: value".
func field(text, name string) string {
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// presets reads what ethtool -g and -l say: by lower-case name what is possible,
// and what is set. What the driver does not have is not there.
func presets(text string) (maximum, current map[string]int) {
	maximum, current = make(map[string]int), make(map[string]int)
	into := maximum
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "Current hardware settings") {
			into = current
		}
		name, value, ok := strings.Cut(line, ":")
		if n, err := strconv.Atoi(strings.TrimSpace(value)); ok && err == nil {
			into[strings.ToLower(strings.TrimSpace(name))] = n
		}
	}
	return maximum, current
}

// preset writes numbers of presets as ethtool takes them: "rx 256 tx 256".
func preset(names []string, values map[string]int) string {
	var parts []string
	for _, name := range names {
		if n, ok := values[name]; ok {
			parts = append(parts, name+" "+strconv.Itoa(n))
		}
	}
	return strings.Join(parts, " ")
}

// The names of presets that are set together.
var (
	ringNames    = []string{"rx", "tx"}
	channelNames = []string{"rx", "tx", "combined"}
)

// feature is the state of an offload: on, and whether the driver lets it be
// changed; there is false where ethtool does not know it.
func feature(text, name string) (on, fixed, there bool) {
	value := field(text, name)
	return strings.HasPrefix(value, "on"), strings.Contains(value, "[fixed]"), value != ""
}
