#!/bin/sh
# Has a command run beside machines that SSH reaches: network namespaces of this machine,
# each with an OpenSSH server of its own. Nothing of them is seen outside, and nothing stays.
#
#   hosts.sh dut COMMAND...   ssh://r1 is the DUT, with the ports dut0 and dut1; the other
#                             ends of their links are tp0 and tp1, here
#   hosts.sh router COMMAND...  the same, and r1 forwards already
#   hosts.sh example PLAN COMMAND...  the same as dut, for a plan that has the names of others:
#                             the command's last word is the plan with the names of these
#   hosts.sh far COMMAND...   ssh://t1 and ssh://t2 have the tester's ports far0 and far1; what
#                             is between them forwards
#   hosts.sh clocks COMMAND...  the same, and each has a clock of its own, as far as it says;
#                             PTP compares them
#
# Each machine has a second name, as ssh://r1-again.
#
# Where WEIR_HOSTS_CPU names a file, it then has how long the programs of all servers ran, in
# ticks of the clock.
set -eu

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
if [ -z "${WEIR_HOSTS:-}" ]; then
	WEIR_HOSTS=$(mktemp -d /tmp/weir-hosts.XXXXXX) # short, as names of sockets have to be
	export WEIR_HOSTS
	trap 'rm -rf "$WEIR_HOSTS"' EXIT
	setpriv --pdeathsig TERM unshare --net --mount "$0" "$@" & # it ends also when this one is killed
	inner=$!
	trap 'kill -TERM $inner 2>/dev/null || true' INT TERM
	status=0
	wait $inner || status=$?
	! kill -0 $inner 2>/dev/null || { status=0; wait $inner || status=$?; }
	exit $status
fi

mount --make-rprivate /
mkdir -p /run/netns /run/sshd
mount -t tmpfs none /run/netns
mount -t sysfs none /sys
cd_=$PWD
machine=$(dirname "$(readlink -f "$0")")/../../cmd/weir/testdata/machine.sh
cd "$WEIR_HOSTS"
last=$(($(nproc) - 1)) # the DUT forwards there
servers=
at() { ip netns exec "$@"; }

# link FAR-END NAMESPACE NAME: a port of the DUT, and the tester's at its other end.
link() {
	ip link add "$1" numrxqueues "$(nproc)" numtxqueues "$(nproc)" type veth peer name "$3" netns r1 numrxqueues "$(nproc)" numtxqueues "$(nproc)"
	at r1 ethtool -K "$3" gro on
	ethtool -K "$1" gro on
	[ "$2" = here ] || ip link set "$1" netns "$2"
	at r1 ip link set "$3" up
	if [ "$2" = here ]; then ip link set "$1" up; else at "$2" ip link set "$1" up; fi
	others=$(pgrep "napi/$3-") || true # of a port elsewhere that has this name
	at r1 sh -c "echo 1 >/sys/class/net/$3/threaded"
	for thread in $(pgrep "napi/$3-" | grep -vxF "${others:-none}"); do
		# One of another such port may end meanwhile.
		{ taskset -pc "$last" "$thread" && chrt -r -p 1 "$thread"; } >/dev/null 2>&1 || [ ! -e "/proc/$thread" ]
	done
}

# login NAME ADDRESS: how SSH gets there.
login() {
	printf '%s\n' "Host $1" "HostName $2" 'User root' "IdentityFile $WEIR_HOSTS/id" 'IdentitiesOnly yes' \
		"UserKnownHostsFile $WEIR_HOSTS/known" 'GlobalKnownHostsFile /dev/null' >>config
	echo "$2 $(cut -d' ' -f1,2 host.pub)" >>known
}

# server NAMESPACE NUMBER: SSH reaches it, by a second name, too.
server() {
	ip link add "way$2" type veth peer name way netns "$1"
	ip address add "10.77.$2.1/30" dev "way$2"
	ip link set "way$2" up
	ip address add "10.77.$2.5/30" dev "way$2"
	for i in 2 6; do at "$1" ip address add "10.77.$2.$i/30" dev way; done
	at "$1" ip link set way up
	printf '%s\n' "HostKey $WEIR_HOSTS/host" "AuthorizedKeysFile $WEIR_HOSTS/id.pub" 'StrictModes no' 'PermitRootLogin yes' \
		'UsePAM no' 'PidFile none' "SetEnv WEIR_RUN=$WEIR_HOSTS/run$2" >"server$2"
	# It has a /run of its own, as locks of machines are there.
	WORK=$WEIR_HOSTS "$machine" run "$1" sh -ec "mount -t tmpfs none /run; mkdir /run/sshd /run/lock
		[ ! -e $WEIR_HOSTS/boot$2 ] || mount --bind $WEIR_HOSTS/boot$2 /proc/sys/kernel/random/boot_id
		exec $(command -v sshd) -D -e -f $WEIR_HOSTS/server$2" 2>"log$2" &
	servers="$servers $!"
	login "$1" "10.77.$2.2"
	login "$1-again" "10.77.$2.6"
}

