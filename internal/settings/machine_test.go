package settings

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"weir"
)

const bootID = "/proc/sys/kernel/random/boot_id"

// machine is a host of files, on which some cannot be written, or keep what they
// have. Its commands all say the same, and those that begin so fail.
type machine struct {
	files         map[string]string
	told          []string
	refused, kept string
	fails         string
	failure       error  // of these; nil: "it failed"
	says          string // on standard output, each of them
}

func newMachine(pairs ...string) *machine {
	m := &machine{files: map[string]string{bootID: "a\n"}}
	for i := 0; i < len(pairs); i += 2 {
		m.files[pairs[i]] = pairs[i+1]
	}
	return m
}

func (*machine) Name() string { return "machine" }

func (m *machine) Run(_ context.Context, stdin string, argv ...string) (string, error) {
	line := strings.Join(argv, " ")
	m.told = append(m.told, line+stdin)
	if m.fails != "" && strings.HasPrefix(line, m.fails) {
		return "", cmp.Or(m.failure, errors.New("it failed"))
	}
	return m.says, nil
}

func (m *machine) ReadFile(_ context.Context, path string) (string, error) {
	text, there := m.files[path]
	if !there {
		return "", &os.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return text, nil
}

func (m *machine) WriteFile(_ context.Context, path, data string) error {
	switch path {
	case m.refused:
		return errors.New("permission denied")
	case m.kept:
		return nil
	}
	m.files[path] = data
	m.told = append(m.told, path+" = "+strings.TrimSpace(data))
	return nil
}

// changes are what it was told since the last call.
func (m *machine) changes() []string {
	told := m.told
	m.told = nil
	return told
}

// open is the machine, whatever it is called.
func (m *machine) open(string) (weir.Host, error) { return m, nil }

// opened is the journal of a file.
func opened(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func quiet(string) {}
