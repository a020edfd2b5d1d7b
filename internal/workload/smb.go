package workload

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"weir"
)

// smb moves files with smbclient and smbd, all of them in one session. Signing
// and encryption are as Samba has them where nobody says.
var smb = program{
	Info:  Info{Name: "smb", Summary: "files by SMB, by smbclient and the server of Samba", Files: true, Tools: smbTools},
	begin: bySMB.begin,
}

var bySMB = copying{
	tools: smbTools, port: smbPort, start: startSMB, copy: copyBySMB,
	versions: []version{{(*job).serverEnd, "smbd", "smbd --version"}, {(*job).clientEnd, "smbclient", "smbclient --version"}},
}

var smbTools = []Tool{
	{Name: "smbd", Of: "the SMB server of Samba", Package: "samba", Server: true},
	{Name: "smbpasswd", Of: "the program that sets passwords of Samba", Package: "samba-common-bin", Server: true},
	{Name: "smbclient", Of: "the SMB client of Samba", Package: "smbclient"},
}

const (
	smbPort  = 4450 // the first port of SMB servers
	smbName  = "WEIR"
	smbShare = "files"
	smbUser  = "root" // has to be one of the host's
)

// smbScript makes what smbd needs in its folder, with its only user, and runs it.
// When smbd has ended, the shell prints its log, without the stack of a panic. smbd
// is in a process group of its own: it kills its group when it ends, and that must
// not be weir's.
const smbScript = `mkdir private state && sed -i "s|@|$PWD|" config &&
smbpasswd -c "$PWD/config" -s -a ` + smbUser + ` <password >/dev/null || exit
trap 'kill $!; wait $!; exit 0' TERM
"$1" --foreground --debug-stdout --configfile="$PWD/config" </dev/null >log 2>&1 &
wait $!
status=$?
sed -n '/BACKTRACE/q; /^=*$/!p' log >&2
exit $status`

func startSMB(ctx context.Context, c *copier) (process, error) {
	return c.job.startScript(ctx, smbTools[0], smbScript, map[string]string{
		"config": smbConfig(c.served(), c.at, c.job.server), "password": c.password + "\n" + c.password + "\n",
	}, int(c.at.Port()))
}

// smbConfig is an smb.conf, with @ for the folder of the server.
func smbConfig(folder string, at netip.AddrPort, server weir.Side) string {
	return fmt.Sprintf(`[global]
netbios name = %s
server role = standalone server
disable netbios = yes
multicast dns register = no
smb ports = %d
interfaces = %s
bind interfaces only = yes
passdb backend = tdbsam
private dir = @/private
lock directory = @/state
state directory = @/state
cache directory = @/state
pid directory = @/state
ncalrpc dir = @/state/ncalrpc
log file = @/state/log
log level = 1
enable core files = no
load printers = no
disable spoolss = yes
printing = bsd
printcap name = /dev/null
[%s]
path = %s
valid users = %s
read only = %s
`, smbName, at.Port(), at.Addr(), smbShare, folder, smbUser, yesNo(server == weir.Source))
}

// smbClient runs the client where the files are or have to be. It has the
// password from its input. What goes wrong it says among what else it says.
const smbClient = `IFS= read -r PASSWD && export PASSWD && cd "$0" && exec smbclient "$@" 2>&1`

// copyBySMB has smbclient move all files one after the other in one session.
func copyBySMB(ctx context.Context, c *copier) error {
	folder, command := c.files.from, "mput *"
	if c.job.server == weir.Source {
		folder, command = c.files.to, "mget *"
	}
	said, err := c.client(ctx, c.password+"\n", "sh", "-c", smbClient, folder,
		"--configfile=/dev/null", "--ip-address="+c.at.Addr().String(), fmt.Sprintf("--port=%d", c.at.Port()), "--user="+smbUser,
		"--command=prompt OFF; "+command, "//"+smbName+"/"+smbShare)
	if refused := smbRefusal(said); refused != nil && ctx.Err() == nil {
		err = refused
	}
	return err
}

// smbRefusal is what went wrong, by what smbclient says: it goes on then, and
// ends as if all were well.
func smbRefusal(said string) error {
	var out []string
	for line := range strings.Lines(said) {
		if strings.Contains(line, "NT_STATUS_") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return errors.New("smbclient says: " + strings.Join(out[:min(len(out), 3)], "; "))
}
