package pppoe

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// Secret is what a user proves to know, and the address that is theirs.
type Secret struct {
	Password string
	Address  netip.Addr // not valid: any of the pool
}

// Secrets are those of users, by their names.
type Secrets map[string]Secret

// ParseSecrets reads secrets in the form of FreeBSD's ppp.secret: a line for
// each user, with the password and, if they have one of their own, the IPv4
// address; "" around what has spaces, # before what is a comment. The ranges
// of addresses, labels and call-back numbers of that file, and its * for a
// password of the system, are errors: nobody here would obey them.
func ParseSecrets(text string) (Secrets, error) {
	secrets := make(Secrets)
	for i, line := range strings.Split(text, "\n") {
		fields, err := words(line)
		if err == nil && len(fields) > 0 {
			err = secrets.add(fields)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return secrets, nil
}

func (s Secrets) add(fields []string) error {
	if len(fields) < 2 || len(fields) > 3 {
		return fmt.Errorf("%d words, where user, password and perhaps an address are meant", len(fields))
	}
	user, secret := fields[0], Secret{Password: fields[1]}
	switch _, twice := s[user]; {
	case twice:
		return fmt.Errorf("user %q has a line already", user)
	case secret.Password == "*":
		return fmt.Errorf("user %q has the password of the system, which cannot be read here: write one", user)
	case len(user) > 255 || len(secret.Password) > 255:
		return errors.New("name or password is longer than the 255 octets that PAP carries")
	}
	if len(fields) == 3 {
		a, err := netip.ParseAddr(fields[2])
		if err != nil || !a.Is4() {
			return fmt.Errorf("%q is no IPv4 address", fields[2])
		}
		secret.Address = a
	}
	s[user] = secret
	return nil
}

// words splits a line at spaces that are not within "", up to a comment.
func words(line string) ([]string, error) {
	var found []string
	for {
		line = strings.TrimLeft(line, " \t\r")
		if line == "" || line[0] == '#' {
			return found, nil
		}
		if line[0] != '"' {
			end := strings.IndexAny(line+" ", " \t\r")
			found, line = append(found, line[:end]), line[end:]
			continue
		}
		word, rest, closed := strings.Cut(line[1:], `"`)
		if !closed {
			return nil, errors.New(`a " is not closed`)
		}
		found, line = append(found, word), rest
	}
}
