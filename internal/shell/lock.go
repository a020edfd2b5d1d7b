package shell

import (
	"context"
	"fmt"
	"strings"
	"time"

	"weir/internal/settings"
)

// InUseError is a host that another weir uses, by a shell of a process there.
type InUseError struct{ Host, By, Process, File string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s is in use by %s, which says so in %s there: wait for its end; where process %s there is not a shell of that weir (ps -p %s), which was killed then, remove the file",
		e.Host, e.By, e.File, e.Process, e.Process)
}

// TwiceError is a host that who locks it has already, by another name.
type TwiceError struct{ Host, As string }

func (e *TwiceError) Error() string {
	return fmt.Sprintf("%s and %s are one machine by two names: each host of a plan has to be a machine of its own", e.Host, e.As)
}

// Lock says at the host, in a file, that it is in use, until the connection ends; who
// says by whom. One whose shell has ended does not count, and one that has just lost its
// connection is waited for. The error may be *InUseError, or *TwiceError.
func (h *Host) Lock(ctx context.Context, file, who string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lock = []string{file, who}
	if h.commands == nil {
		return nil // whoever opens it takes the lock
	}
	return h.take(ctx)
}

// lockTries is how often a lock is tried, once a second: as long as a server needs to see
// that a connection is lost.
const lockTries = 20

// How the script says that the lock is another one's, that it cannot be written, and that
// it is the own one, by another name of the host.
const (
	taken     = 67
	notLocked = 68
	twice     = 69
)

// lockScript takes the lock with the process ID of the shell. It is written beside, and
// linked to its name: whoever is killed, or finds the disk full, leaves none that is empty.
// One whose process has ended is removed by whoever says so in a file of its own and then
// finds no such file of another one that lives: so that of two who have found it none
// removes what the other one has then taken.
const lockScript = `weir_take() {
	weir_tries=0 weir_own=$weir_lock.$$
	trap 'rm -f "$weir_own" "$weir_lock.old.$$"; ! weir_mine || rm -f "$weir_lock"' EXIT
	trap 'exit 1' HUP TERM PIPE # which comes where nobody reads what it says
	while :; do
		if ! { echo "$$ $weir_who$weir_as" >"$weir_own" && [ -s "$weir_own" ]; }; then weir_leave %d; return; fi
		weir_why=$(ln "$weir_own" "$weir_lock" 2>&1)
		if weir_mine; then
			rm -f "$weir_own"
			return 0
		fi
		weir_other="$weir_pid $weir_rest"
		if ! { [ -e "$weir_lock" ] && weir_dead "$weir_lock" && weir_clear; }; then
			case $weir_other in
			*" $weir_who$weir_as") ;; # of a connection that was lost, which the server does not see yet
			*" $weir_who, as "*) echo "$weir_other" >&2; weir_leave %d; return ;;
			esac
			sleep 1
		fi
		weir_tries=$((weir_tries+1))
		if [ $weir_tries -ge %d ]; then
			if [ -e "$weir_lock" ]; then echo "$weir_other" >&2; weir_leave %d; return; fi
			echo "$weir_why" >&2; weir_leave %d; return
		fi
	done
}
weir_mine() {
	weir_pid= weir_rest=
	{ read weir_pid weir_rest <"$weir_lock"; } 2>/dev/null
	[ "$weir_pid" = $$ ]
}
weir_clear() {
	weir_alone=0
	ln "$weir_own" "$weir_lock.old.$$" || return
	for weir_file in "$weir_lock".old.*; do
		[ "$weir_file" != "$weir_lock.old.$$" ] || continue
		if weir_dead "$weir_file"; then rm -f "$weir_file"; else weir_alone=1; fi
	done
	[ $weir_alone -ne 0 ] || ! weir_dead "$weir_lock" || rm -f "$weir_lock"
	rm -f "$weir_lock.old.$$"
	return $weir_alone
}
weir_leave() {
	rm -f "$weir_own"
	trap - EXIT HUP TERM PIPE
	return $1
}
weir_dead() {
	[ -e "$1" ] || return
	weir_pid=
	{ read weir_pid weir_rest <"$1"; } 2>/dev/null
	! kill -0 "${weir_pid:-none}" 2>/dev/null
}
weir_take`

// take takes the lock in the shell that runs commands, whose process ID is in it.
func (h *Host) take(ctx context.Context) error {
	if len(h.lock) == 0 {
		return nil
	}
	as := ", as " + h.name
	line := fmt.Sprintf("weir_lock=%s weir_who=%s weir_as=%s\n", settings.Quoted(h.lock[0]), settings.Quoted(h.lock[1]), settings.Quoted(as)) +
		fmt.Sprintf(lockScript, notLocked, twice, lockTries, taken, notLocked)
	ctx, cancel := context.WithTimeoutCause(ctx, lockTries*time.Second+quickLimit, fmt.Errorf("%s did not answer", h.name))
	defer cancel()
	s, err := h.commands.turn(ctx, request{line: line})
	process, by, _ := strings.Cut(strings.TrimSpace(s.err), " ")
	switch {
	case err != nil:
		return fmt.Errorf("%s: lock it: %w", h.name, err)
	case s.status == taken:
		return &InUseError{h.name, by, process, h.lock[0]}
	case s.status == twice:
		return &TwiceError{h.name, strings.TrimPrefix(by, h.lock[1]+", as ")}
	case s.status != 0:
		return fmt.Errorf("%s: it cannot be said in %s there that it is in use (is its disk full, or for reading alone?): %s", h.name, h.lock[0], lastLines(s.err, 2))
	}
	return nil
}
