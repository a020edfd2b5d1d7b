package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"weir/internal/settings"
)

// ChangedError is a host that is not as it was before a weir that has ended, or is about to.
type ChangedError struct{ Host, By, File string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s is still set as %s has set it, which says so in %s there: where that weir runs, wait for its end; where it was killed, run weir lab restore on its machine; where that is gone, or knows nothing of it, look at what is set at the host, and then remove the file",
		e.Host, e.By, e.File)
}

// marked is the file beside the lock that says that the host is changed, where it has one. It
// outlives the connection, and not the host's next start, as the lock's folder is emptied then.
func (h *Host) marked() (file string, has bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.lock) == 0 {
		return "", false
	}
	return h.lock[0] + ".changed", true
}

// Mark says at a host that is locked that it is changed, or no longer. It is another name of
// the lock, which takes no room on a disk that is full.
func (h *Host) Mark(ctx context.Context, changed bool) error {
	file, has := h.marked()
	if !has {
		return nil
	}
	line := "rm -f " + settings.Quoted(file)
	if changed {
		line += fmt.Sprintf(" && ln %s %s", settings.Quoted(h.lock[0]), settings.Quoted(file))
	}
	s, err := h.quick(ctx, line)
	if err == nil && s.status != 0 {
		err = errors.New(lastLines(s.err, 2))
	}
	if err != nil {
		return fmt.Errorf("%s: say in %s there whether it is changed: %w", h.name, file, err)
	}
	return nil
}

// Unchanged says whether a host that is locked is as it was. The error may be *ChangedError.
func (h *Host) Unchanged(ctx context.Context) error {
	file, has := h.marked()
	if !has {
		return nil
	}
	text, err := h.ReadFile(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, by, _ := strings.Cut(strings.TrimSpace(text), " ") // the number of a shell that has ended
	return &ChangedError{h.name, by, file}
}
