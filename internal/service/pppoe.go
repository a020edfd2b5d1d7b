package service

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// PPPoE is an access line as a program of others is to serve or to use it: one
// description, of which each has a configuration in words of its own. Names and secrets
// are of printable ASCII without quotes, spaces and #, as not all of the programs have a
// way to write those.
type PPPoE struct {
	Interface string       // an Ethernet port; "": none, what is said here does not depend on it
	Service   string       // its name; "": any
	Name      string       // of the concentrator; of a client "": any
	Proofs    []string     // by which users prove who they are, the most wanted first: "chap" (with MD5), "pap"
	Users     []PPPoEUser  // of a client: the one that it is
	Local     netip.Addr   // IPv4, the concentrator's own
	Pool      netip.Addr   // IPv4, the first that a user gets who has none
	Sessions  int          // as many as the pool has addresses
	MTU       int          // of the session; 0: 1492. Up to 1500 are agreed on by RFC 4638
	DNS       []netip.Addr // IPv4, that clients are told, two at most
	IPv6      bool         // beside IPv4: link-local addresses by IPv6CP
}

// PPPoEUser is somebody who may have a session.
type PPPoEUser struct {
	Name, Secret string
	Address      netip.Addr // IPv4, that is theirs; not valid: one of the pool
}

// The proofs that all of the programs know.
const (
	proofCHAP = "chap"
	proofPAP  = "pap"
)

// usualMTU is what a session carries on a plain Ethernet (RFC 2516 section 7).
const usualMTU = 1492

// told says what of a description not every program could be told.
func (l PPPoE) told() error {
	plain := func(what, text string) error {
		if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'`\\#*$,;:@", r) }) {
			return fmt.Errorf("%s %q: only printable ASCII without spaces and without any of \"'`\\#*$,;:@ can be told to each of the programs", what, text)
		}
		return nil
	}
	errs := []error{plain("interface", l.Interface), plain("service", l.Service), plain("concentrator", l.Name)}
	for _, u := range l.Users {
		if u.Name == "" || u.Secret == "" {
			errs = append(errs, fmt.Errorf("user %q: a user has a name and a secret", u.Name))
		}
		errs = append(errs, plain("user", u.Name), plain("secret of "+u.Name, u.Secret))
	}
	for _, p := range l.Proofs {
		if p != proofCHAP && p != proofPAP {
			errs = append(errs, fmt.Errorf("proof %q: there are chap and pap", p))
		}
	}
	return errors.Join(errs...)
}

func (l PPPoE) mtu() int { return cmp.Or(l.MTU, usualMTU) }

// nth is the address that is i behind another one.
func nth(a netip.Addr, i int) netip.Addr {
	b := a.As4()
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, binary.BigEndian.Uint32(b[:])+uint32(i))))
}

// ranges are n addresses from first on, as ranges whose ends differ in the last octet alone.
func ranges(first netip.Addr, n int) (out [][2]netip.Addr) {
	for n > 0 {
		part := min(n, 256-int(first.As4()[3]))
		out = append(out, [2]netip.Addr{first, nth(first, part-1)})
		first, n = nth(first, part), n-part
	}
	return out
}

// spaced are addresses, each behind a space.
func spaced(all []netip.Addr) (out string) {
	for _, a := range all {
		out += " " + a.String()
	}
	return out
}
