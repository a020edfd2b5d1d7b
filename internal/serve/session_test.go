package serve

import (
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"
)

func TestSessions(t *testing.T) {
	var s sessions
	now := time.Unix(1_790_000_000, 0)
	first := s.begin("a", now)
	other := s.begin("b", now)
	for i := range mostSessions {
		s.begin("a", now.Add(time.Duration(i+1)*time.Second))
	}
	if len(s.all) != mostSessions+1 || s.find(first, now) != "" || s.find(other, now) != "b" {
		t.Errorf("there are %d sessions, the first one is %q, that of the other token %q", len(s.all), s.find(first, now), s.find(other, now))
	}
	if s.find(other, now.Add(sessionTime)) != "" {
		t.Error("a session does not end")
	}
	if s.begin("c", now.Add(2*sessionTime)); len(s.all) != 1 {
		t.Errorf("%d sessions are kept", len(s.all))
	}
	last := s.begin("d", now)
	if s.end(last); s.find(last, now) != "" || s.find("", now) != "" {
		t.Error("a session that was ended goes on")
	}
}

func TestThrottle(t *testing.T) {
	var x throttle
	now := time.Unix(1_790_000_000, 0)
	here, there := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32")
	right, wrong := func() bool { return true }, func() bool { return false }
	for range 3 * wrongAtOnce {
		if !x.try(here, now, right) {
			t.Fatal("a right token is refused")
		}
	}
	for i := range wrongAtOnce {
		if !x.try(here, now, wrong) {
			t.Fatalf("the wrong token %d is refused", i+1)
		}
	}
	for what, shown := range map[string]func() bool{"wrong": wrong, "right": right} {
		if x.try(here, now, shown) {
			t.Errorf("one more, %s, is looked at", what)
		}
	}
	if !x.try(there, now, wrong) {
		t.Error("another address is refused")
	}
	now = now.Add(wrongPeriod)
	if !x.try(here, now, right) || !x.try(here, now, wrong) {
		t.Error("after a period one is refused")
	}
	if x.try(here, now, wrong) {
		t.Error("after a period two are looked at")
	}
	for i := range 2 * mostWrong {
		x.try(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 32), now, wrong)
	}
	if len(x.until) > mostWrong {
		t.Errorf("%d addresses are kept", len(x.until))
	}
}

func TestAddressOf(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1/32", "[::ffff:192.0.2.1]:80": "192.0.2.1/32", "[2001:db8:1:2:3::4]:80": "2001:db8:1:2::/64", "[fe80::1%eth0]:80": "fe80::/64",
	} {
		req := httptest.NewRequest("GET", "/", nil)
		req.RemoteAddr = remote
		if got := addressOf(req, true).String(); got != want {
			t.Errorf("%s is %s and not %s", remote, got, want)
		}
	}
	for _, c := range []struct{ remote, said, want, alone string }{
		{"127.0.0.1:80", "192.0.2.7", "192.0.2.7/32", "127.0.0.1/32"}, {"[::1]:80", "10.0.0.1, 2001:db8::7", "2001:db8::/64", "::/64"},
		{"127.0.0.1:80", "192.0.2.7, unknown", "127.0.0.1/32", "127.0.0.1/32"}, {"192.0.2.1:80", "192.0.2.7", "192.0.2.1/32", "192.0.2.1/32"},
	} {
		req := httptest.NewRequest("GET", "/", nil)
		req.RemoteAddr = c.remote
		req.Header.Set("X-Forwarded-For", c.said)
		if got := addressOf(req, false).String(); got != c.alone {
			t.Errorf("%s for %q is %s and not %s where no proxy is", c.remote, c.said, got, c.alone)
		}
		if got := addressOf(req, true).String(); got != c.want {
			t.Errorf("%s for %q is %s and not %s", c.remote, c.said, got, c.want)
		}
	}
}

func TestLocalPage(t *testing.T) {
	for _, good := range []string{"", "c/1/annotate", "?q=x", "compare?c=1&c=2"} {
		if localPage(good) != good {
			t.Errorf("%q is taken for a page elsewhere", good)
		}
	}
	for _, bad := range []string{"https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)", "../..", "c/../../x", "a\nb", "/c/1"} {
		if got := localPage(bad); got != "" {
			t.Errorf("%q is taken for the page %q", bad, got)
		}
	}
}
