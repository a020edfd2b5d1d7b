package workload

import (
	"context"
	"fmt"
	"net/netip"

	"weir/internal/endhost"
)

// http moves files with curl and a server of weir's own.
var http = program{
	Info:  Info{Name: "http", Summary: "files by HTTP, by curl and a server of weir's own", Files: true, Tools: httpTools},
	begin: byHTTP.begin,
}

var byHTTP = copying{tools: httpTools, start: startHTTP, copy: copyByHTTP, versions: []version{curlVersion}}

var httpTools = []Tool{{Name: "curl", Of: "the HTTP client", Package: "curl"}}

// startHTTP starts a server on a port that the kernel picks.
func startHTTP(ctx context.Context, c *copier) (process, error) {
	s, err := c.job.startRole(ctx, "http-serve", endhost.ServeHTTP{Address: c.at.Addr(), Folder: c.served(), Password: c.password})
	if err == nil {
		c.at = netip.AddrPortFrom(c.at.Addr(), uint16(s.port))
	}
	return s, err
}

// copyByHTTP has curl move all files one after the other over one connection.
func copyByHTTP(ctx context.Context, c *copier) error {
	config := curlConfig(c.files, c.job.server, endhost.HTTPUser+":"+c.password, "http://"+c.at.String())
	said, err := c.client(ctx, config, "curl", "-q", "--config", "-")
	if err != nil {
		if refused := curlRefusal(said); refused != "" {
			err = fmt.Errorf("%w: the server says: %s", err, refused)
		}
		return err
	}
	return curlConnected(said, 1)
}
