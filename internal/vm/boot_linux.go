package vm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Port is one of a machine's ports.
type Port struct {
	Tap []*os.File // the queues of the tap device that is its other end; the caller closes them after Boot
	MAC string     // that the machine has
}

// Config says which machine is to be booted.
type Config struct {
	Name   string // for people
	System System // as Image returns it
	Memory int    // MiB
	CPUs   int
	NIC    string // the card of each port, one of NICs; "": the first
	Ports  []Port
	MTU    int           // of the ports, which a virtio-net tells its driver; 0: what is usual
	On     []int         // CPUs of this machine on which it runs; none: anywhere
	Folder string        // for sockets, which the caller removes; its path is short
	Log    string        // file for what the console says, which stays
	Limit  time.Duration // for starting; 0: what is usual
	Hang   time.Duration // for saying nothing before it is ended; 0: what is usual
	// Silent is a machine that is not asked for shells: it is there as soon as it runs.
	Silent bool
}

// How long a machine may take to start.
const (
	bootLimit     = time.Minute
	emulatedLimit = 15 * time.Minute // three at a time on two busy CPUs take six
)

// hangLimit is how long a machine that has said that it is alive may then say nothing.
const hangLimit = time.Minute

// Machine is one that runs.
type Machine struct {
	config Config
	accel  string
	qemu   *process
	qmp    *qmp
	slots  []*slot

	console *os.File // what it says there

	mu      sync.Mutex
	beat    time.Time     // when it said last that it is alive; zero: never since it started last
	beats   net.Conn      // where it says so; nil: nowhere yet
	starts  int           // how often it has started anew
	lived   int           // at which of these it was alive last
	news    chan struct{} // closed when something of these changes, and replaced
	why     error         // it was ended for this
	ended   chan struct{} // QEMU has ended
	closing sync.Once
	closed  error
	again   sync.Mutex // held while it comes back
}

// Boot starts a machine, and waits until its shells answer; its ports have no link then
// (Plug). One without shells has. It ends with this process, or with Close. Where KVM
// cannot run it, it is emulated, as all machines are from then on.
func Boot(ctx context.Context, c Config) (*Machine, error) {
	accel, err := Accelerator(ctx)
	if err != nil {
		return nil, err
	}
	m, err := boot(ctx, c, accel)
	if accel == "kvm" && errors.Is(err, errStopped) {
		emulate()
		return boot(ctx, c, "tcg")
	}
	return m, err
}

