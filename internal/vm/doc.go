// Package vm boots machines that QEMU runs: from a disk image, from a kernel with an
// initramfs, or from a small Debian that it makes of Debian's packages. A machine has
// ports at tap devices, a console of which the end is kept, and shells at virtio-serial
// ports, through which it can be told things without a network.
//
// The package makes no namespaces and no tap devices, and knows nothing of forwarding.
package vm
