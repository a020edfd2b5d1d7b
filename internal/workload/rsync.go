package workload

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"

	"weir"
	"weir/internal/service"
)

// rsync moves files with rsync and its daemon, whole and as they are: nothing is
// compared with what might be there, and nothing compressed.
var rsync = program{
	name: "rsync", summary: "files by rsync, from or to its daemon",
	usual: weir.Destination, either: true, files: true,
	tools: rsyncTools,
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
type rsyncCopier struct {
	*service.Service
	job      *job
	files    *files
	at       netip.AddrPort
	password string
}

func (j *job) startRsync(ctx context.Context, f *files) (copier, error) {
	at := netip.AddrPortFrom(j.address(j.serving()), uint16(rsyncPort+j.number))
	r := rsyncCopier{job: j, files: f, at: at, password: rand.Text()}
	path := f.to
	if j.server == weir.Source {
		path = f.from
	}
	var err error
	r.Service, err = service.Start(ctx, j.serving().place(), service.Program{
		Name: "rsync", Of: "the rsync daemon", Source: "rsync", Family: true,
		Files: map[string]string{"config": rsyncConfig(path, j.server), "secrets": rsyncUser + ":" + r.password + "\n"},
		Argv: func(folder string) []string {
			return []string{"--daemon", "--no-detach", "--config=" + folder + "/config", "--log-file=/dev/stderr",
				"--dparam=secretsfile=" + folder + "/secrets", "--address=" + at.Addr().String(), fmt.Sprintf("--port=%d", at.Port())}
		},
	})
	if err != nil {
		return nil, err
	}
	if err := awaitListening(ctx, r.Service, int(at.Port())); err != nil {
		return nil, errors.Join(err, r.end(context.WithoutCancel(ctx)))
	}
	return r, nil
}

// rsyncConfig is a configuration file of the daemon.
func rsyncConfig(path string, server weir.Side) string {
	readOnly := "no"
	if server == weir.Source {
		readOnly = "yes"
	}
	return fmt.Sprintf(`use chroot = no
uid = root
gid = root
reverse lookup = no
[%s]
path = %s
read only = %s
auth users = %s
strict modes = no
`, rsyncModule, path, readOnly, rsyncUser)
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
	said, err := r.job.asking().Host.Run(ctx, "", "rsync", "--version")
	return numbered("rsync", said), err
}

func (r rsyncCopier) end(ctx context.Context) error { return r.Stop(ctx) }
