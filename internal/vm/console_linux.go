package vm

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"weir/internal/tail"
)

const (
	consoleSize  = 8000    // of what the console said last is looked at for its last lines, octets
	consoleLines = 6       // of it are part of an error
	consoleMost  = 8 << 20 // octets are kept at most, and then the last half of them, while a second may bring more
)

// openConsole makes the file for what a console says anew: what a guest says is for the eyes
// of whoever started it.
func openConsole(path string) (*os.File, error) {
	if err := makeOwn(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("keep what the console says: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if err == nil {
		err = f.Chmod(0o600) // it may be there from before
	}
	if err != nil {
		return nil, fmt.Errorf("keep what the console says: %w", err)
	}
	return f, nil
}

// boundConsole keeps the file of the console small until the machine ends: a guest may say
// more than there is room for. What it said last stays.
func (m *Machine) boundConsole() {
	defer m.console.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-m.ended:
			return
		case <-tick.C:
			_ = cutConsole(m.console, consoleMost) // it is tried again
		}
	}
}

// cutConsole cuts a file that is too large to its end.
func cutConsole(f *os.File, most int64) error {
	is, err := f.Stat()
	if err != nil || is.Size() <= most {
		return err
	}
	last := make([]byte, most/2)
	n, err := f.ReadAt(last, is.Size()-most/2)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "(weir kept the end of more than %d octets)\n%s", most, last[:n])
	return err
}

// Console are the last lines that the console said.
func (m *Machine) Console(lines int) string {
	return strings.Join(tail.Last(lastOf(m.config.Log), lines), "\n")
}

// lastOf is the end of a file, what can be read of it.
func lastOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if is, err := f.Stat(); err == nil && is.Size() > consoleSize {
		_, _ = f.Seek(-consoleSize, io.SeekEnd)
	}
	text, _ := io.ReadAll(io.LimitReader(f, consoleSize))
	return string(text)
}
