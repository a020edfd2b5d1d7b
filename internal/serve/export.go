package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"weir/internal/outfile"
)

const indexFile = "index.html"

// mostExport is how many files an export has at most.
var mostExport = 2000

// An export is a site that becomes plain files: each link that a page has asks for one.
type export struct {
	files map[string]string // by the path on the server
	paths []string          // of files, in the order in which they were asked for
}

// file returns the file for what the server has at a path.
func (e *export) file(path, file string) string {
	if known, ok := e.files[path]; ok {
		return known
	}
	e.files[path] = file
	e.paths = append(e.paths, path)
	return file
}

// Export writes what a server would show into files of a folder, for any web server: the list, all
// campaigns with their charts, badges and data, and the histories. Nothing is written before all of it
// is made, and the list last. It returns how many files there are.
func Export(ctx context.Context, o Options, folder string) (int, error) {
	s := New(o)
	defer s.index.forget()
	for !s.index.isSettled() { // it finds what experiments prove, and changes, bit by bit
		if err := errors.Join(s.index.refresh(ctx), ctx.Err()); err != nil {
			return 0, err
		}
		if whole, err := s.index.state(); whole && err == nil && len(s.index.all()) == 0 {
			break
		}
	}
	if len(s.index.all()) == 0 {
		return 0, fmt.Errorf("store %s has no campaign: there is nothing to show", o.Store)
	}
	e := &export{files: map[string]string{"": indexFile}, paths: []string{""}}
	s.at.export = e
	for _, name := range staticFiles {
		e.file("static/"+name, "static/"+name)
	}
	made, err := os.MkdirTemp("", "weir-export-*")
	if err != nil {
		return 0, fmt.Errorf("make the pages: %w", err)
	}
	defer os.RemoveAll(made)
	for at := 0; at < len(e.paths); at++ { // each page may ask for more
		if at == mostExport {
			return 0, fmt.Errorf("the site has more than %d files, and nothing was written: export a part of the store (copy what you want into another one)", mostExport)
		}
		text, err := s.fetch(ctx, e.paths[at])
		if err == nil {
			err = os.WriteFile(filepath.Join(made, strconv.Itoa(at)), text, 0o600)
		}
		if err != nil {
			return 0, err
		}
	}
	for at := len(e.paths) - 1; at >= 0; at-- {
		text, err := os.ReadFile(filepath.Join(made, strconv.Itoa(at)))
		if err == nil {
			err = place(filepath.Join(folder, filepath.FromSlash(e.files[e.paths[at]])), text)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(e.paths), nil
}

// place writes a file, and makes its folder.
func place(file string, text []byte) error {
	if err := outfile.MakeFolder(filepath.Dir(file)); err != nil {
		return err
	}
	return outfile.Write(file, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// fetch returns what the server answers at a path.
func (s *Server) fetch(ctx context.Context, at string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/"+at, nil)
	if err != nil {
		return nil, err
	}
	got := answer{header: http.Header{}, status: http.StatusOK}
	s.routes.ServeHTTP(&got, req)
	if got.status != http.StatusOK {
		return nil, fmt.Errorf("make the page %s: %s", path.Join("/", at), http.StatusText(got.status))
	}
	return got.body.Bytes(), ctx.Err()
}

// An answer keeps what a handler writes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
