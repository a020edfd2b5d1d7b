package xdp

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"weir"
	"weir/frame"
)

// seldom is of how many frames one is verified with ReceiverOptions.Seldom, a power
// of two.
const seldom = 16

// Streams is the number of streams that a receiver tells apart.
const Streams = 64

// Stream is what a receiver saw of one stream.
type Stream struct {
	ID        int
	Trial     uint8
	Received  uint64 // distinct, intact test frames
	Octets    uint64 // without FCS
	Duplicate uint64
	Late      uint64 // arrived after a frame with a higher sequence
	Corrupt   uint64 // with a wrong checksum, or in a session's header with a wrong length
	// WrongSession are those that came in another session than that of their address, or
	// in none, where all are expected in one (ReceiverOptions.Sessions).
	WrongSession uint64
	Lowest       uint64 // sequence
	Next         uint64 // highest sequence + 1
	First        uint64 // when frames arrived, ns on the clock of Now
	Last         uint64
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
	options ReceiverOptions
	linear  bool  // loaded for linear frames
	refused error // by the driver, behind which it is attached then; nil: it is attached there
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
	Seldom bool // of one in 16 of each stream alone, as that takes the time of several frames; no meaning without Verify
	// Offloaded takes a checksum that the sender has left to its port for right: a virtual
	// link carries such frames as they are, and a real port would have completed them. No
	// meaning without Verify.
	Offloaded bool
	Keep      bool // pass them to the stack, where a capture sees them, instead of dropping them

	Variation bool // compare the delays of successive frames
	RoundTrip bool // time frames that were sent from here and come back (Expected.Back of another receiver)
	Elsewhere int  // frames of a stream that go to other ports between two that come here; of one port 0
	Tags      int  // frames of each stream whose latency is kept by itself; 0: none
	Steps     int  // of the timeline that is kept, and the gaps beside it (Grid.Steps); 0: none
	Windows   int  // that are counted apart at most (Expected.Windows); 0: none

	// Sessions are the PPPoE sessions inside which all test frames come, each in that of
	// its address, in the family of the frames; nil: none. A list must not be changed.
	Sessions *[]frame.Session
}

// Expected says which frames a receiver is to count.
type Expected struct {
	Trial uint8 // 1-255; 0: those of any, which alone are counted then: gaps, tags and delays are of one trial
	Grid  Grid  // of the timeline
	Tags  Tags
	// Windows are when those that are counted apart begin, on the clock of Now, in
	// their order.
	Windows []time.Duration
	// Ahead is by how much this machine's clock is ahead of that of the frames, which
	// another machine stamps; latencies are that much less. 0: one clock has both.
	Ahead time.Duration
	// Back is of how many frames of a stream one is sent back to where it came from, a
	// power of two; 0: of none. Such a frame counts here as any other, and nowhere else.
	Back uint32
}

// Tags are the sequences First, First + Step and so on of each stream.
type Tags struct {
	First, Step uint64
}

