package workload

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// sftp moves files with OpenSSH: sshd's own server of files, and its client.
var sftp = program{
	Info:  Info{Name: "sftp", Summary: "files by SFTP, with OpenSSH at both ends", Files: true, Tools: sftpTools},
	begin: bySFTP.begin,
}

var bySFTP = copying{tools: sftpTools, port: sshPort, start: startSSH, copy: copyBySFTP, versions: []version{sshVersion}}

var sftpTools = slices.Concat(sshTools, []Tool{{Name: "sftp", Of: "the SFTP client", Package: "openssh-client"}})

func copyBySFTP(ctx context.Context, c *copier) error {
	argv := slices.Concat([]string{"sftp"}, sshOptions(c), []string{"-b", "-", "[" + c.at.Addr().String() + "]"})
	_, err := c.client(ctx, sftpBatch(c.files, c.job.server), argv...)
	return err
}

// sftpBatch are the client's commands for all files of a job.
func sftpBatch(f *files, server weir.Side) string {
	verb := "put"
	if server == weir.Source {
		verb = "get"
	}
	var out strings.Builder
	for _, name := range f.names {
		fmt.Fprintf(&out, "%s \"%s/%s\" \"%s/%s\"\n", verb, f.from, name, f.to, name)
	}
	return out.String()
}
