//go:build linux || darwin || freebsd

package endhost

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// chunk is how much of a file is handled at once, in octets.
const chunk = 1 << 20

// makeFiles is the role "files-make".
func makeFiles(ctx context.Context, s MakeFiles) (made Files, err error) {
	if s.Files < 0 || s.Size < 0 {
		return made, fmt.Errorf("%d files of %d octets cannot be made", s.Files, s.Size)
	}
	if err := os.MkdirAll(s.Root, 0o711); err != nil {
		return made, fmt.Errorf("make a folder for files: %w", err)
	}
	// Nobody else gets to them: who may read a file may lock it, for which a program waits. A
	// server that serves them as a user of its own is given this folder.
	own, err := os.MkdirTemp(s.Root, "files-")
	if err != nil {
		return made, fmt.Errorf("make a folder for files: %w", err)
	}
	folder := filepath.Join(own, "in")
	made = Files{Folder: folder, Files: []File{}}
	err = os.Mkdir(folder, 0o755)
	for i := 0; i < s.Files && err == nil; i++ {
		var f File
		f, err = makeFile(ctx, folder, fmt.Sprintf("%06d", i+1), s.Size, content(s.Seed, i))
		made.Files = append(made.Files, f)
	}
	if err != nil {
		return made, errors.Join(fmt.Errorf("make %d files of %d octets: %w", s.Files, s.Size, err), os.RemoveAll(own))
	}
	return made, nil
}

// content is an endless stream that does not compress, another one for each
// file.
func content(seed uint64, file int) io.Reader {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(file))
	return rand.NewChaCha8(key)
}

func makeFile(ctx context.Context, folder, name string, size int64, from io.Reader) (File, error) {
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return File{}, err
	}
	hash := sha256.New()
	if err = uncached(f); err == nil {
		err = copied(ctx, io.MultiWriter(f, hash), from, size)
	}
	return File{Name: name, Octets: size, SHA256: hex.EncodeToString(hash.Sum(nil))}, errors.Join(err, f.Close())
}

// copied copies size octets, and less when the context ends.
func copied(ctx context.Context, to io.Writer, from io.Reader, size int64) error {
	buffer := make([]byte, min(chunk, max(size, 1)))
	for size > 0 {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		part := buffer[:min(size, int64(len(buffer)))]
		if _, err := io.ReadFull(from, part); err != nil {
			return err
		}
		if _, err := to.Write(part); err != nil {
			return err
		}
		size -= int64(len(part))
	}
	return nil
}

// syncFiles is the role "files-sync".
func syncFiles(ctx context.Context, s InFolder) (any, error) {
	return nil, each(ctx, s.Folder, func(_ string, f *os.File) error {
		if err := f.Sync(); err != nil {
			return fmt.Errorf("write %s to the disk: %w", f.Name(), err)
		}
		return nil
	})
}

// forgetFiles is the role "files-forget".
func forgetFiles(ctx context.Context, s InFolder) (any, error) {
	return nil, each(ctx, s.Folder, func(_ string, f *os.File) error {
		if err := forget(f); err != nil {
			return fmt.Errorf("take %s out of memory: %w", f.Name(), err)
		}
		return nil
	})
}

// checkFiles is the role "files-check".
func checkFiles(ctx context.Context, s InFolder) (found Files, err error) {
	found = Files{Folder: s.Folder, Files: []File{}}
	err = each(ctx, s.Folder, func(name string, f *os.File) error {
		info, err := f.Stat()
		if err != nil || info.IsDir() {
			return err
		}
		hash := sha256.New()
		if err := copied(ctx, hash, f, info.Size()); err != nil {
			return fmt.Errorf("read %s: %w", f.Name(), err)
		}
		found.Files = append(found.Files, File{Name: name, Octets: info.Size(), SHA256: hex.EncodeToString(hash.Sum(nil))})
		return nil
	})
	return found, err
}

// each opens all that is in a folder, itself included, and does something with
// it. Names are relative to the folder.
func each(ctx context.Context, folder string, do func(name string, f *os.File) error) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil || !entry.IsDir() && !entry.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return do(name, f)
	})
}
