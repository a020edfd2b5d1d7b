//go:build ignore

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The plain programs: pass (NICs transmit redirected frames only while a
 * program is attached), sink (count everything and drop it), turn (the empty
 * loop, which no generator is faster than) and bare (send the page as it is,
 * which no generator that writes its frames is faster than).
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} sunk SEC(".maps");

SEC("xdp.frags")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp")
int sink(struct xdp_md *ctx)
{
	__u32 zero = 0;
	__u64 *n = bpf_map_lookup_elem(&sunk, &zero);

	if (n)
		(*n)++;
	return XDP_DROP;
}

__u64 turned;

SEC("xdp")
int turn(struct xdp_md *ctx)
{
	turned++;
	return XDP_DROP;
}

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} out SEC(".maps");

SEC("xdp")
int bare(struct xdp_md *ctx)
{
	return bpf_redirect_map(&out, 0, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";
