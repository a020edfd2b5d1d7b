package workload

import (
	"fmt"
	"strconv"
	"strings"
)

// curlSessions is nil when all files went in one session: one connection for
// what is asked, and another one for each file.
func curlSessions(said string, files int) error {
	connections := 0
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(line, curlLine); ok {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				return fmt.Errorf("read what curl says: %w", err)
			}
			connections += n
		}
	}
	if want := 1 + files; connections != want {
		return fmt.Errorf("curl made %d connections for %d files in one session, which takes %d", connections, files, want)
	}
	return nil
}
