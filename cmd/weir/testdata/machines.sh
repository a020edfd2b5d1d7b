# What the scripts share that have machines of their own. Each of them reads it in a network
# namespace and a mount namespace of its own: unshare --net --mount sh -e.
mount --make-rprivate /
mount -t tmpfs none /run
mkdir -p /run/netns /run/sshd /run/lock
mount -t sysfs none /sys
export WEIR_STORE=$WORK/weir.db
export WEIR_SSH="ssh -F $WORK/config"
cd $WORK
sysctl -qw net.ipv6.conf.default.accept_dad=0 # nobody else is here
ip link set lo up
: >said
# What runs in the background ends with the script: it holds the script's output open.
trap 'kill $(jobs -p) 2>/dev/null || :' EXIT
# At the end of the time for all tests this shell is told so.
trap 'echo "at the end of the time weir has said:"; cat said; [ ! -e after ] || diff before after; exit 1' QUIT

# fails and works: a command does. What it said is in the file said then.
fails() { if "$@" >said 2>&1; then cat said; echo "did not fail: $*"; exit 1; fi; }
works() { "$@" >said 2>&1 || { cat said; echo "failed: $*"; exit 1; }; }
# says and has: words are in said, or in the file json. Where lines end depends on this machine's
# names.
contains() { tr -s '[:space:]' ' ' <$1 | grep -qF -- "$2" || { cat $1; echo "has no: $2"; exit 1; }; }
says() { contains said "$1"; }
has() { contains json "$1"; }

# begin runs weir, which await and others know as $campaign.
begin() { "$@" >said 2>&1 & campaign=$!; }
# await waits until a command succeeds, while weir runs.
await() { until "$@"; do kill -0 $campaign || { cat said; echo "weir ended before: $*"; exit 1; }; sleep 0.05; done; }
slay() { kill -9 $campaign; wait $campaign || true; }
# settled waits until all is as it was, by the function state of the script.
settled() { # STATE: waits ten minutes for it, and says what differs
	end=$(($(date +%s) + 600))
	until { state || true; } >after 2>&1; cmp -s ${1:-before} after; do
		[ $(date +%s) -lt $end ] || { diff ${1:-before} after; return 1; }
		sleep 0.1
	done
}

at() { n=$1; shift; ip netns exec $n "$@"; }
space() { ip netns add $1; at $1 sysctl -qw net.ipv6.conf.default.accept_dad=0; ip -n $1 link set lo up; }

# link PORT DUT-PORT [NAMESPACE]: a port here, or in a namespace, and that of r1 at its other end,
# which has a thread on the last CPU, before all else there.
link() {
	ip ${3:+-n $3} link add $1 numrxqueues 2 numtxqueues 2 type veth peer name $2 netns r1 numrxqueues 2 numtxqueues 2
	at r1 ethtool -K $2 gro on
	${3:+ip netns exec $3} ethtool -K $1 gro on
	ip -n r1 link set $2 up
	ip ${3:+-n $3} link set $1 up
	others=$(pgrep "napi/$2-") || true # of a port elsewhere that has this name
	at r1 sh -c "echo 1 >/sys/class/net/$2/threaded"
	for thread in $(pgrep "napi/$2-" | grep -vxF "${others:-none}"); do # one of another script may end meanwhile
		{ taskset -pc $(($(nproc) - 1)) $thread && chrt -r -p 1 $thread; } >/dev/null 2>&1 || [ ! -e /proc/$thread ]
	done
}

# received is how many frames have come to a port: received NAMESPACE PORT.
received() { at $1 cat /sys/class/net/$2/statistics/rx_packets; }
# come: as many frames as that, or more, have: come NUMBER NAMESPACE PORT.
come() { [ $(received $2 $3) -ge $1 ]; }

# way NAMESPACE NUMBER: SSH reaches it at 10.77.NUMBER.2, as a name that is the namespace's.
way() {
	ip link add way$2 type veth peer name way netns $1
	ip address add 10.77.$2.1/30 dev way$2
	ip link set way$2 up
	ip -n $1 address add 10.77.$2.2/30 dev way
	ip -n $1 link set way up
	login $1 10.77.$2.2
}
# login NAME ADDRESS: how SSH gets there.
login() {
	[ -e id ] || for key in host id; do ssh-keygen -q -t ed25519 -N '' -f $key; done
	echo "$2 $(cut -d' ' -f1,2 host.pub)" >>known
	printf '%s\n' "Host $1" "HostName $2" 'User root' "IdentityFile $WORK/id" 'IdentitiesOnly yes' \
		"UserKnownHostsFile $WORK/known" 'GlobalKnownHostsFile /dev/null' >>config
}
# server NUMBER NAMESPACE EXEC [LINE...]: an SSH server, which a line of shell that ends in exec
# starts, with lines of configuration. Its process is in the file pidNUMBER. It ends with the script.
server() {
	number=$1 space=$2 how=$3
	shift 3
	printf '%s\n' "HostKey $WORK/host" "AuthorizedKeysFile $WORK/id.pub" 'StrictModes no' 'PermitRootLogin yes' \
		'UsePAM no' "PidFile $WORK/pid$number" "$@" >server$number
	$MACHINE run $space sh -ec "$how $(command -v sshd || echo /usr/sbin/sshd) -D -f $WORK/server$number" &
	until [ -s pid$number ]; do kill -0 $!; sleep 0.05; done
}
# reached is what is set at r1.
reached() {
	at r1 sh -c 'ip -d link; ip address; ip neighbour show nud permanent; ip route show table all | sort; nft list ruleset; grep "" /proc/sys/net/ipv[46]/conf/*/forwarding /proc/sys/net/ipv4/conf/*/accept_redirects /proc/sys/net/ipv6/conf/*/accept_ra; ls /var/run/weir.lock* 2>&1'
}
# level: one is set at r1 that has a firewall.
level() { at r1 nft list ruleset | grep -q weir; }
# dut: r1 is one, with the ports dut0 and dut1 behind tp0 and tp1, and SSH reaches it.
dut() {
	space r1
	for i in 0 1; do link tp$i dut$i; done
	way r1 0
}
# cut_off ends the connections with the servers of a namespace, and so what weir runs there.
cut_off() {
	cut=0
	for p in $(ip netns pids $1); do
		! { tr '\0' ' ' <"/proc/$p/cmdline" | grep -q 'sshd: root'; } 2>/dev/null || { kill -9 $p && cut=$((cut + 1)); }
	done
	[ $cut -gt 0 ]
}
# addressed waits until the links here and in namespaces (all, or those) have a carrier, and no
# address is tentative any more.
addressed() {
	until ! { ip link show up; ip -6 address; for n in ${*:-$(ls /run/netns)}; do ip -n $n link show up; ip -n $n -6 address; done; } | grep -qE 'NO-CARRIER|tentative'; do sleep 0.05; done
}
