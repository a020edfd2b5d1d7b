package workload

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"weir"
	"weir/internal/endhost"
)

// http moves files with curl and a server of weir's own.
var http = program{
	name: "http", summary: "files by HTTP, by curl and a server of weir's own",
	usual: weir.Destination, either: true, files: true,
	tools: httpTools,
	begin: func(ctx context.Context, j *job) (*session, error) {
		return j.copied(ctx, httpTools, j.startHTTP, nil)
	},
}

var httpTools = []Tool{{Name: "curl", Of: "the HTTP client", Package: "curl"}}

// httpCopier is a server, and how to talk to it.
type httpCopier struct {
	*server
	job      *job
	files    *files
	password string
}

// startHTTP starts the server of a job.
func (j *job) startHTTP(ctx context.Context, f *files) (copier, error) {
	h := &httpCopier{job: j, files: f, password: rand.Text()}
	folder, _ := f.served()
	var err error
	h.server, err = j.serve(ctx, "http-serve", endhost.ServeHTTP{Address: j.address(j.serving()), Folder: folder, Password: h.password})
	return h, err
}

func (h *httpCopier) end(ctx context.Context) error { return h.Stop(ctx) }

func (h *httpCopier) version(ctx context.Context) (string, error) {
	said, err := h.job.asking().Host.Run(ctx, "", "curl", "--version")
	return numbered("curl", said), err
}

// copyFiles has curl move all files one after the other over one connection.
func (h *httpCopier) copyFiles(ctx context.Context) error {
	at := netip.AddrPortFrom(h.job.address(h.job.serving()), uint16(h.port))
	said, err := h.job.asking().Host.Run(ctx, curlConfig(h.files, h.job.server, at, h.password), "curl", "-q", "--config", "-")
	if err != nil {
		if refused := curlRefusal(said); refused != "" {
			err = fmt.Errorf("%w: the server says: %s", err, refused)
		}
		return err
	}
	return curlReused(said)
}

// curlLine marks the lines of curl's own among what it says.
const curlLine = "connections: "

// curlConfig is all that curl is told: nothing of it is for the list of
// processes.
func curlConfig(f *files, server weir.Side, at netip.AddrPort, password string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "silent\nshow-error\nfail-with-body\nfail-early\nnoproxy = \"*\"\nconnect-timeout = 10\nuser = \"%s:%s\"\nwrite-out = \"%s%%{num_connects}\\n\"\n",
		endhost.HTTPUser, password, curlLine)
	for _, name := range f.names {
		fmt.Fprintf(&out, "url = \"http://%s/%s\"\n", at, name)
		if server == weir.Source {
			fmt.Fprintf(&out, "output = \"%s/%s\"\n", f.to, name)
		} else {
			fmt.Fprintf(&out, "upload-file = \"%s/%s\"\n", f.from, name)
		}
	}
	return out.String()
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

// curlReused is nil when all files went over one connection.
func curlReused(said string) error {
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
	if connections != 1 {
		return fmt.Errorf("curl made %d connections where one would do", connections)
	}
	return nil
}
