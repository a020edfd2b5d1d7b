package importer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weir/internal/infile"
)

// The limits of what is read.
const (
	headSize    = 64 << 10 // octets that a format is recognised by
	longest     = 64 << 20 // octets of one file, unpacked
	longestLine = 1 << 20  // octets
	mostFiles   = 50_000   // in and below a folder
	mostObjects = 250_000  // JSON objects of one file, also within others
	mostValues  = 2_500_000
)

// File is one that may hold results.
type File struct {
	Path string
	Head []byte // its beginning, unpacked

	inFolder bool   // it was found in a folder that was named, and not named itself
	given    []byte // what it holds, where it is no file; nil: it is one
}

// list are the file at a path, or those in and below the folder there.
func list(path string) (files []File, folder bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, fmt.Errorf("there is nothing to read at %s: %w", path, err)
	}
	if !info.IsDir() {
		return []File{{Path: path}}, false, nil
	}
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("look into %s: %w", p, err)
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && p != path {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && !strings.HasPrefix(d.Name(), ".") {
			files = append(files, File{Path: p, inFolder: true})
		}
		if len(files) > mostFiles {
			return fmt.Errorf("%s holds more than %d files: name a folder within it", path, mostFiles)
		}
		return nil
	})
	return files, true, err
}

// byFolder are files by the folder that they lie in. The logs in a folder RAW
// belong to the numbers in the one above it, where those are.
func byFolder(files []File) [][]File {
	var order []string
	in := map[string][]File{}
	for _, f := range files {
		dir := filepath.Dir(f.Path)
		if _, ok := in[dir]; !ok {
			order = append(order, dir)
		}
		in[dir] = append(in[dir], f)
	}
	var out [][]File
	for _, dir := range order {
		above := in[filepath.Dir(dir)]
		if filepath.Base(dir) == rawFolder && slices.ContainsFunc(above, netbenches.Recognise) {
			continue
		}
		out = append(out, in[dir])
	}
	return out
}

// peek reads the beginning.
func (f *File) peek() error {
	r, err := f.open()
	if err != nil {
		return err
	}
	defer r.Close()
	f.Head = make([]byte, headSize)
	n, err := io.ReadFull(r, f.Head)
	f.Head = f.Head[:n]
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("read %s: %w", f.Path, err)
	}
	return nil
}

// base is the name without its folder, and without that of a packer.
func (f File) base() string { return strings.TrimSuffix(filepath.Base(f.Path), ".gz") }

// opened is a file that is read, with what has to be closed behind it.
type opened struct {
	io.Reader
	file io.Closer
}

func (o opened) Close() error { return o.file.Close() }

// open opens a file, unpacked if it is packed.
func (f File) open() (io.ReadCloser, error) {
	if f.given != nil {
		return f.unpacked(bytes.NewReader(f.given), io.NopCloser(nil))
	}
	file, err := infile.Open(f.Path, longest)
	if err != nil {
		return nil, fmt.Errorf("read what was published: %w", err)
	}
	return f.unpacked(file, file)
}

// unpacked reads what may be packed, in whichever encoding it is.
func (f File) unpacked(r io.Reader, file io.Closer) (io.ReadCloser, error) {
	buffered := bufio.NewReader(r)
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("unpack %s: %w", f.Path, err), file.Close())
		}
		buffered = bufio.NewReader(&bounded{unpacked, longest})
	}
	text, err := decoded(buffered)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", f.Path, err), file.Close())
	}
	return opened{&breaks{from: text}, file}, nil
}

// breaks are lines that end as they do here, whatever system they come from: with
// LF, CR LF, or CR alone.
type breaks struct {
	from io.Reader
	cr   bool // the last octet was one, which was passed on as LF
}

func (b *breaks) Read(p []byte) (int, error) {
	for {
		n, err := b.from.Read(p)
		kept := 0
		for _, c := range p[:n] {
			second := c == '\n' && b.cr
			if b.cr = c == '\r'; b.cr {
				c = '\n'
			}
			if !second {
				p[kept] = c
				kept++
			}
		}
		if kept > 0 || err != nil || n == 0 {
			return kept, err
		}
	}
}

// bounded is an error where there is more to read than it has left: a few octets
// unpack to as many as one likes.
type bounded struct {
	from io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("it is longer than %d MiB unpacked, which no such file of results is", longest>>20)
	}
	return n, err
}

// text is all of a file.
func (f File) text() ([]byte, error) {
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, fmt.Errorf("%s is empty", f.Path)
	}
	return text, nil
}

// lines calls each with every line of a file and its number, from 1.
func (f File) lines(each func(number int, line string) error) error {
	r, err := f.open()
	if err != nil {
		return err
	}
	defer r.Close()
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), longestLine)
	n := 0
	for s.Scan() {
		n++
		if err := each(n, s.Text()); err != nil {
			return err
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: the line is longer than %d octets: this is no file of results", f.Path, n+1, longestLine)
	}
	if s.Err() != nil {
		return fmt.Errorf("read %s: %w", f.Path, s.Err())
	}
	return nil
}
