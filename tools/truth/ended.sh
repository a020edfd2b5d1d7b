# Has a campaign at two machines that SSH reaches come to its end, and prints how long that
# took after its cause, in ms. It runs beside hosts.sh far.
#   ended.sh WEIR PLAN kill SIGNAL NAMESPACE WORDS  the tester there gets the signal; weir says the words
#   ended.sh WEIR PLAN interrupt                    Ctrl-C, and again while weir waits for machines that are stopped
#   ended.sh WEIR PLAN cut WORDS                    a link goes down; weir says the words
#   ended.sh WEIR PLAN refuse WORDS                 weir refuses the plan, and says the words
weir=$1 plan=$2 how=$3
shift 3
said=$WEIR_HOSTS/said
now() { date +%s%N; }
fail() { cat "$said" >&2; echo "$1" >&2; exit 1; }
await() { until "$@"; do kill -0 $campaign 2>/dev/null || fail "weir ended before: $*"; sleep 0.05; done; }
received() { ip netns exec r1 cat /sys/class/net/dut0/statistics/rx_packets; }
flows() { [ "$(received)" -gt $((seen + 5000)) ]; } # as only a trial sends
agent() { # its process is $agent
	for agent in $(ip netns pids "$1"); do
		case "$({ tr '\0' ' ' <"/proc/$agent/cmdline"; } 2>/dev/null)" in /*"/weir agent tester "*) return ;; esac
	done
	false
}
names() { grep -qF -- "$1" "$said"; }
ended() { ! kill -0 $campaign 2>/dev/null; }

"$weir" --store "$WEIR_HOSTS/ended.db" run "$plan" >"$said" 2>&1 &
campaign=$! began=$(now)
# flowing: frames are sent, after the tester at a machine is there.
flowing() {
	[ $# = 0 ] || await agent "$1"
	seen=$(received)
	await flows
}
case $how in
kill)
	flowing "$2"
	began=$(now)
	kill "-$1" $agent
	until names "trial 1: tester at ssh://$2" || ended; do sleep 0.02; done
	took=$(($(now) - began))
	wait $campaign && fail 'a trial without a side was measured'
	names "$3" || fail "weir has not said: $3"
	;;
interrupt)
	flowing t1
	stopped=$(ip netns pids t1; ip netns pids t2)
	kill -STOP $stopped
	trap 'kill -CONT $stopped 2>/dev/null || true' EXIT
	kill -INT $campaign
	sleep 1
	! ended || fail 'weir ended by the first Ctrl-C'
	began=$(now)
	kill -INT $campaign
	wait $campaign || true
	took=$(($(now) - began))
	kill -CONT $stopped
	while agent t1 || agent t2; do sleep 0.1; done
	;;
cut)
	flowing
	ip -n r1 link set dut1 down
	began=$(now)
	until names "$1" || ended; do sleep 0.02; done
	took=$(($(now) - began))
	ip -n r1 link set dut1 up
	kill -INT $campaign 2>/dev/null || true
	wait $campaign || true
	names "$1" || fail "weir has not said: $1"
	;;
refuse)
	! wait $campaign || fail 'weir has measured it'
	took=$(($(now) - began))
	names "$1" || fail "weir has not said: $1"
	;;
esac
echo $((took / 1000000))
