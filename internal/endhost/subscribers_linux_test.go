package endhost

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"weir/frame"
	"weir/internal/agent"
	"weir/internal/testenv"
)

// crowdSecrets are those of n users, without addresses.
func crowdSecrets(n int, secret string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "user%05d %s%05d\n", i, secret, i)
	}
	return b.String()
}

// crowdRole starts a role, which ends with the test.
func crowdRole(t *testing.T, at inside, role string, settings any) *agent.Agent {
	t.Helper()
	a, err := agent.Start(t.Context(), agent.Place{Host: at}, role, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Stop(context.Background()) })
	return a
}

func crowdAsked[T any](t *testing.T, a *agent.Agent, what string) (v T) {
	t.Helper()
	if err := a.Ask(t.Context(), what, nil, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// crowdEcho is how often each end of a session asks whether the other is alive.
const crowdEcho = 3 * time.Second

// crowdServed is a concentrator for n subscribers with addresses for so many of them.
func crowdServed(n, addresses int) SubscribersServe {
	return SubscribersServe{
		Port: "far", Name: "ac", Service: "crowd", Secrets: crowdSecrets(n, "s"), Address: netip.MustParseAddr("10.0.0.1"),
		Pool: netip.MustParseAddr("10.1.0.0"), Size: addresses, Network: netip.MustParseAddr("2001:db8::"), Echo: crowdEcho,
	}
}

func crowdComing(n int) Subscribers {
	return Subscribers{
		Port: "near", First: "02:01:00:00:00:01", Secrets: crowdSecrets(n, "s"), Service: "crowd", Concentrator: "ac",
		Network: netip.MustParseAddr("2001:db8::"), Echo: crowdEcho,
	}
}

// Many subscribers of one process have sessions, each with its own addresses at both ends;
// echoes are answered, also while a flood of PADIs comes, and all end when they are told to.
func TestSubscribers(t *testing.T) {
	t.Parallel()
	for times := range testenv.Longer {
		if holdCrowd(t, times*crowdEcho) {
			return
		}
	}
	t.Error("echoes are not answered, however much time there is for them")
}

// holdCrowd has subscribers come, stay and leave, and reports whether each end had a CPU to
// answer the echoes of the other.
func holdCrowd(t *testing.T, echo time.Duration) bool {
	t.Helper()
	const n = 300
	near, far := accessLine(t, 1500)
	serving, coming := crowdServed(n, n), crowdComing(n)
	serving.Echo, coming.Echo = echo, echo
	server := crowdRole(t, far, "subscribers-serve", serving)
	crowd := crowdRole(t, near, "subscribers", coming)
	r := crowdAsked[SubscribersReport](t, crowd, "connect")
	if r.Up != n || r.Asked != n || r.Times.N != n || len(r.Failed) > 0 || r.Took <= 0 {
		t.Fatalf("%+v", r)
	}
	t.Logf("%d in %v, median %.4f s, CPU %v", r.Up, r.Took, r.Times.Quantile(.5), r.CPU)
	here, there := crowdAsked[[]frame.Session](t, crowd, "sessions"), crowdAsked[[]frame.Session](t, server, "sessions")
	if len(here) != n || len(there) != n || here[0].Client.String() != "02:01:00:00:00:01" || here[n-1].Client.String() != "02:01:00:00:01:2c" {
		t.Fatalf("%d and %d sessions: %+v", len(here), len(there), here[:1])
	}
	known := make(map[string]bool)
	for _, s := range here {
		known[fmt.Sprint(s)] = true
		if !strings.HasPrefix(s.IPv4.String(), "10.1.") || !strings.HasPrefix(s.IPv6.String(), "2001:db8::") || s.Concentrator.String() != "02:00:00:00:00:02" {
			t.Fatalf("%+v", s)
		}
	}
	for _, s := range there {
		if !known[fmt.Sprint(s)] {
			t.Fatalf("the concentrator has another session: %+v", s)
		}
	}
	var flood PADIFlooded
	err := agent.Play(t.Context(), agent.Place{Host: near}, "padi-flood", PADIFlood{Port: "near", Service: "crowd", Rate: 5000, Duration: time.Second}, &flood)
	if err != nil || flood.Sent == 0 {
		t.Errorf("%+v, %v", flood, err)
	}
	testenv.Await(t, "all have asked for an echo, and the first have one", func() bool {
		r = crowdAsked[SubscribersReport](t, crowd, "count")
		return r.Up < n || r.Protocol.Echoes >= n && r.Protocol.Echoed > 0
	})
	served := crowdAsked[ServedReport](t, server, "count")
	if r.Protocol.Dead+served.Protocol.Dead > 0 {
		t.Logf("echoes each %v were not answered in time", echo)
		return false
	}
	if r.Up != n || served.Sessions != n || len(r.Lost) > 0 {
		t.Errorf("after a flood %+v, %+v", r, served)
	}
	if r := crowdAsked[SubscribersReport](t, crowd, "disconnect"); r.Up != 0 || r.Left != n {
		t.Errorf("at the end %+v", r)
	}
	testenv.Await(t, "the concentrator has read that all have left", func() bool {
		served := crowdAsked[ServedReport](t, server, "count")
		return served.Sessions == 0 && served.Protocol.Disconnected == n
	})
	return true
}

// Those who cannot be served are counted by the reason; and when a crowd's process ends,
// its sessions do.
func TestSubscribersRefused(t *testing.T) {
	t.Parallel()
	const n = 50
	near, far := accessLine(t, 1500)
	server := crowdRole(t, far, "subscribers-serve", crowdServed(n, 40))
	crowd := crowdComing(n)
	crowd.Secrets = strings.Replace(crowd.Secrets, "user00001 s", "user00001 wrong", 1)
	a := crowdRole(t, near, "subscribers", crowd)
	r := crowdAsked[SubscribersReport](t, a, "connect")
	if r.Up != 40 || r.Failed["the peer does not accept this name and secret"] != 1 || r.Failed["the peer ended the link"] != 9 {
		t.Errorf("%+v", r)
	}
	if s := crowdAsked[ServedReport](t, server, "count"); s.Sessions != 40 || s.Protocol.Unproven != 1 || s.Protocol.Refused != 9 {
		t.Errorf("%+v", s)
	}
	if err := a.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	testenv.Await(t, "the sessions end with the subscribers' process", func() bool { return crowdAsked[ServedReport](t, server, "count").Sessions == 0 })
	for name, c := range map[string]Subscribers{
		"is no Ethernet address":      {Port: "near", First: "03:00:00:00:00:01", Secrets: "ann s3cret"},
		"there are 1 to":              {Port: "near", First: "02:00:00:00:00:01"},
		"line 1: 1 words":             {Port: "near", First: "02:00:00:00:00:01", Secrets: "ann"},
		"have PPPoE sessions at none": {Port: "none"},
	} {
		if _, err := agent.Start(t.Context(), agent.Place{Host: near}, "subscribers", c, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whoever waits for subscribers is told when their port is gone.
func TestSubscribersWithoutPort(t *testing.T) {
	t.Parallel()
	near, _ := accessLine(t, 1500) // nobody serves at the far end
	crowd := crowdRole(t, near, "subscribers", crowdComing(3))
	asked := make(chan error, 1)
	go func() { asked <- crowd.Ask(t.Context(), "connect", nil, nil) }()
	testenv.Await(t, "the subscribers ask for a concentrator", func() bool {
		frames := 0
		err := near.ns.Do(func() error {
			said, err := os.ReadFile("/sys/class/net/near/statistics/tx_packets")
			fmt.Sscan(string(said), &frames)
			return err
		})
		return err == nil && frames > 0
	})
	near.ip(t, "link set near down")
	if err := <-asked; err == nil || !strings.Contains(err.Error(), "take frames from near") {
		t.Errorf("without a port: %v", err)
	}
}
