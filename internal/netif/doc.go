// Package netif deals with this kernel's network interfaces: namespaces, veth
// pairs, queues, NAPI threads, offloads, routes and counters.
//
// It attaches no BPF program, sends no frame and knows nothing of labs or
// trials.
package netif
