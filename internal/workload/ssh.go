package workload

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

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

var sshVersion = version{(*job).clientEnd, "", "ssh -V 2>&1 | cut -d, -f1"}

// startSSH starts a server by SSH. Both ends have keys of their own, which go with
// them: nobody else can use the server, and the client trusts no other one.
func startSSH(ctx context.Context, c *copier) (process, error) {
	client := c.job.clientEnd()
	path, err := c.job.serverEnd().find(ctx, sshTools[0])
	if err != nil {
		return nil, err
	}
	if c.keys, err = client.place().MakeFolder(ctx, "ssh"); err != nil {
		return nil, err
	}
	if _, err := c.client(ctx, "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", c.keys+"/key"); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	own, err := client.Host.ReadFile(ctx, c.keys+"/key.pub")
	if err != nil {
		return nil, err
	}
	s, err := c.job.startServer(ctx, service.Program{
		Name: "unshare", Of: "the SSH server", Source: "util-linux", Family: true,
		Files: map[string]string{"start": sshdStart, "authorized": own, "config": sshdConfig(c.at)},
		Argv: func(folder string) []string {
			return []string{"--mount", "sh", "start", path, "-D", "-e", "-f", folder + "/config", "-h", folder + "/host"}
		},
	}, int(c.at.Port()), false)
	if err != nil {
		return nil, err
	}
	theirs, err := s.At.Host.ReadFile(ctx, s.Folder+"/host.pub")
	if err == nil {
		err = service.Put(ctx, client.Host, c.keys+"/known", fmt.Sprintf("[%s]:%d %s", c.at.Addr(), c.at.Port(), theirs))
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop(ctx))
	}
	return s, nil
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
func sshdConfig(at netip.AddrPort) string {
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
`, at)
}

// sshOptions are those of a client: nothing of what this machine's users have set
// counts.
func sshOptions(c *copier) []string {
	out := []string{"-F", "none"}
	for _, o := range []string{
		fmt.Sprintf("Port=%d", c.at.Port()), "User=root", "BatchMode=yes", "Compression=no",
		"IdentityFile=" + c.keys + "/key", "IdentitiesOnly=yes", "IdentityAgent=none",
		"UserKnownHostsFile=" + c.keys + "/known", "GlobalKnownHostsFile=none", "StrictHostKeyChecking=yes",
		"ControlMaster=no", "ConnectTimeout=60", "LogLevel=ERROR",
	} {
		out = append(out, "-o", o)
	}
	return out
}
