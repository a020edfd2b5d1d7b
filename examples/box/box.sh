#!/bin/sh
# A box to try "testbed: {kind: ports}" with, without any hardware: this machine's
# kernel as a router or a bridge in a network namespace, made by plain commands. weir is
# told nothing of it but the names of two ports.
#
#   box.sh up [router|bridge]   make it, with the ports box0 and box1 for weir
#   box.sh down                 remove it
set -eu

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
cpu=$(($(nproc) - 1)) # it forwards on the last CPU

in_box() { ip netns exec weirbox "$@"; }

up() {
	ip netns add weirbox
	for i in 0 1; do
		ip link add "box$i" numrxqueues "$(nproc)" numtxqueues "$(nproc)" type veth \
			peer name "port$i" netns weirbox numrxqueues "$(nproc)" numtxqueues "$(nproc)"
		# A veth port takes redirected frames only where its other end has NAPI, as
		# network cards have.
		in_box ethtool -K "port$i" gro on
		ethtool -K "box$i" gro on
		in_box ip link set "port$i" up
		ip link set "box$i" up
		# A card's interrupts would run on a CPU of the box; here threads do their work.
		others=$(pgrep "napi/port$i-") || true # of a port elsewhere that has this name
		in_box sh -c "echo 1 > /sys/class/net/port$i/threaded"
		for thread in $(pgrep "napi/port$i-" | grep -vxF "${others:-none}"); do # one of another such box may end meanwhile
			{ taskset -pc "$cpu" "$thread" && chrt -r -p 1 "$thread"; } >/dev/null 2>&1 || [ ! -e "/proc/$thread" ]
		done
	done
	case $1 in
	router)
		for i in 0 1; do
			in_box ip address add "198.$((18 + i)).0.1/24" dev "port$i"
			in_box ip address add "2001:2:0:$((1 + i))::1/64" dev "port$i" nodad
		done
		in_box sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
		;;
	bridge)
		in_box ip link add bridge type bridge
		for i in 0 1; do
			in_box ip link set "port$i" master bridge
		done
		in_box ip link set bridge up
		;;
	*)
		echo "box.sh: $1 is neither router nor bridge" >&2
		down
		exit 2
		;;
	esac
}

down() {
	for i in 0 1; do
		! ip link show "box$i" >/dev/null 2>&1 || ip link delete "box$i"
	done
	! ip netns pids weirbox >/dev/null 2>&1 || ip netns delete weirbox
}

case ${1:-} in
up) up "${2:-router}" ;;
down) down ;;
*)
	sed -n '2,8s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
