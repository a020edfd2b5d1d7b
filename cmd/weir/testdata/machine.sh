#!/bin/sh
# Machines that are network namespaces of this one, for scripts that have weir reach them.
#
#   machine.sh run NAMESPACE COMMAND...  a command runs there, which is told to end (SIGTERM)
#                                        when its caller ends, also by SIGKILL. Its /tmp is its
#                                        own, but for the folder WORK
#   machine.sh left NAMESPACE...         what runs there, a command line each, and the folders
#                                        in which weir has copied itself there
set -eu

case $1 in
run)
	space=$2
	shift 2
	# shellcheck disable=SC2016 # the inner shell expands them
	exec setpriv --pdeathsig TERM ip netns exec "$space" sh -e -c '
		mount -t tmpfs none /mnt
		case $WORK in /tmp/*) mkdir -p "/mnt${WORK#/tmp}" && mount --rbind "$WORK" "/mnt${WORK#/tmp}" ;; esac
		mount --rbind /mnt /tmp
		exec "$@"' sh "$@"
	;;
left)
	shift
	for space; do
		pids=$(ip netns pids "$space")
		for p in $pids; do { tr '\0' ' ' <"/proc/$p/cmdline" && echo; } 2>/dev/null || true; done | grep . | sort
		for p in $pids; do ls -d "/proc/$p/root"/tmp/weir.* "/proc/$p/root"/var/tmp/weir.* "/proc/$p/root"/root/weir.* 2>/dev/null || true; done |
			sed 's|/proc/[0-9]*/root||' | sort -u
	done
	;;
esac
