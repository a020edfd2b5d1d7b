package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weir/internal/jobs"
	"weir/internal/tokens"
	"weir/internal/visible"
)

const (
	mostImport = 64 << 20 // octets of a file
	importTime = 2 * time.Minute
)

// An importPage is the form that takes a file of results.
type importPage struct {
	Wrong string
	Most  int // MiB
}

// importForm answers with the form that takes a file of results.
func (s *Server) importForm(w http.ResponseWriter, req *http.Request, _ tokens.Token) error {
	return s.showImport(w, req, http.StatusOK, "")
}

func (s *Server) showImport(w http.ResponseWriter, req *http.Request, status int, wrong string) error {
	return s.showForm(w, req, status, "import", "import", importPage{wrong, mostImport >> 20})
}

// importFile has weir import a file that comes in a form, and leads to the campaign that it has become.
func (s *Server) importFile(w http.ResponseWriter, req *http.Request, who tokens.Token) error {
	ids, err := s.importFrom(w, req, who)
	wrong := statusError{}
	switch {
	case errors.As(err, &wrong):
		return s.showImport(w, req, wrong.status, wrong.text)
	case err != nil:
		return err
	}
	seeOther(w, "c/"+ids[0])
	return nil
}

// importFrom imports the file of a request, and returns the campaigns that it has become. One file at
// a time is imported.
func (s *Server) importFrom(w http.ResponseWriter, req *http.Request, who tokens.Token) ([]string, error) {
	ctx, cancel := context.WithTimeout(req.Context(), importTime)
	defer cancel()
	clock := http.NewResponseController(w)
	if err := errors.Join(clock.SetReadDeadline(time.Now().Add(importTime)), clock.SetWriteDeadline(time.Now().Add(importTime+writeTimeout))); err != nil {
		return nil, err
	}
	select {
	case s.importing <- struct{}{}:
		defer func() { <-s.importing }()
	case <-ctx.Done():
		return nil, statusError{http.StatusServiceUnavailable, "another file is being imported: try again"}
	}
	folder, err := os.MkdirTemp("", "weir-import-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	name, err := receive(req, folder)
	if err != nil {
		return nil, err
	}
	out, err := jobs.Do(ctx, jobs.Task{Command: slices.Concat(s.Weir, []string{"import", "--format", "json", "--store", s.Store, "./" + name}), Folder: folder})
	if err != nil {
		return nil, statusError{http.StatusUnprocessableEntity, "it was not imported: " + visible.Text(err.Error())}
	}
	var all []struct{ Campaign string }
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) == 0 {
		return nil, fmt.Errorf("import %s: what was imported is not known: %q", name, out)
	}
	var ids []string
	for _, c := range all {
		ids = append(ids, c.Campaign)
	}
	s.Log.Info("imported", "who", who.Name, "campaigns", ids)
	s.index.await(ctx, func() bool { _, err := s.index.find(ids[0]); return err == nil })
	return ids, nil
}

// receive writes the first file of a form into a folder, and returns its name.
func receive(req *http.Request, folder string) (string, error) {
	parts, err := req.MultipartReader()
	if err != nil {
		return "", unreadable(err)
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return "", statusError{http.StatusUnprocessableEntity, "there is no file: choose one"}
		}
		if err != nil {
			return "", unreadable(err)
		}
		if part.FileName() == "" {
			continue
		}
		name := fileName(part.FileName())
		f, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(f, part)
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			err = unreadable(err)
		}
		return name, errors.Join(err, f.Close())
	}
}

// fileName returns a name for a file that somebody has called so: importers look at what it ends
// with.
func fileName(name string) string {
	const longest = 80
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, name)
	return "file-" + name[max(0, len(name)-longest):]
}
