package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Change is a setting that was changed, with what it was before.
type Change struct {
	Setting
	Check string `json:"check"` // whose finding it mends
	Old   string `json:"old"`
	New   string `json:"new"`  // as the machine has it, once it is done
	Done  bool   `json:"done"` // the machine was seen to have the new value; until then it may have either
}

// Memory is the file in which changes are remembered until they are undone. It
// is replaced as a whole, so whoever is killed leaves the old or the new one.
type Memory struct {
	path string
	kept kept
}

type kept struct {
	Version int      `json:"version"`
	Boot    string   `json:"boot"`    // ID of the machine's start: the next one forgets what was changed
	Changes []Change `json:"changes"` // in the order in which they were made
}

// memoryVersion is that of the file's format.
const memoryVersion = 1

// OpenMemory reads the file; it is no error when there is none yet.
func OpenMemory(path string) (*Memory, error) {
	m := &Memory{path: path, kept: kept{Version: memoryVersion}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was changed: %w", err)
	}
	if err := json.Unmarshal(data, &m.kept); err != nil {
		return nil, fmt.Errorf("%s, which says what was changed, is damaged: %w", path, err)
	}
	if m.kept.Version != memoryVersion {
		return nil, fmt.Errorf("%s, which says what was changed, is of another version of weir (%d, this one knows %d): undo with that one", path, m.kept.Version, memoryVersion)
	}
	return m, nil
}

// Path is where the file lies.
func (m *Memory) Path() string { return m.path }

// Changes are those that are not undone, in the order in which they were made.
func (m *Memory) Changes() []Change { return m.kept.Changes }

// save has the file on disk before it returns. Without changes there is none.
func (m *Memory) save() error {
	if len(m.kept.Changes) == 0 {
		if err := os.Remove(m.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what was remembered: %w", err)
		}
		return nil
	}
	data, err := json.MarshalIndent(m.kept, "", "  ")
	if err == nil {
		err = replace(m.path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remember what is changed: %w", err)
	}
	return nil
}

// replace writes a file beside the old one, and gives it its name.
func replace(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temporary := path + ".new"
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
