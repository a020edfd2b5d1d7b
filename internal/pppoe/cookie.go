package pppoe

import (
	"crypto/hmac"
	"crypto/sha256"
	"time"
)

// cookieLife is how long a key makes cookies; those of the key before are
// accepted too, so that a cookie serves for one to two of these.
const cookieLife = time.Minute

// cookies makes the AC-Cookie again from what a PADR brings, so that a PADI
// leaves nothing behind (RFC 2516 section 9).
type cookies struct {
	keys  [2][32]byte // of now, and before
	since time.Time
}

func (c *cookies) rotate(random func([]byte), now time.Time) {
	age := now.Sub(c.since)
	if age < cookieLife && !c.since.IsZero() {
		return
	}
	c.keys[1] = c.keys[0]
	random(c.keys[0][:])
	if age >= 2*cookieLife { // the key before is too old as well
		random(c.keys[1][:])
	}
	c.since = now
}

func (c *cookies) of(host MAC, key int) []byte {
	h := hmac.New(sha256.New, c.keys[key][:])
	h.Write(host[:])
	return h.Sum(nil)[:16]
}

func (c *cookies) valid(cookie []byte, host MAC) bool {
	return hmac.Equal(cookie, c.of(host, 0)) || hmac.Equal(cookie, c.of(host, 1))
}
