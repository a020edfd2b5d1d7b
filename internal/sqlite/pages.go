package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"weir/internal/outfile"
)

// Pages returns the folder beside the store in which each campaign that was measured has a page.
// Forget removes those of what it deletes.
func (s *Store) Pages() string { return filepath.Join(filepath.Dir(s.path), "reports") }

// Page returns the file of a campaign's page, there or not.
func (s *Store) Page(id string) string { return filepath.Join(s.Pages(), pageName(id)) }

func pageName(id string) string { return id + ".html" }

// removePage removes the page of a campaign, and reports whether there was one. Root removes
// nothing from a folder that others may write to.
func (s *Store) removePage(id string) (bool, error) {
	if filepath.Base(id) != id { // none that weir gives
		return false, nil
	}
	if _, err := os.Lstat(s.Page(id)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := outfile.OnlyOurs(s.Page(id)); err != nil {
		return false, err
	}
	folder, err := os.OpenRoot(s.Pages())
	if err != nil {
		return false, err
	}
	defer folder.Close()
	err = folder.Remove(pageName(id))
	return err == nil, err
}
