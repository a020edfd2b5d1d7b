package dut

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/settings"
)

// routing is a BSD whose shell is this machine's, with a route(8) that is a script: it keeps
// its table in a file, and says what the manual pages say that it says.
type routing struct {
	*documented
	dir string
}

const routeProgram = `#!/bin/sh
echo "route $*" >>"$0.told"
touch "$0.table"
case $2 in
add)
	if grep -q "^$5 " "$0.table"; then echo "route: writing to routing socket: File exists" >&2; exit 1; fi
	echo "$5 $6" >>"$0.table" ;;
delete)
	if ! grep -qx "$5 $6" "$0.table"; then echo "delete net $5: gateway $6: not in table"; exit 1; fi
	[ "$5" != "$ROUTE_STAYS" ] || { echo "delete net $5: gateway $6: Permission denied"; exit 1; }
	grep -vx "$5 $6" "$0.table" >"$0.rest"
	mv "$0.rest" "$0.table" ;;
esac
`

func newRouting(t *testing.T, system string) routing {
	r := routing{newDocumented(t, system), t.TempDir()}
	if err := os.WriteFile(filepath.Join(r.dir, "route"), []byte(routeProgram), 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r routing) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	if argv[0] != "sh" || !strings.Contains(argv[2], "route -n") {
		return r.documented.Run(ctx, stdin, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Env = strings.NewReader(stdin), append(os.Environ(), "PATH="+r.dir+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return string(out), err
}

// file is what is in a file of the program, which then is empty.
func (r routing) file(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(r.dir, "route."+name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fewRoutes are routes of a family through both neighbours.
func fewRoutes(family, via0, via1 string) []RoutePart {
	var all []netip.Prefix
	for _, p := range strings.Fields(family) {
		all = append(all, netip.MustParsePrefix(p))
	}
	return []RoutePart{{"p1", netip.MustParseAddr(via0), all[:2]}, {"p3", netip.MustParseAddr(via1), all[2:]}}
}

// Routes are added and deleted one by one, also by another process.
func TestRoutesOfBSDs(t *testing.T) {
	for _, sys := range systems {
		r := newRouting(t, sys.name)
		d, s := routed(r, sys.ports)
		text := fmt.Sprintf(told, sys.platform.name)
		path := filepath.Join(t.TempDir(), "journal.json")
		for _, parts := range [][]RoutePart{
			fewRoutes("10.0.0.0/24 10.0.2.0/23 10.0.1.0/24", "198.19.0.2", "198.19.0.6"),
			fewRoutes("2001:db8:1::/48 2001:db8:2::/47 2001:db8:4::/64", "2001:2:0:1::2", "2001:2:0:3::2"),
		} {
			var err error
			if s.Journal, err = settings.OpenJournal(path); err != nil {
				t.Fatal(err)
			}
			undo, err := sys.platform.Routes(t.Context(), d, s, parts)
			if err != nil {
				t.Fatalf("%s: %v", sys.name, err)
			}
			text += "\n" + r.file(t, "told")
			killed, err := settings.OpenJournal(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := undo(t.Context()); err != nil {
				t.Fatalf("%s: %v", sys.name, err)
			}
			undone := r.file(t, "told")
			text += "# undone\n" + undone
			if left := r.file(t, "table"); left != "" {
				t.Errorf("%s: %q is left", sys.name, left)
			}
			// Of what is gone nothing is left, and that is no error.
			if _, err := killed.Restore(t.Context(), func(string) (weir.Host, error) { return r, nil }, func(string) {}); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(undone, r.file(t, "told")); diff != "" {
				t.Errorf("%s restored (-undone +restored):\n%s", sys.name, diff)
			}
		}
		golden(t, filepath.Join("testdata", sys.name, "routes.txt"), text)
	}
}

// A route that is somebody's stays, and those that were added before it are gone; one that
// cannot be deleted is said.
func TestRoutesOfOthers(t *testing.T) {
	parts := fewRoutes("10.0.0.0/24 10.0.2.0/23 10.0.1.0/24 10.0.7.0/24", "198.19.0.2", "198.19.0.6")
	for _, taken := range []string{"10.0.0.0/24", "10.0.2.0/23", "10.0.7.0/24"} {
		r := newRouting(t, "freebsd")
		d, s := routed(r, systems[0].ports)
		theirs := taken + " 192.0.2.1\n"
		if err := os.WriteFile(filepath.Join(r.dir, "route.table"), []byte(theirs), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := freebsd.Routes(t.Context(), d, s, parts)
		if err == nil || !strings.Contains(err.Error(), "File exists") {
			t.Errorf("%s: %v", taken, err)
		}
		if left := r.file(t, "table"); left != theirs {
			t.Errorf("%s: the table is %q", taken, left)
		}
	}
	r := newRouting(t, "freebsd")
	d, s := routed(r, systems[0].ports)
	undo, err := freebsd.Routes(t.Context(), d, s, parts)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("ROUTE_STAYS", "10.0.2.0/23")
	if err := undo(t.Context()); err == nil || !strings.Contains(err.Error(), "10.0.2.0/23: gateway 198.19.0.2: Permission denied") {
		t.Error(err)
	}
	if left := r.file(t, "table"); left != "10.0.2.0/23 198.19.0.2\n" {
		t.Errorf("%q is left", left)
	}
}

// Filters of RFC 2544 section 11.4 are a stateless firewall, and take its place.
func TestFiltersOfBSDs(t *testing.T) {
	for _, sys := range systems {
		h := newDocumented(t, sys.name)
		d, s := routed(h, sys.ports)
		before := maps.Clone(h.values)
		if err := sys.platform.Cannot(t.Context(), d, s, weir.ConditionOf(weir.Filters(3))); err != nil {
			t.Error(err)
		}
		h.told = nil
		undo, err := sys.platform.Filter(t.Context(), d, s, 3, false)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(told+"The rules were parsed by nothing.\n", sys.platform.name) + "\n" + h.script()
		s.Filters = 3
		drops, err := sys.platform.Drops(t.Context(), d, s)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(fmt.Sprint(drops), "firewall "+countDenied) {
			t.Errorf("%s does not tell what the filters dropped: %v", sys.name, drops)
		}
		if err := undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		text += "# undone\n" + h.script()
		if diff := cmp.Diff(before, h.values); diff != "" {
			t.Errorf("%s is not as it was (-want +got):\n%s", sys.name, diff)
		}
		golden(t, filepath.Join("testdata", sys.name, "filters.txt"), text)
		both := weir.ConditionOf(weir.Filters(3), weir.Firewall{Kind: weir.Stateful})
		if err := sys.platform.Cannot(t.Context(), d, s, both); err == nil || !strings.Contains(err.Error(), "filters beside a firewall on "+sys.platform.name) {
			t.Errorf("%s: %v", sys.name, err)
		}
		for _, rules := range []int{0, maxFilters + 1} {
			if _, err := sys.platform.Filter(t.Context(), d, s, rules, false); err == nil {
				t.Errorf("%s: %d filters were set", sys.name, rules)
			}
		}
	}
}

// A policer is refused with the reason that a system has, before anything is told.
func TestPolicersOfBSDs(t *testing.T) {
	for _, sys := range systems {
		h := newDocumented(t, sys.name)
		d, s := routed(h, sys.ports)
		s.Policer = &Policer{Kind: "nft", Rate: 1000, Size: 64}
		_, err := sys.platform.Forward(t.Context(), d, s)
		if err == nil || sys.platform.policer == "" || !strings.Contains(err.Error(), sys.platform.policer) || len(h.told) > 0 {
			t.Errorf("%s: %v, told %q", sys.name, err, h.told)
		}
	}
}
