package workload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strconv"
	"strings"

	"weir/internal/service"
)

// startServer starts a server of others at the server's end of a job, and waits until
// it, or a child of it, listens on its port. A port that is in use is refused before:
// UDP and smbd would share it with another program, and say nothing.
func (j *job) startServer(ctx context.Context, p service.Program, port int, udp bool) (*service.Service, error) {
	at := j.serverEnd()
	where := fmt.Sprintf("port %d of %s", port, at.Host.Name())
	if portInUse(ctx, at, port, udp) {
		return nil, fmt.Errorf("%s is in use: another program listens on it", where)
	}
	s, err := service.Start(ctx, at.place(), p)
	if err != nil {
		return nil, err
	}
	err = s.Await(ctx, listenLimit, func(ctx context.Context) error {
		if !portInUse(ctx, at, port, udp) {
			return fmt.Errorf("it does not listen on port %d", port)
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", where, err), s.Stop(ctx))
	}
	return s, nil
}

// startScript starts the server of a job by a script of the shell, in a folder of its
// own that has these files. In the script $1 is the path of the server. Messages
// have to go to standard error.
func (j *job) startScript(ctx context.Context, t Tool, script string, files map[string]string, port int) (*service.Service, error) {
	program, err := j.serverEnd().find(ctx, t)
	if err != nil {
		return nil, err
	}
	const starting = "start"
	files = maps.Clone(files)
	files[starting] = script
	return j.startServer(ctx, service.Program{
		Name: "sh", Of: t.Of, Source: t.Package, Files: files, Family: true,
		Argv: func(folder string) []string { return []string{folder + "/" + starting, program} },
	}, port, false)
}

// portInUse reports whether somebody listens on a port of a host.
func portInUse(ctx context.Context, at End, port int, udp bool) bool {
	table := "/proc/net/tcp"
	if udp {
		table = "/proc/net/udp"
	}
	for _, family := range []string{"", "6"} { // a kernel without IPv6 has no second one
		text, err := at.Host.ReadFile(ctx, table+family)
		if err == nil && listening(text, port) {
			return true
		}
		if family == "" && errors.Is(err, fs.ErrNotExist) { // it is no Linux
			text, err := at.Host.Run(ctx, "", "netstat", "-a", "-n")
			return err == nil && listed(text, port, udp)
		}
	}
	return false
}

// listed reports whether a socket listens on a port, by what netstat(1) of the BSDs and of
// macOS says, as their manuals have it: the protocol first, the own address fourth, with its
// port after the last dot, the other one fifth, and the state of TCP sixth.
func listed(said string, port int, udp bool) bool {
	protocol := "tcp"
	if udp {
		protocol = "udp"
	}
	for line := range strings.Lines(said) {
		f := strings.Fields(line)
		if len(f) < 5 || !strings.HasPrefix(f[0], protocol) || !strings.HasSuffix(f[3], "."+strconv.Itoa(port)) {
			continue
		}
		if udp || len(f) > 5 && f[5] == "LISTEN" {
			return true
		}
	}
	return false
}

// listening reports whether a socket listens on a port, by a table such as
// /proc/net/tcp.
func listening(table string, port int) bool {
	const listen, unconnected = "0A", "07" // TCP_LISTEN, and TCP_CLOSE of UDP
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != listen && f[3] != unconnected {
			continue
		}
		_, hex, _ := strings.Cut(f[1], ":")
		if p, err := strconv.ParseUint(hex, 16, 16); err == nil && int(p) == port {
			return true
		}
	}
	return false
}
