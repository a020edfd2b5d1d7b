// Package tail keeps the end of what a program says, for the error that it is part of.
package tail

import (
	"cmp"
	"strings"
	"sync"
)

// size is how much is kept, octets, unless a Tail says.
const size = 8000

// Tail keeps the end of what is written to it. Its zero value is empty.
type Tail struct {
	Most int // octets; 0: some thousands
	mu   sync.Mutex
	kept []byte
}

// Write keeps what it is given in place of what came long before. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - cmp.Or(t.Most, size); over > 0 {
		t.kept = append([]byte(nil), t.kept[over:]...)
	}
	return len(p), nil
}

// String is what was kept.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// Last are the last n lines of a text that say something, without what a terminal would
// obey.
func Last(text string, n int) (all []string) {
	for line := range strings.Lines(text) {
		line = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == 0x7f {
				return -1
			}
			return r
		}, line)
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all[max(0, len(all)-n):]
}
