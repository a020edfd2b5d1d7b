package workload

import (
	"fmt"
	"strconv"
	"strings"

	"weir"
)

var curlVersion = version{(*job).clientEnd, "curl", "curl --version"}

// curlLine marks the lines of curl's own among what it says.
const curlLine = "connections: "

// curlConfig is all that curl is told to move the files below a URL: nothing of it
// is for the list of processes.
func curlConfig(f *files, server weir.Side, user, url string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "silent\nshow-error\nfail-with-body\nfail-early\nnoproxy = \"*\"\nconnect-timeout = 60\nuser = \"%s\"\nwrite-out = \"%s%%{num_connects}\\n\"\n",
		user, curlLine)
	for _, name := range f.names {
		fmt.Fprintf(&out, "url = \"%s/%s\"\n", url, name)
		if server == weir.Source {
			fmt.Fprintf(&out, "output = \"%s/%s\"\n", f.to, name)
		} else {
			fmt.Fprintf(&out, "upload-file = \"%s/%s\"\n", f.from, name)
		}
	}
	return out.String()
}

// curlConnected is nil when all files went over as many connections as they take.
func curlConnected(said string, want int) error {
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
	if connections != want {
		return fmt.Errorf("curl made %d connections where %d would do", connections, want)
	}
	return nil
}

// curlRefusal is what a server says of a file that it does not take or send.
func curlRefusal(said string) string {
	var out []string
	for line := range strings.Lines(said) {
		if !strings.HasPrefix(line, curlLine) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, " ")
}
