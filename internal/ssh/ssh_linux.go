// Package ssh reaches hosts through the user's own OpenSSH client, with its
// configuration, keys, agent and jump hosts. A host has one connection, which all that
// runs there shares.
//
// The package knows no protocol: it starts ssh(1), and speaks with the shell at the
// other end.
package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"weir/internal/packages"
	"weir/internal/processes"
	"weir/internal/shell"
)

// Program is the environment variable that names the OpenSSH client with options of
// the user's: "ssh -F lab.conf".
const Program = "WEIR_SSH"

// options are what a connection has whatever the user's configuration says. Nothing is
// asked, as nobody may be there to answer, and a host key that is not known, or another
// one than before, is refused, also at this machine and where DNS has its fingerprint.
var options = []string{
	"-T", "-e", "none",
	"-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes",
	"-o", "NoHostAuthenticationForLocalhost=no", "-o", "VerifyHostKeyDNS=no",
	"-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3",
	"-o", "ClearAllForwardings=yes", "-o", "ForwardAgent=no", "-o", "ForwardX11=no",
	"-o", "RemoteCommand=none", "-o", "PermitLocalCommand=no", "-o", "ControlPersist=no",
}

// Dial connects to a host, "ssh://user@name:port" with or without user and port, and
// becomes root there: by sudo or doas where the user is not. folder is for the socket of
// the connection. The error says what to do.
func Dial(ctx context.Context, host, folder string) (*shell.Host, error) {
	d := &dialer{host: host, socket: filepath.Join(folder, "s")}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	if d.as != nil {
		if err := os.Chown(folder, int(d.as.Uid), int(d.as.Gid)); err != nil {
			return nil, err
		}
	}
	h, err := shell.New(ctx, host, d.dial)
	if err != nil {
		return nil, err
	}
	return h, nil
}

// dialer starts ssh(1).
type dialer struct {
	host, socket string
	client       []string // the program, with the user's options
	as           *syscall.Credential
	env          []string
}

// prepare finds the client, and the user whose configuration it is to take: the one that
// called sudo, if one did.
func (d *dialer) prepare() error {
	d.client = strings.Fields(os.Getenv(Program))
	if len(d.client) == 0 {
		d.client = []string{"ssh"}
	}
	if _, err := exec.LookPath(d.client[0]); err != nil {
		return fmt.Errorf("there is no OpenSSH client %s here, which %s needs: %s", d.client[0], d.host, packages.Advice("openssh-client"))
	}
	d.env = os.Environ()
	uid, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32)
	gid, err2 := strconv.ParseUint(os.Getenv("SUDO_GID"), 10, 32)
	if os.Getuid() != 0 || err != nil || err2 != nil || uid == 0 {
		return nil
	}
	d.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} // and none of the groups of root
	u, err := user.LookupId(strconv.FormatUint(uid, 10))
	if err != nil {
		return nil
	}
	d.env = append(d.env, "HOME="+u.HomeDir, "USER="+u.Username, "LOGNAME="+u.Username)
	groups, err := u.GroupIds()
	if err != nil {
		return fmt.Errorf("ask for the groups of %s, who called sudo: %w", u.Username, err)
	}
	for _, g := range groups {
		n, err := strconv.ParseUint(g, 10, 32)
		if err != nil {
			return fmt.Errorf("group %s of %s, who called sudo: %w", g, u.Username, err)
		}
		d.as.Groups = append(d.as.Groups, uint32(n))
	}
	return nil
}

// asRoot is what the login's shell runs, whatever shell that is: another one that takes
// commands, as root. sudo and doas drop the variable by which it is known through which
// interface the connection comes.
const asRoot = `exec sh -c 'weir_way="SSH_CONNECTION=$SSH_CONNECTION"; if [ "$(id -u)" = 0 ]; then exec sh; elif sudo -n true 2>/dev/null; then exec sudo -n env "$weir_way" sh; elif doas -n true 2>/dev/null; then exec doas -n env "$weir_way" sh; else echo "` + noRoot + ` $(id -un)" >&2; fi'`

// noRoot begins what it says where the user cannot become root.
const noRoot = "weir-no-root"

// dial starts ssh(1): the first time with the connection, then on it.
func (d *dialer) dial(context.Context) (s shell.Stream, err error) {
	// The user's own come last: of options that are given twice ssh(1) takes the first.
	at := 1 + max(0, slices.IndexFunc(d.client, func(word string) bool { return filepath.Base(word) == "ssh" })) // after a wrapper
	argv := slices.Concat(d.client[1:at], options, []string{"-o", "ControlMaster=auto", "-o", "ControlPath=" + d.socket}, d.client[at:])
	argv = append(argv, "--", d.host, asRoot)
	cmd := exec.Command(d.client[0], argv...)
	cmd.Env = d.env
	// It has a process group of its own, so that Ctrl-C is weir's to deal with.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: d.as, Setpgid: true, Pdeathsig: syscall.SIGTERM}
	in, err := cmd.StdinPipe()
	if err != nil {
		return s, err
	}
	out, farOut, err := os.Pipe()
	if err != nil {
		return s, err
	}
	errs, farErr, err := os.Pipe()
	if err != nil {
		return s, errors.Join(err, out.Close(), farOut.Close())
	}
	cmd.Stdout, cmd.Stderr = farOut, farErr
	last := &heard{}
	ended := make(chan struct{})
	begun := make(chan error, 1)
	go func() {
		// A process that is to die with its parent dies with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := processes.Start(cmd)
		begun <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(ended)
	}()
	err = <-begun
	farOut.Close()
	farErr.Close()
	if err != nil {
		return s, errors.Join(fmt.Errorf("start %s: %w", d.client[0], err), out.Close(), errs.Close())
	}
	var once sync.Once
	return shell.Stream{
		In: in, Out: out, Err: io.TeeReader(errs, last),
		Ended: func() error {
			select {
			case <-ended:
				return d.explain(last)
			case <-time.After(endLimit):
				return nil
			}
		},
		Close: func() error {
			once.Do(func() {
				in.Close()
				select {
				case <-ended:
				case <-time.After(endLimit):
					_ = cmd.Process.Signal(syscall.SIGTERM)
					<-ended
				}
				out.Close()
				errs.Close()
			})
			return nil
		},
	}, nil
}
