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
	Info: Info{Name: "sftp", Summary: "files by SFTP, with OpenSSH at both ends", Files: true, Tools: sftpTools},
	begin: func(ctx context.Context, j *job) (*session, error) {
		return j.copied(ctx, sftpTools, j.startSFTP, nil)
	},
}

var sftpTools = slices.Concat(sshTools, []Tool{{Name: "sftp", Of: "the SFTP client", Package: "openssh-client"}})

// sftpCopier is the server, and what its client is to do.
type sftpCopier struct {
	*sshLink
	batch string
}

func (j *job) startSFTP(ctx context.Context, f *files) (copier, error) {
	link, err := j.startSSH(ctx)
	if err != nil {
		return nil, err
	}
	return sftpCopier{link, sftpBatch(f, j.server)}, nil
}

func (s sftpCopier) copyFiles(ctx context.Context) error {
	argv := slices.Concat([]string{"sftp"}, s.options(), []string{"-b", "-", "[" + s.address.String() + "]"})
	_, err := s.job.asking().Host.Run(ctx, s.batch, argv...)
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
