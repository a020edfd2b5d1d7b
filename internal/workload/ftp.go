package workload

import (
	"context"
	"fmt"
	"path"
	"strings"

	"weir"
)

// ftp moves files with curl and vsftpd, all of them in one session.
var ftp = program{
	Info:  Info{Name: "ftp", Summary: "files by FTP, by curl and the server vsftpd", Files: true, Tools: ftpTools},
	begin: byFTP.begin,
}

var byFTP = copying{
	tools: ftpTools, port: ftpPort, start: startFTP, copy: copyByFTP,
	// vsftpd says its version where its standard input leads.
	versions: []version{{(*job).serverEnd, "vsftpd", "vsftpd -v 0>&1"}, curlVersion},
}

var ftpTools = []Tool{
	{Name: "vsftpd", Of: "the FTP server vsftpd", Package: "vsftpd", Server: true},
	{Name: "curl", Of: "the FTP client curl", Package: "curl"},
}

const (
	ftpPort = 2100 // the first port of FTP servers
	// Each has a range of ports for what it sends or takes.
	ftpData = 11_000
	// ftpRange is how many ports each server has for its data connections: many, as
	// it takes one at random, and a second of sleep where that is in use still.
	ftpRange = 10_000
	// ftpUser is the user of the host that vsftpd serves as: its package makes it.
	ftpUser = "ftp"
)

// ftpScript runs vsftpd as the child of a shell. The shell is process 1:
// vsftpd in its place fails when a grandchild ends. vsftpd writes its errors to its
// standard input, where it expects its client.
const ftpScript = `mkdir empty || exit
trap 'kill $!; wait $!; exit 0' TERM
"$1" "$PWD/config" "-osecure_chroot_dir=$PWD/empty" "-oemail_password_file=$PWD/passwords" 0>&2 &
wait $!`

func startFTP(ctx context.Context, c *copier) (process, error) {
	j := c.job
	own := []string{path.Dir(c.served())}
	if j.server == weir.Destination {
		own = append(own, c.files.to)
	}
	// It refuses a root that its user can write to.
	const give = `chown "$0" "$@" && chmod 500 "$1"`
	if _, err := j.serverEnd().Host.Run(ctx, "", append([]string{"sh", "-c", give, ftpUser}, own...)...); err != nil {
		return nil, fmt.Errorf("let the user %s of vsftpd have the files: %w", ftpUser, err)
	}
	return j.startScript(ctx, ftpTools[0], ftpScript, map[string]string{"config": ftpConfig(c), "passwords": c.password + "\n"}, int(c.at.Port()))
}

// ftpConfig is a vsftpd.conf. There are no users but the anonymous one, who has
// to know the password. Its root is the folder that the files' lies in, as
// vsftpd refuses one that can be written to.
func ftpConfig(c *copier) string {
	at, number := c.at, c.job.number
	var out strings.Builder
	set := func(option string, value any) { fmt.Fprintf(&out, "%s=%v\n", option, value) }
	set("background", "NO")
	if at.Addr().Is4() {
		set("listen", "YES")
		set("listen_address", at.Addr())
	} else {
		set("listen", "NO")
		set("listen_ipv6", "YES")
		set("listen_address6", at.Addr())
	}
	set("listen_port", at.Port())
	set("pasv_min_port", ftpData+number*ftpRange)
	set("pasv_max_port", ftpData+number*ftpRange+ftpRange-1)
	set("connect_from_port_20", "NO")
	set("local_enable", "NO")
	set("anonymous_enable", "YES")
	set("ftp_username", ftpUser)
	set("secure_email_list_enable", "YES")
	set("anon_root", path.Dir(c.served()))
	if c.job.server == weir.Destination {
		set("write_enable", "YES")
		set("anon_upload_enable", "YES")
		set("anon_umask", "022")
		set("lock_upload_files", "NO") // it waits for who has locked one, for ever
	}
	set("xferlog_enable", "NO")
	return out.String()
}

// copyByFTP has curl move all files one after the other in one session: one
// connection for what is asked, and another one for each file.
func copyByFTP(ctx context.Context, c *copier) error {
	url := fmt.Sprintf("ftp://%s/%s", c.at, path.Base(c.served()))
	said, err := c.client(ctx, curlConfig(c.files, c.job.server, "anonymous:"+c.password, url), "curl", "-q", "--config", "-")
	if err != nil {
		return err
	}
	return curlConnected(said, 1+len(c.files.names))
}
