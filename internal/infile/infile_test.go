package infile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	folder := t.TempDir()
	file, link, pipe := filepath.Join(folder, "file"), filepath.Join(folder, "link"), filepath.Join(folder, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("123456"), 0o600), os.Symlink("file", link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		most int64
		want string // part of the error; "": there is none
	}{
		{file, 6, ""},
		{link, 6, ""},
		{file, 5, "has 6 octets, and at most 5 are read"},
		{pipe, 6, "is a pipe and no file"},
		{folder, 6, "is a folder and no file"},
		{"/dev/zero", 6, "is a device and no file"},
		{filepath.Join(folder, "nothing"), 6, "no such file"},
		{"/proc/self/status", 6, "has more than the 6 octets"}, // which has no size
	} {
		text, err := Read(c.path, c.most)
		if c.want == "" && (err != nil || string(text) != "123456") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v", c.path, text, err)
		}
	}
}

func TestOpenDisk(t *testing.T) {
	folder := t.TempDir()
	file, empty, pipe := filepath.Join(folder, "file"), filepath.Join(folder, "empty"), filepath.Join(folder, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("123456"), 0o600), os.WriteFile(empty, nil, 0o600), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file: "", empty: "is empty", pipe: "is a pipe and no image", folder: "is a folder and no image", "/dev/zero": "is a device and no image"} {
		f, err := OpenDisk(path)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		f.Close()
	}
}

func TestReadAll(t *testing.T) {
	for most, want := range map[int64]string{7: "", 6: "", 5: "standard input has more than the 5 octets"} {
		text, err := ReadAll(t.Context(), "standard input", strings.NewReader("123456"), most)
		if want == "" && (err != nil || string(text) != "123456") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d: %q, %v", most, text, err)
		}
	}
	silent, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadAll(ctx, "standard input", silent, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("from one who says nothing: %v", err)
	}
}