// NewReceiver attaches a receiver to the port with the given index in the
// calling thread's network namespace: in the port's driver or, where that has no XDP,
// behind it (Generic).
//
// Before Linux 5.18 it checks none, and a port whose MTU does not let a frame
// fit into one page is a *weir.UnsupportedError.
func NewReceiver(port int, o ReceiverOptions) (*Receiver, error) {
	r, err := LoadReceiver(o)
	if err != nil {
		return nil, err
	}
	if err := r.Attach(port); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// LoadReceiver makes a receiver that is attached to no port yet. The kernel checks
// its program, which takes the time of a short trial: several can be loaded at once.
func LoadReceiver(o ReceiverOptions) (*Receiver, error) {
	r := &Receiver{}
	err := r.load(o, false)
	if err != nil && !errors.Is(err, unix.EPERM) && r.load(o, true) == nil {
		err = nil
	}
	if err != nil {
		return nil, explain("load the receiver", err)
	}
	return r, nil
}

// Attach has the receiver count what arrives at a port, as NewReceiver does.
func (r *Receiver) Attach(port int) (err error) {
	r.link, r.refused, err = attachAnyhow(r.objects.Receive, port)
	if r.linear && errors.Is(err, unix.ERANGE) {
		err = &weir.UnsupportedError{Feature: "native XDP on a port with this MTU", Since: "Linux 5.18", Err: err,
			Remedy: "use a newer kernel, or an MTU of 3000 at most"}
	}
	return err
}

// Generic reports whether the port's driver has no XDP, so that the kernel hands frames
// over behind it: all of them are counted, at a fraction of the rate.
func (r *Receiver) Generic() bool { return r.refused != nil }

// Refused is the kernel's error for which the port's driver did not take the program;
// nil where it did.
func (r *Receiver) Refused() error { return r.refused }

// load takes an idle program, or loads one: that for fragmented frames, or for linear ones.
func (r *Receiver) load(o ReceiverOptions, linear bool) error {
	if objects, found := idle.take(o, linear); found {
		r.objects, r.options, r.linear = objects, o, linear
		return nil
	}
	spec, err := loadReceiver()
	if err != nil {
		return fmt.Errorf("read the receiver's object: %w", err)
	}
	switch {
	case o.Sessions != nil && linear:
		return &weir.UnsupportedError{Feature: "receiving test frames inside PPPoE sessions", Since: "Linux 5.18", Remedy: "use a newer kernel"}
	case o.Sessions != nil:
		spec.Programs["receive"] = spec.Programs["receive_inside"]
		spec.Maps["clients"].MaxEntries = frame.MaxSessions + 1
	case linear:
		spec.Programs["receive"] = spec.Programs["receive_linear"]
	}
	spec.Maps["latencies"].MaxEntries = o.histograms()
	spec.Maps["delays"].MaxEntries = uint32(max(o.delays(), 1))
	spec.Maps["bounds"].MaxEntries = uint32(o.Windows + 1)
	spec.Maps["arrivals"].MaxEntries = uint32(max(o.Windows*cpus(), 1))
	spec.Maps["gaps"].MaxEntries = 1
	if o.Steps > 0 {
		spec.Maps["gaps"].MaxEntries = Streams
	}
	spec.Maps["tagged"].MaxEntries = uint32(max(Streams*o.Tags, 1))
	err = errors.Join(
		setSteps(spec, o.Steps),
		spec.Variables["verify"].Set(flag(o.Verify)),
		spec.Variables["verify_mask"].Set(uint32(flag(o.Seldom))*(seldom-1)),
		spec.Variables["offloaded"].Set(flag(o.Offloaded)),
		spec.Variables["keep"].Set(flag(o.Keep)),
		spec.Variables["varying"].Set(flag(o.Variation)),
		spec.Variables["elsewhere"].Set(uint32(o.Elsewhere)),
		spec.Variables["tags_n"].Set(uint32(o.Tags)),
		spec.Variables["windows_n"].Set(uint32(o.Windows)),
	)
	if err != nil {
		return err
	}
	var objects receiving
	if err := spec.LoadAndAssign(&objects, nil); err != nil {
		return err
	}
	if err := putClients(objects.Clients, o.Sessions); err != nil {
		return errors.Join(err, objects.Close())
	}
	r.objects, r.options, r.linear = objects, o, linear
	return nil
}

// Change makes the receiver do something else with test frames from now on,
// without letting one pass meanwhile. What it has counted means nothing until a Reset.
func (r *Receiver) Change(o ReceiverOptions) error {
	if o == r.options {
		return nil
	}
	old := program{r.options, r.linear, r.objects}
	if err := r.load(o, r.linear); err != nil {
		return explain("load the receiver", err)
	}
	if err := r.link.Update(r.objects.Receive); err != nil {
		return errors.Join(fmt.Errorf("replace the receiver: %w", err), old.objects.Close())
	}
	return idle.put(old)
}

// Options are what the receiver does with test frames besides counting.
func (r *Receiver) Options() ReceiverOptions { return r.options }

// Reset forgets all frames and counts those that are expected from now on.
func (r *Receiver) Reset(e Expected) error {
	accept := receiverAccept{Trial: e.Trial, TagFirst: e.Tags.First, TagStep: max(e.Tags.Step, 1)}
	err := errors.Join(
		r.objects.Accept.Set(accept),
		r.objects.Distant.Set(receiverDistant{Ahead: uint64(e.Ahead), Back: e.Back}),
		r.objects.Turned.Put(uint32(0), make([]uint64, cpus())),
		r.objects.Grid.Set(receiverGrid{Start: uint64(e.Grid.Start), Shift: uint32(e.Grid.Shift)}),
		clearSteps(r.objects.Steps, r.options.Steps),
		clearArray(r.objects.Tagged, Streams*r.options.Tags),
		r.expect(e.Windows),
		r.objects.Slots.Put(uint32(0), make([]receiverSlots, cpus())),
	)
	if err != nil {
		return err
	}
	n := cpus()
	streams, recents := make([]receiverStream, n), make([]receiverRecent, n)
	for id := range uint32(Streams) {
		var used uint64
		perCPU, err := r.streams(id)
		if err != nil {
			return err
		}
		for _, c := range perCPU {
			used += c.Received + c.Corrupt + c.WrongSession
		}
		if used == 0 {
			continue
		}
		if err := r.objects.Streams.Put(id, streams); err != nil {
			return fmt.Errorf("reset the receiver: %w", err)
		}
		if err := r.objects.Recents.Put(id, recents); err != nil {
			return fmt.Errorf("reset the receiver: %w", err)
		}
		if err := errors.Join(r.clearGaps(id), r.clearDelays(id)); err != nil {
			return fmt.Errorf("reset the receiver: %w", err)
		}
	}
	for i := range r.objects.Latencies.MaxEntries() {
		if err := r.objects.Latencies.Put(i, make([]receiverLatency, n)); err != nil {
			return fmt.Errorf("reset the receiver: %w", err)
		}
	}
	if err := r.objects.Others.Put(uint32(0), make([]receiverOther, n)); err != nil {
		return fmt.Errorf("reset the receiver: %w", err)
	}
	return nil
}

// Seen are the streams of which a frame arrived since the last Reset, each added up
// over the CPUs.
func (r *Receiver) Seen() (seen []Stream, err error) {
	for slot := range uint32(Streams) {
		perCPU, err := r.streams(slot)
		if err != nil {
			return nil, err
		}
		for _, c := range perCPU { // which may have different streams in this place
			if c.Received+c.Corrupt+c.WrongSession == 0 {
				continue
			}
			at := slices.IndexFunc(seen, func(s Stream) bool { return s.ID == int(c.Id) && s.Trial == c.Trial })
			if at < 0 {
				at = len(seen)
				seen = append(seen, Stream{ID: int(c.Id), Trial: c.Trial})
			}
			seen[at].add(c)
		}
	}
	return seen, nil
}

// streams are what each CPU saw in one place.
func (r *Receiver) streams(slot uint32) ([]receiverStream, error) {
	perCPU := make([]receiverStream, cpus())
	if err := r.objects.Streams.Lookup(slot, &perCPU); err != nil {
		return nil, fmt.Errorf("read the receiver's streams: %w", err)
	}
	return perCPU, nil
}

// add adds what a CPU saw of the stream.
func (s *Stream) add(c receiverStream) {
	s.Corrupt += c.Corrupt
	s.WrongSession += c.WrongSession
	if c.Received == 0 {
		return
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

// Count is the number of distinct, intact test frames since the last Reset.
func (r *Receiver) Count() (uint64, error) {
	seen, err := r.Seen()
	var n uint64
	for _, s := range seen {
		n += s.Received
	}
	return n, err
}

// Others are the frames since the last Reset that were no test frames and
// passed to the stack, and test frames of other trials, or of more streams than can be
// told apart, which were dropped.
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

// Back is how many test frames were sent back since the last Reset.
func (r *Receiver) Back() (n uint64, err error) {
	perCPU := make([]uint64, cpus())
	if err := r.objects.Turned.Lookup(uint32(0), &perCPU); err != nil {
		return 0, fmt.Errorf("read the receiver's counters: %w", err)
	}
	for _, c := range perCPU {
		n += c
	}
	return n, nil
}

// Close detaches and unloads the receiver.
func (r *Receiver) Close() error {
	if r.link != nil { // it was attached
		r.link.Close()
	}
	objects := r.objects
	if r.objects = (receiving{}); objects.Receive == nil {
		return nil // it is closed
	}
	return idle.put(program{r.options, r.linear, objects})
}