// boot starts a machine with an accelerator.
func boot(ctx context.Context, c Config, accel string) (*Machine, error) {
	m := &Machine{config: c, accel: accel, news: make(chan struct{}), ended: make(chan struct{})}
	if c.Limit == 0 {
		m.config.Limit = emulatedLimit
		if accel == "kvm" {
			m.config.Limit = bootLimit
		}
	}
	if c.Hang == 0 {
		m.config.Hang = hangLimit
	}
	h := &handed{}
	argv, err := m.arguments(h)
	if err != nil {
		h.close()
		m.console.Close()
		return nil, fmt.Errorf("start the machine %s: %w", c.Name, err)
	}
	m.qemu, err = start(argv, h.files, c.On)
	h.close() // or its sockets would answer when it has ended
	if err != nil {
		m.console.Close()
		return nil, err
	}
	go m.wait()
	go m.boundConsole()
	if err := m.begin(ctx); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// begin connects with the machine, and waits until it has started.
func (m *Machine) begin(ctx context.Context) error {
	limited, cancel := context.WithTimeoutCause(ctx, m.config.Limit, m.late())
	defer cancel()
	var err error
	if m.qmp, err = openQMP(limited, m.dialer("qmp"), m.told); err != nil {
		return m.explain(err)
	}
	if m.config.Silent {
		return m.qmp.mayReboot(limited)
	}
	if err := m.Plug(limited, false); err != nil {
		return m.explain(err)
	}
	if err := m.hear(limited); err != nil {
		return m.explain(err)
	}
	for n := range shells {
		s := &slot{machine: m, name: strconv.Itoa(n)}
		if err := s.connect(limited); err != nil {
			return m.explain(err)
		}
		m.slots = append(m.slots, s)
	}
	if err := m.until(limited, m.isUp); err != nil {
		return m.explain(err)
	}
	go m.watch()
	return m.qmp.mayReboot(limited)
}

// late says that a machine has not started.
func (m *Machine) late() error {
	what := "no shell answered"
	if m.config.System.Image != "" {
		what = "no shell answered, which an image has to run at ports of virtio-serial (docs/labs.md)"
	}
	return fmt.Errorf("it did not start within %v: %s", m.config.Limit, what)
}

// explain is an error with why the machine ended, if it has, and what its console said.
func (m *Machine) explain(err error) error {
	if why := m.Why(); why != nil { // its sockets end a moment before it does
		return why
	}
	return m.said(err)
}

// said is an error with what the console said last.
func (m *Machine) said(err error) error {
	if text := m.Console(consoleLines); text != "" {
		return fmt.Errorf("the machine %s: %w; its console said last (all of it: %s):\n%s", m.config.Name, err, m.config.Log, text)
	}
	return fmt.Errorf("the machine %s: %w; its console said nothing", m.config.Name, err)
}

// Done is closed when the machine has ended, however.
func (m *Machine) Done() <-chan struct{} { return m.ended }

// Err is why the machine has ended; nil: it runs, or was closed.
func (m *Machine) Err() error {
	select {
	case <-m.ended:
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.why
	default:
		return nil
	}
}

// endLimit is how long the end of a machine may take to be known here, once its shells or
// its ports are gone.
const endLimit = 2 * time.Second

// Why is Err for one who has seen something of the machine end, and waits for the rest.
func (m *Machine) Why() error {
	select {
	case <-m.ended:
	case <-time.After(endLimit):
	}
	return m.Err()
}

// wait notes why QEMU has ended.
func (m *Machine) wait() {
	<-m.qemu.ended
	m.mu.Lock()
	if m.why == nil {
		why := errors.New("it has switched itself off, or its kernel has panicked")
		if text := m.qemu.complaint(); text != "" || m.qemu.state != exitedWell {
			why = fmt.Errorf("QEMU has ended (%s): %s", m.qemu.state, cmp.Or(text, "it said nothing; has somebody killed it, or the kernel for want of memory?"))
		}
		m.why = m.said(why)
	}
	m.mu.Unlock()
	close(m.ended)
}

// exitedWell is how QEMU ends when the machine does.
const exitedWell = "exit status 0"

// hear begins to listen to what the machine says of being alive.
func (m *Machine) hear(ctx context.Context) error {
	beats, err := m.dialer("alive")(ctx)
	if err != nil {
		return err
	}
	m.mu.Lock()
	if m.beats != nil { // of the start before this one: QEMU serves one at a time
		m.beats.Close()
	}
	m.beats = beats
	m.mu.Unlock()
	go m.listen(beats)
	return nil
}

// listen notes what the machine says of being alive.
func (m *Machine) listen(beats net.Conn) {
	heard := make(chan struct{})
	defer close(heard)
	go func() {
		select {
		case <-m.ended:
		case <-heard:
		}
		beats.Close()
	}()
	buffer := make([]byte, 64)
	for {
		n, err := beats.Read(buffer)
		if err != nil {
			return
		}
		m.mu.Lock()
		if m.beats == beats && n > 0 { // otherwise it has started anew since it said this
			m.beat, m.lived = time.Now(), m.starts
			m.tell()
		}
		m.mu.Unlock()
	}
}

// watch kills a machine that says nothing any more.
func (m *Machine) watch() {
	tick := time.NewTicker(m.config.Hang / 12)
	defer tick.Stop()
	was := time.Now()
	var silent time.Duration // as this process has seen it: one that was stopped itself saw nothing
	for {
		select {
		case <-m.ended:
			return
		case <-tick.C:
		}
		m.mu.Lock()
		now := time.Now()
		if silent += min(now.Sub(was), m.config.Hang/6); m.beat.IsZero() || m.beat.After(was) { // or it is started anew
			silent = 0
		}
		was = now
		hangs := silent > m.config.Hang && m.why == nil
		if hangs {
			m.why = m.said(fmt.Errorf("it has said nothing for %v, and was ended: it hangs", m.config.Hang))
		}
		m.mu.Unlock()
		if hangs {
			m.qemu.kill()
		}
	}
}

// About says how the machine is run.
func (m *Machine) About() string {
	how := "emulated (tcg)"
	if m.accel == "kvm" {
		how = "with KVM"
	}
	return fmt.Sprintf("QEMU, %s, %d CPUs, %d MiB, %s at tap devices of %d queues", how, m.config.CPUs, m.config.Memory,
		cmp.Or(m.config.NIC, VirtioNet), Queues(m.config.NIC, m.config.CPUs))
}

// Name is the name of the machine.
func (m *Machine) Name() string { return m.config.Name }

// Close ends the machine, and waits for that.
func (m *Machine) Close() error { return m.end(errClosed) }

var errClosed = errors.New("it was closed")

// end ends the machine for a reason, unless there is another one.
func (m *Machine) end(why error) error {
	m.closing.Do(func() {
		m.mu.Lock()
		if m.why == nil {
			m.why = fmt.Errorf("the machine %s: %w", m.config.Name, why)
		}
		m.mu.Unlock()
		m.qemu.kill()
		select {
		case <-m.ended:
		case <-time.After(killLimit):
			m.closed = fmt.Errorf("QEMU, process %d, does not end: the machine %s hangs in this machine's kernel", m.qemu.pid, m.config.Name)
		}
		for _, s := range m.slots {
			s.hangUp()
		}
		m.qmp.close()
	})
	return m.closed
}

// killLimit is how long QEMU may take to end when it is killed.
const killLimit = 10 * time.Second

// dialer connects with a socket of QEMU's, as soon as it is there.
func (m *Machine) dialer(name string) func(context.Context) (net.Conn, error) {
	path := m.socket(name)
	return func(ctx context.Context) (net.Conn, error) {
		for {
			conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
			if err == nil {
				return conn, nil
			}
			select {
			case <-m.ended:
				return nil, errEnded
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

func (m *Machine) socket(name string) string { return filepath.Join(m.config.Folder, name) }

// quoted is a value of an option of QEMU's, in which a comma is written twice.
func quoted(s string) string { return strings.ReplaceAll(s, ",", ",,") }
