package audit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// replayed is a machine as a transcript has it: files by their paths, and what
// commands say by "$ COMMAND". A text that begins with "! " is an error. What is
// there twice is said in turn, the last for ever. What is written stays.
type replayed struct {
	t    testing.TB
	says map[string][]string
	told []string
}

// replay reads a transcript of testdata.
func replay(t testing.TB, name string) *replayed {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	r := &replayed{t: t, says: make(map[string][]string)}
	for _, f := range a.Files {
		r.says[f.Name] = append(r.says[f.Name], string(f.Data))
	}
	return r
}

// with is the machine with something else in one place.
func (r *replayed) with(name string, texts ...string) *replayed {
	r.says[name] = texts
	return r
}

// without is the machine without a file, or with a command that says nothing.
func (r *replayed) without(name string) *replayed {
	delete(r.says, name)
	return r
}

func (r *replayed) take(name string) (string, bool, error) {
	texts, ok := r.says[name]
	if !ok {
		return "", false, nil
	}
	if len(texts) > 1 {
		r.says[name] = texts[1:]
	}
	if why, failed := strings.CutPrefix(texts[0], "! "); failed {
		return "", true, errors.New(strings.TrimSpace(why))
	}
	return texts[0], true, nil
}

func (r *replayed) Name() string { return "replayed" }

func (r *replayed) Run(_ context.Context, stdin string, argv ...string) (string, error) {
	line := "$ " + strings.Join(argv, " ")
	text, there, err := r.take(line)
	if !there {
		return "", errors.New("not in the transcript: " + line)
	}
	return text, err
}

func (r *replayed) ReadFile(_ context.Context, path string) (string, error) {
	text, there, err := r.take(path)
	if !there {
		return "", &os.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return text, err
}

func (r *replayed) WriteFile(_ context.Context, path, data string) error {
	r.told = append(r.told, path+" = "+data)
	r.says[path] = []string{data}
	return nil
}