# routes has r1 forward, where weir does not say so.
routes() {
	for i in 0 1; do at r1 ip address add "198.$((18 + i)).0.1/24" dev "dut$i"; done
	at r1 sysctl -qw net.ipv4.ip_forward=1
}

# compare has PTP daemons, which set no clock, compare those of t1 and t2, and waits until one
# follows the other.
compare() {
	at t1 ip link add wire1 type veth peer name wire2 netns t2
	set -- $servers
	for i in 1 2; do
		at t$i ip address add "10.78.0.$i/24" dev wire$i
		at t$i ip link set wire$i up
		printf '%s\n' '[global]' 'free_running 1' 'time_stamping software' "priority1 $i" "[wire$i]" >ptp$i
		nsenter --mount="/proc/$1/ns/mnt" --net=/run/netns/t$i ptp4l -f "$WEIR_HOSTS/ptp$i" -q -m >ptp-log$i 2>&1 &
		servers="$servers $!"
		follower=$1
		shift
	done
	timeout 60 sh -c "until nsenter --mount=/proc/$follower/ns/mnt pmc -u -b 0 'GET TIME_STATUS_NP' 2>/dev/null | grep -q 'ingress_time *[1-9]'; do sleep 0.2; done"
}

# ticks are those of all that has run for the servers and has ended.
ticks() {
	for s in $servers; do cat "/proc/$s/stat"; done | awk '{ sum += $16 + $17 } END { print sum }'
}

over() {
	for s in $servers; do
		for try in 1 2 3 4 5 6 7 8 9 10; do # until its connections have ended
			[ -n "$(cat "/proc/$s/task/$s/children" 2>/dev/null)" ] || break
			sleep 0.1
		done
	done
	[ -z "${WEIR_HOSTS_CPU:-}" ] || echo $(($(ticks) - began)) >"$WEIR_HOSTS_CPU"
	for s in $servers; do kill "$s" 2>/dev/null || true; done
	rm -rf "$WEIR_HOSTS" 2>/dev/null || { sleep 1 && rm -rf "$WEIR_HOSTS"; } # what ran there may write until it ends
}

ip link set lo up
began=0
for key in host id; do ssh-keygen -q -t ed25519 -N '' -f $key; done
ip netns add r1
trap over EXIT
case $1 in
dut | router | example)
	for i in 0 1; do link tp$i here dut$i; done
	server r1 1
	[ "$1" != router ] || routes
	;;
far | clocks)
	for i in 0 1; do
		[ "$1" = far ] || cat /proc/sys/kernel/random/uuid >boot$((i + 1))
		ip netns add t$((i + 1))
		link far$i t$((i + 1)) dut$i
		server t$((i + 1)) $((i + 1))
	done
	routes
	;;
*)
	sed -n '2,20s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
until [ -z "$(ip -6 address show tentative)" ]; do sleep 0.1; done
for s in 1 2; do
	[ ! -e "server$s" ] || timeout 10 sh -c "until grep -q 'Server listening' log$s; do sleep 0.05; done"
done
[ "$1" != clocks ] || compare
cd "$cd_"
if [ "$1" = example ]; then
	sed 's|ports: \[eth1, eth2\]}$|ports: [PORT0, PORT1]}|
		/^testbed:/s|PORT|tp|g; /^dut:/s|PORT|dut|g; s|ssh://root@r1|ssh://r1|' "$2" >"$WEIR_HOSTS/plan.yaml"
	for name in tp0 dut0 ssh://r1; do grep -q "$name" "$WEIR_HOSTS/plan.yaml"; done
	shift
	set -- "$@" "$WEIR_HOSTS/plan.yaml"
fi
shift
began=$(ticks)
export WEIR_SSH="ssh -F $WEIR_HOSTS/config" WEIR_RUN="$WEIR_HOSTS/run0" # whose journals go with the machines
setpriv --pdeathsig TERM "$@" &
command=$!
trap 'kill -TERM $command 2>/dev/null || true' INT TERM
status=0
wait $command || status=$?
! kill -0 $command 2>/dev/null || { status=0; wait $command || status=$?; } # a signal came, and it ends
exit $status
