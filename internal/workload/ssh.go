package workload

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"weir/internal/service"
)

// sshPort is the first port of servers by SSH.
const sshPort = 2200

// The tools of programs that go over SSH.
var sshTools = []Tool{
	{Name: "sshd", Of: "the SSH server", Package: "openssh-server", Server: true},
	{Name: "ssh", Of: "the SSH client", Package: "openssh-client"},
	{Name: "ssh-keygen", Of: "the maker of SSH keys", Package: "openssh-client"},
}

// sshLink is an SSH server at one end, and the way to it from the other one.
// Both have keys of their own, which go with them: nobody else can use the
// server, and the client trusts no other one.
type sshLink struct {
	*service.Service
	job     *job
	address netip.Addr
	port    int
	folder  string // at the client, with its key and the server's
}

// startSSH starts the server of a job.
func (j *job) startSSH(ctx context.Context) (_ *sshLink, err error) {
	path, err := j.serving().find(ctx, sshTools[0])
	if err != nil {
		return nil, err
	}
	l := &sshLink{job: j, address: j.address(j.serving()), port: sshPort + j.number}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.end(context.WithoutCancel(ctx)))
		}
	}()
	public, err := l.key(ctx)
	if err != nil {
		return nil, err
	}
	l.Service, err = j.listens(ctx, service.Program{
		Name: "unshare", Of: "the SSH server", Source: "util-linux", Family: true,
		Files: map[string]string{"start": sshdStart, "authorized": public, "config": sshdConfig(l.address, l.port)},
		Argv: func(folder string) []string {
			return []string{"--mount", "sh", "start", path, "-D", "-e", "-f", folder + "/config", "-h", folder + "/host"}
		},
	}, l.port, false)
	if err != nil {
		return nil, err
	}
	return l, l.trust(ctx)
}

// sshdStart prepares the place in which sshd starts, and becomes it. The server
// is as on any other machine then, and leaves nothing behind: all that is
// changed is changed in a mount namespace of its own.
//
// sshd wants a folder in /run that only the system's own service makes, so /run
// is another one, with all that was in the old. It lets nobody in whose account
// is locked, as that of root is on many a machine, and runs what users have in
// their home: so the users are others too.
const sshdStart = `set -e
umask 077
ssh-keygen -q -t ed25519 -N '' -C '' -f host
echo "root:x:0:0::$PWD:/bin/sh" > passwd
echo "sshd:x:65533:65534::/run/sshd:/bin/false" >> passwd
printf 'root:*:1::::::\nsshd:!:1::::::\n' > shadow
chmod 644 passwd
mkdir run
mount --rbind /run run
mount -t tmpfs -o mode=755 weir /run
for d in run/*/; do
	d=${d%/}
	[ -d "$d" ] && mkdir -p "/$d" && mount --rbind "$d" "/$d"
done
umount -l run
mkdir -p /run/sshd
mount --bind passwd /etc/passwd
mount --bind shadow /etc/shadow
umask 022
exec "$@"
`

// sshdConfig is a configuration file. Where the authorized key is, is relative to
// the home that sshdStart gives root: the folder of the server.
func sshdConfig(address netip.Addr, port int) string {
	return fmt.Sprintf(`ListenAddress %s
AuthorizedKeysFile authorized
AuthenticationMethods publickey
PermitRootLogin prohibit-password
AllowUsers root
StrictModes no
UsePAM no
UseDNS no
PermitUserRC no
PidFile none
LogLevel ERROR
Subsystem sftp internal-sftp
`, netip.AddrPortFrom(address, uint16(port)))
}

// key makes the client's key, and returns what the server needs to know of it.
func (l *sshLink) key(ctx context.Context) (public string, err error) {
	at := l.job.asking()
	if l.folder, err = at.place().MakeFolder(ctx, "ssh"); err != nil {
		return "", err
	}
	if _, err := at.Host.Run(ctx, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", l.folder+"/key"); err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	return at.Host.ReadFile(ctx, l.folder+"/key.pub")
}

// trust has the client know the server's key.
func (l *sshLink) trust(ctx context.Context) error {
	public, err := l.At.Host.ReadFile(ctx, l.Folder+"/host.pub")
	if err != nil {
		return err
	}
	known := fmt.Sprintf("[%s]:%d %s", l.address, l.port, public)
	return l.job.asking().Host.WriteFile(ctx, l.folder+"/known", known)
}

// options are those of a client: nothing of what this machine's users have set
// counts.
func (l *sshLink) options() []string {
	out := []string{"-F", "none"}
	for _, o := range []string{
		fmt.Sprintf("Port=%d", l.port), "User=root", "BatchMode=yes", "Compression=no",
		"IdentityFile=" + l.folder + "/key", "IdentitiesOnly=yes", "IdentityAgent=none",
		"UserKnownHostsFile=" + l.folder + "/known", "GlobalKnownHostsFile=none", "StrictHostKeyChecking=yes",
		"ControlMaster=no", "ConnectTimeout=10", "LogLevel=ERROR",
	} {
		out = append(out, "-o", o)
	}
	return out
}

// version is that of the client and, as both are from one source, mostly of the
// server: "OpenSSH_9.2p1".
func (l *sshLink) version(ctx context.Context) (string, error) {
	said, err := l.job.asking().Host.Run(ctx, "", "sh", "-c", "ssh -V 2>&1")
	name, _, _ := strings.Cut(said, ",")
	return strings.TrimSpace(name), err
}

// end stops the server and removes both keys. Not all of it needs to be there.
func (l *sshLink) end(ctx context.Context) error {
	var err error
	if l.Service != nil {
		err = l.Stop(ctx)
	}
	if l.folder != "" {
		_, removed := l.job.asking().Host.Run(ctx, "", "rm", "-rf", l.folder)
		err = errors.Join(err, removed)
	}
	return err
}
