package lab

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"weir/internal/agent"
	"weir/internal/settings"
	"weir/internal/shell"
)

// looker reads a DUT that SSH reaches: by a program of weir's there, which takes less of
// a trial's time than a shell does, and by that where there is none.
type looker struct {
	host    *shell.Host
	agent   agent.Looker
	missing error         // why there is no agent; nil: there is one
	folder  string        // of the agent, at the host; "": there was none, or none again
	undo    settings.Undo // of the agent
}

// How long copying the agent may take, and how long the agent may say nothing.
const (
	lookerLimit = time.Minute
	lookerQuiet = 20 * time.Second
)

// start has the agent at the host. It is no error that it cannot be there.
func (l *looker) start(ctx context.Context) error {
	limited, cancel := context.WithTimeoutCause(ctx, lookerLimit, fmt.Errorf("copying it there took longer than %v", lookerLimit))
	defer cancel()
	at, err := carried(limited, l.host, &l.undo, small)
	if err == nil {
		at.Quiet = lookerQuiet
		l.agent, err = agent.StartLooker(limited, at)
	}
	if err == nil {
		l.folder = path.Dir(at.Self)
		l.undo.AddClose(func() error { return l.agent.Stop(context.WithoutCancel(ctx)) })
	}
	l.missing = err
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// again has the agent at a host that has lost it: with the connection, or in a start anew.
// Its folder went with it, but for that of a machine which has lost power. It is for the
// time between trials, as copying takes the CPU of the DUT. One that cannot be there again
// is not tried once more.
func (l *looker) again(ctx context.Context) error {
	if l == nil || l.folder == "" || l.missing == nil && l.agent.Alive() == nil {
		return nil
	}
	_ = l.undo.Run(ctx) // of what has ended
	if _, err := l.host.Run(ctx, "", "rm", "-rf", l.folder); err != nil {
		return err
	}
	l.folder = ""
	return l.start(ctx)
}

// Look has the agent look, and the shell where there is none, or none any more.
func (l *looker) Look(ctx context.Context, files []string, commands [][]string) (map[string]string, map[int]string, error) {
	if l.missing == nil {
		texts, outputs, err := l.agent.Look(ctx, files, commands)
		if err == nil || ctx.Err() != nil {
			return texts, outputs, err
		}
		l.missing = err
	}
	return l.host.Look(ctx, files, commands)
}

// String says how the DUT is read.
func (l *looker) String() string {
	switch {
	case l == nil:
		return "plain commands"
	case l.missing == nil:
		return "weir-agent, which is there for as long as it is measured"
	}
	return "plain commands: " + strings.ReplaceAll(l.missing.Error(), "\n", "; ")
}

// readByAgent has a program of weir's read the DUT, where it may be copied there, until undo
// is done.
func (r *reached) readByAgent(ctx context.Context, undo *settings.Undo) error {
	r.looker = &looker{host: r.host}
	r.glance.By = r.looker
	undo.AddClose(r.looker.undo.Close)
	return r.looker.start(ctx)
}
