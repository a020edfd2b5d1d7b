package xdp

import (
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf/link"
)

// MaxWatched is the number of threads that can be watched at once: THREADS of the
// program.
const MaxWatched = 64

// Preemption notes when threads of the kernel or of programs that want to run
// are kept from their CPUs by others than themselves. What a hypervisor takes
// is not seen.
type Preemption struct {
	objects preemptObjects
	link    link.Link
}

// Stretch is a time in which a watched thread was kept waiting, on the clock of
// Now.
type Stretch struct{ From, Until time.Duration }

// NewPreemption begins to note changes of threads, which needs the kernel's
// types (/sys/kernel/btf/vmlinux). It watches nothing yet.
func NewPreemption() (*Preemption, error) {
	p := &Preemption{}
	if err := loadPreemptObjects(&p.objects, nil); err != nil {
		return nil, explain("load the program that sees threads change", err)
	}
	var err error
	if p.link, err = link.AttachTracing(link.TracingOptions{Program: p.objects.Switched}); err != nil {
		p.objects.Close()
		return nil, explain("see threads change", err)
	}
	return p, nil
}

// Watch watches these threads from now on, and no others, and forgets what was
// noted. More than MaxWatched are an error; none ends it.
func (p *Preemption) Watch(threads []int) error {
	if len(threads) > MaxWatched {
		return fmt.Errorf("%d threads are more than the %d that can be watched", len(threads), MaxWatched)
	}
	w := preemptWatched{N: uint32(len(threads))}
	for i, t := range threads {
		w.Threads[i] = uint32(t)
	}
	return errors.Join(p.objects.Watched.Set(preemptWatched{}), p.objects.Waiting.Put(uint32(0), make([]uint64, cpus())),
		p.objects.Noted.Set(uint32(0)), p.objects.Watched.Set(w))
}

// Stretches are those that were noted since Watch, about in their order. All is
// false when there were more than there is room for.
func (p *Preemption) Stretches() (noted []Stretch, all bool, err error) {
	var n uint32
	if err := p.objects.Noted.Get(&n); err != nil {
		return nil, false, fmt.Errorf("read how often threads were kept waiting: %w", err)
	}
	room := p.objects.Stretches.MaxEntries()
	kept := make([]preemptStretch, min(n, room))
	if err := readInto(p.objects.Stretches, kept); err != nil {
		return nil, false, err
	}
	for _, s := range kept {
		noted = append(noted, Stretch{time.Duration(s.From), time.Duration(s.Until)})
	}
	return noted, n <= room, nil
}

// Close ends it.
func (p *Preemption) Close() error { return errors.Join(p.link.Close(), p.objects.Close()) }
