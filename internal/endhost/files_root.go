//go:build linux || darwin || freebsd

package endhost

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// placeOf is where a folder is, or would be made: the next one above it that is there.
func placeOf(path string) (root string, at unix.Stat_t, err error) {
	root, err = filepath.Abs(path)
	if err != nil {
		return "", at, err
	}
	for {
		if err = unix.Stat(root, &at); !errors.Is(err, fs.ErrNotExist) || root == "/" {
			break
		}
		root = filepath.Dir(root) // where it would be made
	}
	if err != nil {
		return "", at, fmt.Errorf("look at %s: %w", root, err)
	}
	return root, at, nil
}
