package vm

import (
	"fmt"
	"io"
	"io/fs"
)

// cpio writes an archive as the kernel unpacks it for its first file system: format
// newc (Documentation/driver-api/early-userspace/buffer-format.rst).
type cpio struct {
	w    io.Writer
	next int // number of the next file
	at   int // octets so far
	err  error
}

// The kinds of files in an archive (inode(7)).
const (
	modeFolder    = 0o040000
	modeFile      = 0o100000
	modeLink      = 0o120000
	modeCharacter = 0o020000
)

// add adds a file by its path without a slash at the beginning. Of a link the data is
// where it leads to.
func (c *cpio) add(path string, mode uint32, data []byte) { c.entry(path, mode, data, 0, 0) }

// device adds a character device.
func (c *cpio) device(path string, permissions fs.FileMode, major, minor int) {
	c.entry(path, modeCharacter|uint32(permissions), nil, major, minor)
}

func (c *cpio) entry(path string, mode uint32, data []byte, major, minor int) {
	c.next++
	links := 1
	c.write(fmt.Appendf(nil, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00",
		c.next, mode, 0, 0, links, 0, len(data), 0, 0, major, minor, len(path)+1, 0, path))
	c.pad()
	c.write(data)
	c.pad()
}

// end ends the archive.
func (c *cpio) end() error {
	c.entry("TRAILER!!!", 0, nil, 0, 0)
	return c.err
}

func (c *cpio) pad() { c.write(make([]byte, -c.at&3)) }

func (c *cpio) write(p []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(p)
		c.at += len(p)
	}
}
