package vm

// What runs in a machine: init of the one that weir makes, and what gives weir its
// shells, in that one and in images of users.

// shells is how many shells a machine has: one runs commands, one ends those that are
// not wanted any more, and one is there when another is still busy.
const shells = 3

// ShellScript gives weir its shells in a machine. It runs as root, for as long as the
// machine does. A port of virtio-serial can be opened once at a time, for reading and
// writing, and a shell ends when weir hangs up.
const ShellScript = `#!/bin/sh
for n in 0 1 2; do
	while :; do sh 0<>/dev/virtio-ports/weir.$n 1>&0 2>/dev/virtio-ports/weir.$n.err; sleep 1; done 2>/dev/null &
done
while echo alive; do sleep 5; done >/dev/virtio-ports/weir.alive
`

// initScript is the first process of the machine that weir makes. Programs of busybox
// come last, after those of Debian's packages.
const initScript = `#!/bin/busybox sh
if [ -z "$again" ]; then
	/bin/busybox --install -s /busybox
	export PATH=/usr/sbin:/usr/bin:/sbin:/bin:/busybox HOME=/root again=yes
	exec /bin/sh /init
fi
unset again
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mount -t tmpfs run /run
mount -t tmpfs tmp /tmp
mount -t bpf bpf /sys/fs/bpf 2>/dev/null
echo 1 >/proc/sys/net/ipv6/conf/default/addr_gen_mode # ports say nothing of themselves
mknod -m 600 /dev/ppp c 108 0 # as udev has it there before it is opened, which loads ppp_generic
modprobe -a virtio_pci virtio_console virtio_net || echo "weir: a driver is missing"
for m in /sys/bus/pci/devices/*/modalias; do
	read -r alias <"$m" && modprobe -q "$alias" # other network cards
done
mkdir -p /dev/virtio-ports
for i in 1 2 3 4 5 6 7 8 9 10; do
	for p in /sys/class/virtio-ports/*; do
		[ -e "$p/name" ] && read -r name <"$p/name" && [ -n "$name" ] && ln -sf "../${p##*/}" "/dev/virtio-ports/$name"
	done
	[ -e /dev/virtio-ports/weir.alive ] && break
	sleep 1
done
hostname dut
ip link set lo up
echo "weir: Linux $(uname -r) is up"
sh /shells
echo "weir: the shells have ended"
poweroff -f
`
