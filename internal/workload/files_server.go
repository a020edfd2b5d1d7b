package workload

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"path"

	"weir"
	"weir/internal/service"
)

// serves starts the server of a job by a shell, which has a folder of its own
// with these files, and prepares there what the server needs. In the script $1
// is the path of the server. What it says has to go to standard error.
func (j *job) serves(ctx context.Context, t Tool, script string, files map[string]string) (*service.Service, error) {
	program, err := j.serving().find(ctx, t)
	if err != nil {
		return nil, err
	}
	files = maps.Clone(files)
	files[starting] = script
	return service.Start(ctx, j.serving().place(), service.Program{
		Name: "sh", Of: t.Of, Source: t.Package, Files: files, Family: true,
		Argv: func(folder string) []string { return []string{folder + "/" + starting, program} },
	})
}

// starting is the name of the script that starts a server, in its folder.
const starting = "start"

// served is the folder that the server of a job has to give or take, and its
// name in the one that it lies in.
func (f *files) served() (folder, name string) {
	folder = f.to
	if f.job.server == weir.Source {
		folder = f.from
	}
	return folder, path.Base(folder)
}

// vacant is nil when nobody listens on a port of TCP where the server of a job
// will: smbd shares a port with another smbd, and does not say so.
func (j *job) vacant(ctx context.Context, port int) error {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := j.serving().Host.ReadFile(ctx, table)
		if err == nil && len(listening(text, port)) > 0 {
			return fmt.Errorf("port %d of %s is in use: another program listens on it", port, j.serving().Host.Name())
		}
	}
	return nil
}

// heard returns when a server listens on a port that was vacant. A child of its
// may be the one that does.
func (j *job) heard(ctx context.Context, s *service.Service, at netip.AddrPort) error {
	err := s.Await(ctx, listenLimit, func(ctx context.Context) error {
		if j.vacant(ctx, int(at.Port())) == nil {
			return fmt.Errorf("it does not listen on port %d", at.Port())
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("port %d of %s: %w", at.Port(), j.serving().Host.Name(), err)
	}
	return nil
}
