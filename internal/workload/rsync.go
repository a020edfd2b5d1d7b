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
	Info:  Info{Name: "rsync", Summary: "files by rsync, from or to its daemon", Files: true, Tools: rsyncTools},
	begin: byRsync.begin,
}

var byRsync = copying{
	tools: rsyncTools, port: rsyncPort, start: startRsync, copy: copyByRsync,
	versions: []version{{(*job).clientEnd, "rsync", "rsync --version"}},
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

func startRsync(ctx context.Context, c *copier) (process, error) {
	return c.job.startServer(ctx, service.Program{
		Name: "rsync", Of: "the rsync daemon", Source: "rsync", Family: true,
		Files: map[string]string{"config": rsyncConfig(c.served(), c.job.server), "secrets": rsyncUser + ":" + c.password + "\n"},
		Argv: func(folder string) []string {
			return []string{"--daemon", "--no-detach", "--config=" + folder + "/config", "--log-file=/dev/stderr",
				"--dparam=secretsfile=" + folder + "/secrets", "--address=" + c.at.Addr().String(), fmt.Sprintf("--port=%d", c.at.Port())}
		},
	}, int(c.at.Port()), false)
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
`, rsyncModule, path, yesNo(server == weir.Source), rsyncUser)
}

func copyByRsync(ctx context.Context, c *copier) error {
	_, err := c.client(ctx, c.password+"\n", rsyncCommand(c.files, c.job.server, c.at)...)
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
