package settings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"weir"
)

// BootOf says which start of a host this is: with the next one what weir has set is what it was.
// It is the ID that the kernel has for that, or, of a BSD that has none, what clocks say of
// it. "" is a host that says neither: nobody knows then whether it has started anew.
func BootOf(ctx context.Context, h weir.Host) (string, error) {
	id, err := h.ReadFile(ctx, "/proc/sys/kernel/random/boot_id")
	if !errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSpace(id), err
	}
	text, err := h.Run(ctx, "", "sh", "-c", bsdBoot)
	var lost *weir.LostError
	if errors.As(err, &lost) || ctx.Err() != nil {
		return "", err
	}
	if id, has := strings.CutPrefix(text, "id "); has {
		return strings.TrimSpace(id), nil
	}
	if numbers := bootTimes.FindStringSubmatch(text); numbers != nil {
		return fmt.Sprintf(byClocks, numbers[1], numbers[2], time.Now().Unix()), nil
	}
	return "", nil
}

// bsdBoot asks for the ID, and where there is none for the second at which the host was
// started and for that which it is now. The sysctl(8) of OpenBSD does not fail for a name
// that it has not.
const bsdBoot = `weir_id=$(sysctl -n kern.boot_id 2>/dev/null)
if [ -n "$weir_id" ]; then echo "id $weir_id"; else sysctl -n kern.boottime 2>/dev/null; date +%s; fi`

// bootTimes is what the three say: FreeBSD { sec = 1700000000, usec = 1 } and a date, the
// others the seconds alone.
var bootTimes = regexp.MustCompile(`^(?:\{ sec = )?(\d+)(?:, usec.*)?\n(\d+)\n$`)

// byClocks is a start by the time at which it was, and that at which this was asked, of the
// host's clock, and the latter of this machine's.
const byClocks = "started %v asked %v here %v"

// StartedAnew reports whether a host has started anew between two answers of BootOf, of
// which one may be from a journal; where one is "" nobody knows. kern.boottime is no ID: it
// moves when the host's clock is set. So it counts as a new start if it was after the first
// answer, by the host's clock and by this machine's: either may jump, and what was changed
// must not be taken for gone. A new start that is not seen, since one of them went back, costs
// less: undoing then finds nothing to undo, and says so.
func StartedAnew(before, now string) bool {
	var a, b struct{ started, asked, here int64 }
	_, errA := fmt.Sscanf(before, byClocks, &a.started, &a.asked, &a.here)
	_, errB := fmt.Sscanf(now, byClocks, &b.started, &b.asked, &b.here)
	if errA != nil || errB != nil {
		return before != now && before != "" && now != ""
	}
	up := b.asked - b.started // whole seconds: one more or less
	return b.started > a.asked && b.here-up > a.here
}
