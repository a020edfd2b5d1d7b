package workload

import (
	"context"
	"fmt"
	"net/netip"

	"weir"
	"weir/internal/service"
)

// rsync moves files with rsync and its daemon, whole and as they are: nothing is
// compared with what might be there, and nothing compressed.
var rsync = program{
	Info: Info{Name: "rsync", Summary: "files by rsync, from or to its daemon", Files: true, Tools: rsyncTools},
	begin: func(ctx context.Context, j *job) (*session, error) {
		return j.copied(ctx, rsyncTools, j.startRsync, nil)
	},
}

var rsyncTools = []Tool{
	{Name: "rsync", Of: "the rsync daemon", Package: "rsync", Server: true},
	{Name: "rsync", Of: "the rsync client", Package: "rsync"},
}

// rsyncPort is the first port of rsync daemons.
const rsyncPort = 8730

// The user of a daemon, and what it calls the folder with the files.
const (
	rsyncUser   = "weir"
	rsyncModule = "files"
)

// rsyncCopier is a daemon, and how to talk to it.
type rsyncCopier struct{ fileServer }

func (j *job) startRsync(ctx context.Context, f *files) (copier, error) {
	r := rsyncCopier{j.fileServer(f, rsyncPort)}
	var err error
	r.process, err = j.listens(ctx, service.Program{
		Name: "rsync", Of: "the rsync daemon", Source: "rsync", Family: true,
		Files: map[string]string{"config": rsyncConfig(f.served(), j.server), "secrets": rsyncUser + ":" + r.password + "\n"},
		Argv: func(folder string) []string {
			return []string{"--daemon", "--no-detach", "--config=" + folder + "/config", "--log-file=/dev/stderr",
				"--dparam=secretsfile=" + folder + "/secrets", "--address=" + r.at.Addr().String(), fmt.Sprintf("--port=%d", r.at.Port())}
		},
	}, int(r.at.Port()), false)
	return r, err
}

// rsyncConfig is a configuration file of the daemon.
func rsyncConfig(path string, server weir.Side) string {
	return fmt.Sprintf(`use chroot = no
uid = root
gid = root
reverse lookup = no
[%s]
path = %s
read only = %s
auth users = %s
strict modes = no
`, rsyncModule, path, yes(server == weir.Source), rsyncUser)
}

func (r rsyncCopier) copyFiles(ctx context.Context) error {
	_, err := r.job.asking().Host.Run(ctx, r.password+"\n", rsyncCommand(r.files, r.job.server, r.at)...)
	return err
}

// rsyncCommand is what the client runs. It has the password from its input, and
// goes through no proxy that the environment names.
func rsyncCommand(f *files, server weir.Side, at netip.AddrPort) []string {
	module := fmt.Sprintf("rsync://%s@%s/%s/", rsyncUser, at, rsyncModule)
	from, to := f.from+"/", module
	if server == weir.Source {
		from, to = module, f.to+"/"
	}
	return []string{"env", "-u", "RSYNC_PROXY", "-u", "RSYNC_CONNECT_PROG", "rsync", "--recursive", "--whole-file", "--no-compress",
		"--password-file=-", "--contimeout=10", from, to}
}

func (r rsyncCopier) version(ctx context.Context) (string, error) {
	return versionsOf(ctx, asked{r.job.asking(), "rsync", "rsync --version"})
}
