// Package infile opens the files that users name: none that never ends, keeps the
// caller waiting, or is larger than what it should be.
package infile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a file for reading that has at most so many octets. What is no
// ordinary file is an error: a pipe or a device may never say anything, or never
// end.
func Open(path string, most int64) (*os.File, error) { return openFile(path, 0, most) }

// OpenItself is Open of what is no link.
func OpenItself(path string, most int64) (*os.File, error) {
	return openFile(path, syscall.O_NOFOLLOW, most)
}

func openFile(path string, flags int, most int64) (*os.File, error) {
	f, info, err := open(path, flags)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is %s and no file", path, kind(info.Mode()))
	case info.Size() > most:
		err = fmt.Errorf("%s has %d octets, and at most %d are read", path, info.Size(), most)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// OpenDisk opens an image for reading, of any size: a file that is not empty, or a block device.
func OpenDisk(path string) (*os.File, error) {
	f, info, err := open(path, 0)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular() && info.Size() == 0:
		err = fmt.Errorf("%s is empty", path)
	case !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeDevice:
		err = fmt.Errorf("%s is %s and no image", path, kind(info.Mode()))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func open(path string, flags int) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0) // nobody may ever write to a pipe
	if errors.Is(err, syscall.EAGAIN) {
		err = fmt.Errorf("%w: a process that has it open keeps others from opening it", err)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// Read is all that a file holds, as Open has it.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path, most)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return all(path, f, most)
}

// ReadAll is all that comes from somewhere, as from standard input, under a name
// for messages. It ends with the context too, also where nothing comes.
func ReadAll(ctx context.Context, name string, r io.Reader, most int64) ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() { // which nothing ends but who writes
		text, err := all(name, r, most)
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func all(name string, r io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than the %d octets that are read", name, most)
	}
	return text, err
}

// kind is what something in a folder is, with its article.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
