package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"weir/internal/settings"
)

// site is a machine that is being audited, with what was read of it: each file
// and each command once, so that all checks speak of the same moment.
type site struct {
	Config
	links        []link // the devices that are looked at
	all          []link
	guarded      []string // devices that lead to the networks that the machine lives on
	known        map[string]reply
	fingerprints map[string]string
	seen         *activity // by watch
}

type reply struct {
	text string
	err  error
}

// run is what a command says.
func (s *site) run(ctx context.Context, argv ...string) (string, error) {
	key := "$ " + strings.Join(argv, " ")
	r, ok := s.known[key]
	if !ok {
		r.text, r.err = s.Host.Run(ctx, "", argv...)
		s.known[key] = r
	}
	return r.text, r.err
}

// file is the content of a file without the line's end, and whether there is
// one.
func (s *site) file(ctx context.Context, path string) (text string, there bool, err error) {
	r, ok := s.known[path]
	if !ok {
		r.text, r.err = s.Host.ReadFile(ctx, path)
		s.known[path] = r
	}
	if errors.Is(r.err, fs.ErrNotExist) {
		return "", false, nil
	}
	return strings.TrimSpace(r.text), r.err == nil, r.err
}

// number is file for a file that holds one.
func (s *site) number(ctx context.Context, path string) (n int, there bool, err error) {
	text, there, err := s.file(ctx, path)
	if err != nil || !there {
		return 0, there, err
	}
	if n, err = strconv.Atoi(text); err != nil {
		return 0, false, fmt.Errorf("%s holds %q, no number", path, text)
	}
	return n, true, nil
}

// tree reads many small files at once: those that a pattern of the shell stands
// for, by their paths. Files of several lines have the last one.
func (s *site) tree(ctx context.Context, pattern string) (map[string]string, error) {
	// grep fails where no file matches, or one cannot be read: that one is not there.
	text, err := s.run(ctx, "sh", "-c", "grep -sH . "+pattern+" || true")
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	for line := range strings.Lines(text) {
		if path, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			files[path] = value
		}
	}
	return files, nil
}

// cpus are the processors that are in use.
func (s *site) cpus(ctx context.Context) ([]int, error) {
	text, _, err := s.file(ctx, "/sys/devices/system/cpu/online")
	if err != nil {
		return nil, err
	}
	cpus, err := settings.ParseCPUs(text)
	if err == nil && len(cpus) == 0 {
		err = errors.New("the machine does not say which CPUs it has")
	}
	return cpus, err
}

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
