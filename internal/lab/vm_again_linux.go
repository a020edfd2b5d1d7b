package lab

import (
	"context"
	"time"

	"weir/internal/shell"
	"weir/internal/vm"
)

// start boots the machine.
func (m *machine) start(ctx context.Context) error {
	running, err := vm.Boot(ctx, m.config)
	if err == nil {
		m.running.Store(running)
	}
	return err
}

// dial is a shell of the machine that runs.
func (m *machine) dial(ctx context.Context) (shell.Stream, error) { return m.running.Load().Dial(ctx) }

// why is why the machine has ended; nil: it runs, or there is none.
func (m *machine) why() error {
	if m == nil || m.running.Load() == nil {
		return nil
	}
	return m.running.Load().Err()
}

// plug has the ports of a machine that has started up, with links, and returns their names.
func (m *machine) plug(ctx context.Context, host *shell.Host) ([]string, error) {
	names, system, err := portsByMAC(ctx, host, len(m.config.Ports), m.mtu)
	if err == nil {
		err = m.running.Load().Plug(ctx, true)
	}
	if err == nil && system == "linux" {
		err = awaitLinks(ctx, host, names)
	}
	return names, err
}

// offFor is how long the power is off (RFC 2544 section 26.6).
const offFor = 10 * time.Second

// cycle takes the machine's power away, and gives it back after a while. One that has
// ended by itself was without for long enough.
func (m *machine) cycle(ctx context.Context) error {
	if m.why() == nil {
		if err := m.running.Load().PowerOff(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(offFor):
		}
	}
	return m.start(ctx)
}
