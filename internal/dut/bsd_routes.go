package dut

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

// route(8) of the three takes one route at a time, and none of them reads a file. So a shell
// there runs it for each of a list, in one turn. That costs a process a route: some thousand
// take seconds, a million takes the better part of an hour.

// bsdRoutesAtOnce is how many routes one command adds: all of them or none.
const bsdRoutesAtOnce = 5_000

// addRoutes adds routes of a family ($1) through a neighbour ($2), whose prefixes it reads.
// Where one fails those before it are deleted again, and no other: one that is in the table
// already is somebody else's.
const addRoutes = `family=$1 via=$2 n=0
set -- $(cat)
for to; do
	if said=$(route -n add "$family" -net "$to" "$via" 2>&1); then n=$((n+1)); continue; fi
	echo "$said" >&2
	for to; do
		[ $n -gt 0 ] || exit 1
		n=$((n-1))
		route -n delete "$family" -net "$to" "$via" >/dev/null
	done
	exit 1
done`

// deleteRoutes deletes them. One that is not there, as it was never added or is gone with
// its port, is none that is left behind.
const deleteRoutes = `left=0
while read -r to; do
	said=$(route -n delete "$1" -net "$to" "$2" 2>&1) || case $said in
	*"not in table"*) ;;
	*) echo "$said" >&2; left=1 ;;
	esac
done
exit $left`

// Routes are added in lists.
func (p bsd) Routes(ctx context.Context, d weir.DUT, s Setup, parts []RoutePart) (func(context.Context) error, error) {
	undo := settings.Undo{Journal: s.Journal}
	for _, part := range parts {
		for some := range slices.Chunk(part.Prefixes, bsdRoutesAtOnce) {
			if err := undo.Do(ctx, d.Host, eachOf(addRoutes, part.Via, some), eachOf(deleteRoutes, part.Via, some)); err != nil {
				err = fmt.Errorf("add %d routes through %s: %w", len(part.Prefixes), part.Port, err)
				if back := undo.Run(context.WithoutCancel(ctx)); back != nil {
					err = fmt.Errorf("%w; and removing those that there were: %w", err, back)
				}
				return nil, err
			}
		}
	}
	return undo.Run, nil
}

// eachOf is a script that reads prefixes which lead to a neighbour.
func eachOf(script string, via netip.Addr, prefixes []netip.Prefix) settings.Command {
	var list strings.Builder
	for _, p := range prefixes {
		fmt.Fprintln(&list, p)
	}
	return settings.Command{Argv: []string{"sh", "-c", script, "sh", "-" + inet(via), via.String()}, Stdin: list.String()}
}
