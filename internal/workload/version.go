package workload

import (
	"context"
	"strings"

	"weir/internal/service"
)

// version is that of a program, which says it when a command of the shell runs.
type version struct {
	at      func(*job) End
	name    string // of the program; "": it says that itself
	command string
}

// versionText is the versions of a copier, for people.
func (c *copier) versionText(ctx context.Context) (string, error) {
	var out []string
	for _, v := range c.versions {
		said, err := v.at(c.job).Host.Run(ctx, "", "sh", "-c", service.Everywhere+v.command)
		if err != nil {
			return "", err
		}
		out = append(out, numbered(v.name, said))
	}
	return strings.Join(out, ", "), nil
}

// numbered is the name of a program with the first thing in what it says that
// begins with a digit, or with v and a digit: its version. Without a name it is all
// that it says.
func numbered(name, said string) string {
	if name == "" {
		return strings.TrimSpace(said)
	}
	for _, word := range strings.Fields(said) {
		word = strings.TrimRight(strings.TrimPrefix(word, "v"), ",")
		if word != "" && word[0] >= '0' && word[0] <= '9' {
			return name + " " + word
		}
	}
	return name
}
