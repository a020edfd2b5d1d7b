# Kills a campaign at ports of this machine at moments drawn by their numbers, in a network
# namespace that is not the machine's, and looks whether all is as it was: at the ports, and
# at the box, which is in a namespace of its own.
#   restored.sh WEIR FROM TIMES PLAN PORT PORT NAMESPACE [BOX.SH]
# BOX.SH makes the box, where nobody has made it yet. With LIMITED=yes in the environment the
# restore is called under a limit of processes (5 to 40), of memory (60 to 200 MB) or of files
# (10 to 40), as the number of the kill says: it may fail then, and what it has not undone has to
# be undone by a second one without a limit; if it says that it has done all, all has to be as
# before. It prints a line for each kill: "N
# taken" or "N free", as weir had the ports in that moment or had not, and then "as before" or
# what is not. One in five is Ctrl-C, after which all has to be as before without a restore.
weir=$1 from=$2 times=$3 plan=$4 a=$5 b=$6 space=$7 box=${8:-}
WEIR_RUN=$(mktemp -d) && export WEIR_RUN
trap 'rm -rf "$WEIR_RUN"' EXIT
if [ -n "$box" ]; then
	mount --make-rprivate /
	mkdir -p /run/netns && mount -t tmpfs none /run/netns
	mount -t sysfs none /sys
	ip link set lo up
	"$box" up router
	trap '"$box" down; rm -rf "$WEIR_RUN"' EXIT
fi
# What somebody has set at a port comes back with it.
ip address add 192.0.2.7/24 dev $a
ip route add 203.0.113.0/24 via 192.0.2.9
ip neighbour add 192.0.2.9 lladdr 02:00:00:00:00:09 dev $a nud permanent
sysctl -qw net.ipv4.conf.$a.rp_filter=2
until [ -z "$(ip -6 address show tentative; ip -n $space -6 address show tentative)" ]; do sleep 0.1; done
here='ip -d link; ip address; ip route show table all | sort; ip -6 route show table all | sort
	ip neighbour show nud permanent; ip rule; nft list ruleset
	sysctl -a 2>/dev/null | grep -e "^net\.ipv[46]\." | grep -v -e mc_forwarding -e stable_secret | sort
	tc qdisc | sort
	for p in /sys/class/net/*/; do
		for what in -k -g -l -c -a; do ethtool $what "$(basename $p)" 2>&1; done
		grep . $p/threaded $p/napi_defer_hard_irqs $p/queues/*/rps_cpus
	done'
state() {
	sh -c "$here"
	grep . /proc/irq/*/smp_affinity_list 2>/dev/null
	ls /run/netns
	find "$WEIR_RUN" -mindepth 1 2>/dev/null # the folder itself goes when nothing is in it
	ip netns exec $space sh -c "$here; ls /var/run/weir.lock* 2>/dev/null"
	cmd/weir/testdata/machine.sh left $space
}
# limited calls weir lab restore under the limit of a kill.
limited() {
	case $(($1 / 3 % 3)) in # a third of the moments is early, whatever the limit
	0) within pids pids.max $((5 + $1 / 9 % 36)) ;;
	1) within memory "memory.limit_in_bytes memory.max" $(((60 + $1 * 7 % 141) << 20)) ;;
	2) (ulimit -n $((10 + $1 / 9 % 31)) && : >"$WEIR_RUN.held"; exec "$weir" lab restore) ;;
	esac
}
# within CONTROLLER FILES VALUE calls it in a group of its own, of cgroups version 1 or 2.
within() {
	groups=$WEIR_RUN.groups
	mkdir -p "$groups"
	mount -t cgroup -o "$1" none "$groups" 2>/dev/null || mount -t cgroup2 none "$groups" || return
	enabled=$(grep -w "$1" "$groups/cgroup.subtree_control" 2>/dev/null)
	[ -n "$enabled" ] || echo "+$1" >"$groups/cgroup.subtree_control" 2>/dev/null
	mkdir -p "$groups/weir-truth"
	for file in $2; do
		echo "$3" >"$groups/weir-truth/$file" 2>/dev/null && : >"$WEIR_RUN.held"
	done
	sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2" lab restore' sh "$groups/weir-truth" "$weir"
	ended=$?
	rmdir "$groups/weir-truth"
	[ -n "$enabled" ] || echo "-$1" >"$groups/cgroup.subtree_control" 2>/dev/null
	umount "$groups"
	return $ended
}
LIMITED=${LIMITED:-}
state >"$WEIR_RUN.before" 2>&1
n=$from
while [ "$n" -lt $((from + times)) ]; do
	"$weir" --store "$WEIR_RUN.kept/weir.db" --quiet run "$plan" >/dev/null 2>&1 &
	# One in three moments is before it has the ports, or soon after; how long that takes is the machine's affair.
	[ $((n % 3)) = 0 ] || while ip link show dev $a >/dev/null 2>&1 && kill -0 $! 2>/dev/null; do sleep 0.1; done
	sleep "$(awk -v n="$n" 'BEGIN { srand(n); print rand() * 5 }')"
	if ip link show dev $a >/dev/null 2>&1; then had=free; else had=taken; fi
	if [ $((n % 5)) = 0 ]; then kill -INT $!; else kill -KILL $!; fi
	wait $!
	said=
	if [ $((n % 5)) != 0 ] && [ -n "$LIMITED" ]; then
		limited $n >/dev/null 2>&1 || had="$had, restored in two steps"
		[ -e "$WEIR_RUN.held" ] || { echo "$n $had, no limit held"; exit 1; }
		rm -f "$WEIR_RUN.held"
	fi
	case "$LIMITED $had" in
	"yes taken" | "yes free") ;;
	*) [ $((n % 5)) = 0 ] || said=$("$weir" lab restore 2>&1) || said="weir lab restore failed: $said" ;;
	esac
	for try in 1 2 3 4 5 6 7 8 9 10; do # the kernel takes its time to remove a namespace
		state >"$WEIR_RUN.after" 2>&1
		found=$(diff "$WEIR_RUN.before" "$WEIR_RUN.after") && break
		sleep 0.3
	done
	case $said in "weir lab restore failed:"*) found="$said $found" ;; esac
	if [ -z "$found" ]; then echo "$n $had, as before"; else echo "$n $had, $found" | tr '\n' ' '; echo; fi
	[ -z "$found" ] || "$weir" lab restore >/dev/null 2>&1
	n=$((n + 1))
done
rm -rf --one-file-system "$WEIR_RUN".*
