package xdp

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"weir"
)

// Streams is the number of streams that a receiver tells apart.
const Streams = 64

// Stream is what a receiver saw of one stream.
type Stream struct {
	ID        int
	Received  uint64 // distinct, intact test frames
	Octets    uint64 // without FCS
	Duplicate uint64
	Late      uint64 // arrived after a frame with a higher sequence
	Corrupt   uint64 // with a wrong checksum
	Lowest    uint64 // sequence
	Next      uint64 // highest sequence + 1
	First     uint64 // when frames arrived, ns on the clock of Now
	Last      uint64
}

// Lost is the number of frames between the first and the last that were seen
// which did not arrive.
func (s Stream) Lost() uint64 {
	span := s.Next - s.Lowest
	if s.Received >= span {
		return 0
	}
	return span - s.Received
}

// Receiver counts the test frames that arrive at one port.
type Receiver struct {
	objects receiving
	link    link.Link
}

// receiving are the receiver's objects with one of its programs, as Receive.
type receiving struct {
	receiverMaps
	receiverVariables
	Receive *ebpf.Program `ebpf:"receive"`
}

func (o *receiving) Close() error {
	return errors.Join(o.Receive.Close(), o.receiverMaps.Close())
}

// ReceiverOptions say what a receiver does with test frames besides counting.
type ReceiverOptions struct {
	Verify bool // check the transport checksum of each one
	Keep   bool // pass them to the stack, where a capture sees them, instead of dropping them
}

// NewReceiver attaches a receiver to the port with the given index in the
// calling thread's network namespace, in the port's driver.
//
// Before Linux 5.18 it checks none, and a port whose MTU does not let a frame
// fit into one page is a *weir.UnsupportedError, as is one without native XDP.
func NewReceiver(port int, o ReceiverOptions) (*Receiver, error) {
	r := &Receiver{}
	linear := false
	err := r.load(o, linear)
	if err != nil && !errors.Is(err, unix.EPERM) {
		if linear = r.load(o, true) == nil; linear {
			err = nil
		}
	}
	if err != nil {
		return nil, explain("load the receiver", err)
	}
	r.link, err = attach(r.objects.Receive, port)
	if linear && errors.Is(err, unix.ERANGE) {
		err = &weir.UnsupportedError{Feature: "native XDP on a port with this MTU", Since: "Linux 5.18", Err: err,
			Remedy: "use a newer kernel, or an MTU of 3000 at most"}
	}
	if err != nil {
		r.objects.Close()
		return nil, err
	}
	return r, nil
}

// load loads the program for fragmented frames, or the one for linear ones.
func (r *Receiver) load(o ReceiverOptions, linear bool) error {
	spec, err := loadReceiver()
	if err != nil {
		return fmt.Errorf("read the receiver's object: %w", err)
	}
	if linear {
		spec.Programs["receive"] = spec.Programs["receive_linear"]
	}
	if err := spec.Variables["verify"].Set(flag(o.Verify)); err != nil {
		return err
	}
	if err := spec.Variables["keep"].Set(flag(o.Keep)); err != nil {
		return err
	}
	return spec.LoadAndAssign(&r.objects, nil)
}

// Reset forgets all frames and accepts those of one trial from now on, 1-255;
// 0 accepts those of any.
func (r *Receiver) Reset(trial uint8) error {
	var a receiverAccept
	a.Trial = trial
	if err := r.objects.Accept.Set(a); err != nil {
		return err
	}
	n := cpus()
	streams, windows := make([]receiverStream, n), make([]receiverWindow, n)
	for id := range uint32(Streams) {
		used, err := r.stream(id)
		if err != nil {
			return err
		}
		if used.Received+used.Corrupt == 0 {
			continue
		}
		if err := r.objects.Streams.Put(id, streams); err != nil {
			return fmt.Errorf("reset the receiver: %w", err)
		}
		if err := r.objects.Windows.Put(id, windows); err != nil {
			return fmt.Errorf("reset the receiver: %w", err)
		}
	}
	if err := r.objects.Latencies.Put(uint32(0), make([]receiverLatency, n)); err != nil {
		return fmt.Errorf("reset the receiver: %w", err)
	}
	if err := r.objects.Others.Put(uint32(0), make([]receiverOther, n)); err != nil {
		return fmt.Errorf("reset the receiver: %w", err)
	}
	return nil
}

// Seen are the streams of which a frame arrived since the last Reset.
func (r *Receiver) Seen() ([]Stream, error) {
	var seen []Stream
	for id := range uint32(Streams) {
		s, err := r.stream(id)
		if err != nil {
			return nil, err
		}
		if s.Received+s.Corrupt > 0 {
			seen = append(seen, s)
		}
	}
	return seen, nil
}

// stream adds up what the CPUs saw of one stream.
func (r *Receiver) stream(id uint32) (Stream, error) {
	perCPU := make([]receiverStream, cpus())
	if err := r.objects.Streams.Lookup(id, &perCPU); err != nil {
		return Stream{}, fmt.Errorf("read the receiver's streams: %w", err)
	}
	s := Stream{ID: int(id)}
	for _, c := range perCPU {
		s.Corrupt += c.Corrupt
		if c.Received == 0 {
			continue
		}
		if s.Received+s.Duplicate == 0 || c.Lowest < s.Lowest {
			s.Lowest = c.Lowest
		}
		if s.First == 0 || c.First < s.First {
			s.First = c.First
		}
		s.Received += c.Received - c.Duplicate
		s.Duplicate += c.Duplicate
		s.Octets += c.Octets
		s.Late += c.Late
		s.Next, s.Last = max(s.Next, c.Next), max(s.Last, c.Last)
	}
	return s, nil
}

// Count is the number of distinct, intact test frames since the last Reset.
func (r *Receiver) Count() (uint64, error) {
	seen, err := r.Seen()
	var n uint64
	for _, s := range seen {
		n += s.Received
	}
	return n, err
}

// Latency is the histogram of all test frames since the last Reset.
func (r *Receiver) Latency() (weir.Histogram, error) {
	var h weir.Histogram
	perCPU := make([]receiverLatency, cpus())
	if err := r.objects.Latencies.Lookup(uint32(0), &perCPU); err != nil {
		return h, fmt.Errorf("read the receiver's latencies: %w", err)
	}
	for _, c := range perCPU {
		one := weir.Histogram{Counts: make(map[int]uint64), N: c.Count, Sum: c.Sum, Min: c.Min, Max: c.Max}
		for b, n := range c.Buckets {
			if n > 0 {
				one.Counts[b] = n
			}
		}
		h.Merge(one)
	}
	return h, nil
}

// Others are the frames since the last Reset that were no test frames and
// passed to the stack, and test frames of other trials, which were dropped.
func (r *Receiver) Others() (passed, foreign uint64, err error) {
	perCPU := make([]receiverOther, cpus())
	if err := r.objects.Others.Lookup(uint32(0), &perCPU); err != nil {
		return 0, 0, fmt.Errorf("read the receiver's counters: %w", err)
	}
	for _, c := range perCPU {
		passed += c.Passed
		foreign += c.Foreign
	}
	return passed, foreign, nil
}

// Close detaches and unloads the receiver.
func (r *Receiver) Close() error {
	r.link.Close()
	return r.objects.Close()
}
