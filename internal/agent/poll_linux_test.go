package agent_test

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/agent"
	"weir/internal/netif"
)

// polled is a lab and the NAPI instances of its DUT; none where the kernel has
// no means to poll them, which it then says.
func polled(t *testing.T) (agent.Place, []uint32) {
	bed := lab(t)
	if err := agent.CanPoll(); err != nil {
		if unsupported := (*weir.UnsupportedError)(nil); !errors.As(err, &unsupported) {
			t.Fatal(err)
		}
		return agent.Place{}, nil
	}
	var napis []uint32
	err := bed.InDUT(func() error {
		for _, p := range bed.DUT().Ports {
			ids, err := netif.NAPIs(p.DUT)
			if err != nil {
				return err
			}
			napis = append(napis, ids...)
		}
		return nil
	})
	if err != nil || len(napis) != len(bed.Forwarding()) {
		t.Fatalf("%v, %v, of %d threads", napis, err, len(bed.Forwarding()))
	}
	return agent.Place{Host: bed.DUT().Host, CPUs: bed.CPUs().DUT}, napis
}

// A thread on each CPU polls as long as it is told to, and never sleeps.
func TestPoll(t *testing.T) {
	at, napis := polled(t)
	if napis == nil {
		return
	}
	poller, err := agent.StartPoller(t.Context(), at, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer poller.Stop(t.Context())
	if threads, err := poller.Poll(t.Context(), nil); err != nil || len(threads) > 0 {
		t.Errorf("threads %v poll nothing, %v", threads, err)
	}
	threads, err := poller.Poll(t.Context(), napis)
	if err != nil || len(threads) != min(len(at.CPUs), len(napis)) {
		t.Fatalf("threads %v poll on CPUs %v, %v", threads, at.CPUs, err)
	}
	again, err := poller.Poll(t.Context(), napis[:1])
	if err != nil || !slices.Equal(again, threads) {
		t.Errorf("threads %v, %v, then %v", threads, err, again)
	}
	for i, tid := range threads {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(tid, &set); err != nil || set.Count() != 1 || !slices.ContainsFunc(at.CPUs, set.IsSet) {
			t.Errorf("thread %d may run on %d CPUs, %v; want one of %v", i, set.Count(), err, at.CPUs)
		}
		for before := ran(t, tid); ran(t, tid) == before; time.Sleep(time.Millisecond) {
			if name, err := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/wchan"); err == nil && strings.Contains(string(name), "sq_thread") {
				t.Fatalf("thread %d sleeps", i)
			}
		}
	}
	if _, err := poller.Poll(t.Context(), []uint32{1}); err == nil {
		t.Error("what cannot be a NAPI instance is polled")
	}
	if err := poller.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	for _, tid := range threads {
		if _, err := os.Stat("/proc/" + strconv.Itoa(tid)); err == nil {
			t.Errorf("thread %d outlives its process", tid)
		}
	}
}

// With a pause nothing spins.
func TestPollNowAndThen(t *testing.T) {
	at, napis := polled(t)
	if napis == nil {
		return
	}
	poller, err := agent.StartPoller(t.Context(), at, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if threads, err := poller.Poll(t.Context(), napis); err != nil || len(threads) > 0 {
		t.Errorf("threads %v never sleep, %v", threads, err)
	}
	if err := poller.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	at.CPUs = nil
	if _, err := agent.StartPoller(t.Context(), at, 0); err == nil {
		t.Error("a poller has no CPUs")
	}
}

// ran is how long a thread has run.
func ran(t *testing.T, tid int) string {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/schedstat")
	if err != nil {
		t.Fatal(err)
	}
	ns, _, _ := strings.Cut(string(text), " ")
	return ns
}
