package workload

import (
	"context"
	"fmt"
	"net/netip"

	"weir/internal/endhost"
)

// http moves files with curl and a server of weir's own.
var http = program{
	Info: Info{Name: "http", Summary: "files by HTTP, by curl and a server of weir's own", Files: true, Tools: httpTools},
	begin: func(ctx context.Context, j *job) (*session, error) {
		return j.copied(ctx, httpTools, j.startHTTP, nil)
	},
}

var httpTools = []Tool{{Name: "curl", Of: "the HTTP client", Package: "curl"}}

// httpCopier is a server, and how to talk to it.
type httpCopier struct{ fileServer }

// startHTTP starts the server of a job.
func (j *job) startHTTP(ctx context.Context, f *files) (copier, error) {
	h := httpCopier{j.fileServer(f, 0)}
	s, err := j.serve(ctx, "http-serve", endhost.ServeHTTP{Address: h.at.Addr(), Folder: f.served(), Password: h.password})
	if err != nil {
		return nil, err
	}
	h.process, h.at = s, netip.AddrPortFrom(h.at.Addr(), uint16(s.port))
	return h, nil
}

func (h httpCopier) version(ctx context.Context) (string, error) {
	return versionsOf(ctx, asked{h.job.asking(), "curl", "curl --version"})
}

// copyFiles has curl move all files one after the other over one connection.
func (h httpCopier) copyFiles(ctx context.Context) error {
	config := curlConfig(h.files, h.job.server, endhost.HTTPUser+":"+h.password, "http://"+h.at.String())
	said, err := h.job.asking().Host.Run(ctx, config, "curl", "-q", "--config", "-")
	if err != nil {
		if refused := curlRefusal(said); refused != "" {
			err = fmt.Errorf("%w: the server says: %s", err, refused)
		}
		return err
	}
	return curlConnected(said, 1)
}
