package ssh

import (
	"bytes"
	"context"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"weir/internal/processes"
)

// ways are what OpenSSH's configuration says of how a name is reached.
var ways = []string{"hostname ", "port ", "proxyjump ", "proxycommand "}

// Same reports whether two names of hosts lead to one server by the user's configuration:
// the same address and port by the same way, whoever logs in. Two addresses of one machine
// are two servers.
func Same(ctx context.Context, a, b string) bool {
	if a == b {
		return true
	}
	own, err := wayTo(ctx, a)
	other, errOther := wayTo(ctx, b)
	return err == nil && errOther == nil && slices.Equal(own, other)
}

// wayLimit is how long that may take: the configuration may have names looked up.
const wayLimit = 10 * time.Second

// wayTo is how a host is reached. OpenSSH says it without connecting.
func wayTo(ctx context.Context, host string) (way []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, wayLimit)
	defer cancel()
	d := &dialer{host: host}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, d.client[0], slices.Concat(d.client[1:], []string{"-G", "--", host})...)
	var said bytes.Buffer
	cmd.Env, cmd.SysProcAttr, cmd.Stdout = d.env, &syscall.SysProcAttr{Credential: d.as}, &said
	err = processes.Run(cmd)
	for line := range strings.Lines(said.String()) {
		if slices.ContainsFunc(ways, func(w string) bool { return strings.HasPrefix(line, w) }) {
			way = append(way, line)
		}
	}
	return way, err
}
