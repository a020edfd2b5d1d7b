package telemetry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"weir"
)

// ProfileHertz is how often each CPU is sampled in a second: no multiple of what
// a kernel does in step with its clock.
const ProfileHertz = 997

// readEvery is how often samples are taken out of their rings.
const readEvery = 50 * time.Millisecond

// Sampler samples CPUs of this machine, from its start until it is stopped.
type Sampler struct {
	host      weir.Host
	functions symbols
	rings     []*ring
	chains    *chains
	lost      uint64
	quit      chan struct{}
	done      chan struct{}
}

// StartSampler begins to sample CPUs of this machine, which host has to be a
// place of, and of which the kernel's functions are read before: those that are
// loaded later have no names. It takes CAP_PERFMON and, for the names, CAP_SYSLOG;
// where these or perf events are missing it is a *weir.UnsupportedError. The
// goroutine that collects the samples runs where the caller's process may.
func StartSampler(ctx context.Context, host weir.Host, cpus []int) (*Sampler, error) {
	s := &Sampler{host: host, chains: newChains(threadComm), quit: make(chan struct{}), done: make(chan struct{})}
	var err error
	if s.functions, err = readSymbols(ctx, host); err != nil {
		return nil, err
	}
	if err := s.open(ctx, cpus); err != nil {
		return nil, errors.Join(s.unsupported(ctx, err), s.close())
	}
	go s.collect()
	return s, nil
}

func (s *Sampler) open(ctx context.Context, cpus []int) error {
	for _, cpu := range cpus {
		r, err := openRing(cpu, ProfileHertz)
		if err != nil {
			return err
		}
		s.rings = append(s.rings, r)
	}
	for _, r := range s.rings {
		if err := r.enable(); err != nil {
			return fmt.Errorf("begin to sample: %w", err)
		}
	}
	return ctx.Err()
}

// unsupported says what this machine lacks, if that is why it cannot be sampled.
func (s *Sampler) unsupported(ctx context.Context, err error) error {
	u := &weir.UnsupportedError{Feature: "sampling what CPUs do (perf_event_open)", Err: err}
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		u.Feature += " without CAP_PERFMON"
		u.Remedy = "run weir as root, or lower kernel.perf_event_paranoid to -1"
		if level, err := s.host.ReadFile(ctx, "/proc/sys/kernel/perf_event_paranoid"); err == nil {
			u.Remedy += ", which is " + strings.TrimSpace(level)
		}
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP):
		u.Remedy = "take a kernel with CONFIG_PERF_EVENTS"
	default:
		return err
	}
	return u
}

// collect takes samples out of the rings until the sampler is stopped.
func (s *Sampler) collect() {
	defer close(s.done)
	tick := time.NewTicker(readEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.read()
		case <-s.quit:
			return
		}
	}
}

func (s *Sampler) read() {
	for _, r := range s.rings {
		s.lost += r.read(s.chains.add)
	}
}

// Stop ends the sampling and says what was found. It is to be called once.
func (s *Sampler) Stop() (weir.Profile, error) {
	var err error
	for _, r := range s.rings {
		err = errors.Join(err, r.disable())
	}
	close(s.quit)
	<-s.done
	s.read()
	if err := errors.Join(err, s.close()); err != nil {
		return weir.Profile{}, fmt.Errorf("end the sampling: %w", err)
	}
	p := s.chains.profile(s.functions)
	p.Hertz, p.Lost = ProfileHertz, s.lost
	return p, nil
}

func (s *Sampler) close() error {
	var err error
	for _, r := range s.rings {
		err = errors.Join(err, r.close())
	}
	s.rings = nil
	return err
}

// readSymbols reads the names of the kernel's functions.
func readSymbols(ctx context.Context, host weir.Host) (symbols, error) {
	text, err := host.ReadFile(ctx, "/proc/kallsyms")
	if err == nil {
		var s symbols
		if s, err = parseSymbols(text); err == nil {
			return s, nil
		}
	}
	return symbols{}, &weir.UnsupportedError{
		Feature: "naming the kernel's functions (/proc/kallsyms)", Err: err,
		Remedy: "run weir as root with CAP_SYSLOG and set kernel.kptr_restrict to 0 or 1",
	}
}

// threadComm is the name of a thread of this machine; "" of one that has ended.
func threadComm(thread uint32) string {
	if thread == 0 {
		return "swapper"
	}
	name, err := os.ReadFile("/proc/" + strconv.FormatUint(uint64(thread), 10) + "/comm")
	if err != nil {
		return ""
	}
	return string(name)
}
