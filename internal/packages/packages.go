package packages

import (
	"os"
	"slices"
	"strings"
)

// Here is what installs packages on this machine; nil: nothing that weir knows.
func Here() *Manager {
	release, _ := os.ReadFile("/etc/os-release") // where there is none, the program tells
	return choose(string(release), func(program string) bool {
		return slices.ContainsFunc([]string{"/usr/bin/", "/usr/sbin/", "/sbin/"}, func(folder string) bool {
			_, err := os.Stat(folder + program)
			return err == nil
		})
	})
}

// choose takes the manager of the distribution that os-release(5) names, then of one that it
// is like, then any whose program is there.
func choose(release string, has func(program string) bool) *Manager {
	var systems []string
	for _, key := range []string{"ID=", "ID_LIKE="} {
		for line := range strings.Lines(release) {
			if value, found := strings.CutPrefix(strings.TrimSpace(line), key); found {
				systems = append(systems, strings.Fields(strings.Trim(value, `"'`))...)
			}
		}
	}
	for _, system := range systems {
		for i, m := range managers {
			if slices.Contains(m.systems, system) && has(m.Program) {
				return &managers[i]
			}
		}
	}
	for i, m := range managers {
		if has(m.Program) {
			return &managers[i]
		}
	}
	return nil
}

// Names are what packages are called here, which are given by Debian's names, once each. unknown
// are those that the distribution does not have, or that weir does not know there.
func (m *Manager) Names(debian ...string) (here, unknown []string) {
	for _, wanted := range debian {
		n := name{debian: wanted}
		if i := slices.IndexFunc(names, func(n name) bool { return n.debian == wanted }); i >= 0 {
			n = names[i]
		}
		called := strings.Fields(m.called(n))
		if len(called) == 0 {
			unknown = append(unknown, wanted)
		}
		for _, one := range called {
			if !slices.Contains(here, one) {
				here = append(here, one)
			}
		}
	}
	return here, unknown
}

// Advice is the command that installs packages here, as text: "apt-get install nftables". Where
// weir does not know it, the text names the packages as Debian does.
func Advice(debian ...string) string { return Here().advice(debian...) }

func (m *Manager) advice(debian ...string) string {
	var here, parts []string
	unknown := debian
	if m != nil {
		here, unknown = m.Names(debian...)
	}
	if len(here) > 0 {
		parts = append(parts, strings.Join(slices.Concat(m.Install, here), " "))
	}
	if len(unknown) > 0 {
		parts = append(parts, "install what Debian calls "+strings.Join(unknown, " "))
	}
	return strings.Join(parts, ", and ")
}
