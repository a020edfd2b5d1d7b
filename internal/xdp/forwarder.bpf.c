//go:build ignore

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The forwarder: an IP router in the driver of the DUT's ports. It looks up the
 * route and the neighbour in the kernel's own tables and sends the frame out of
 * another port. Only what is plain forwarding ends here. Whatever takes an
 * answer, a wait or a decision (an ICMP error, an unknown neighbour, options,
 * fragmentation, the DUT's own addresses) passes to the stack as it came, and
 * so does what a router discards: the stack does that, and counts it.
 *
 * What the stack has for frames that it forwards does not see these: firewalls,
 * queueing disciplines, statistics of IP, checks of source addresses against
 * the routes (RFC 1812 section 5.3.8). Of several next hops the addresses alone
 * choose one.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "signature.h"
#include "route.h"

const volatile __u32 port;	/* number of the port of this instance, from 0 */

struct tally {
	__u64 frames[OUTCOMES];	/* all but the first pass to the stack */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);	/* of each port; set by the loader */
	__type(key, __u32);
	__type(value, struct tally);
} tallies SEC(".maps");

static __always_inline enum outcome decide(struct xdp_md *ctx)
{
	__u8 *data = (__u8 *)(long)ctx->data, *end = (__u8 *)(long)ctx->data_end, *ip = data + ETH_HLEN;
	struct bpf_fib_lookup q = {};
	enum outcome outcome;
	__u16 type;

	if (ip + IP4_HLEN > end || !for_this_port(data))
		return LINK;
	type = AT16(data, 12);
	outcome = route(ctx, &q, type, ip, end);
	if (outcome != FORWARDED)
		return outcome;
	AT16(data, 0) = AT16(q.dmac, 0);	/* the rest of it is at a multiple of four */
	AT32(data, 2) = AT32(q.dmac, 2);
	copy(data + ETH_ALEN, q.smac, ETH_ALEN);
	age(type, ip, end);
	return FORWARDED;
}

SEC("xdp.frags")	/* for ports with a large MTU; headers are in the first page */
int forward(struct xdp_md *ctx)
{
	enum outcome outcome = decide(ctx);
	__u32 key = port;
	struct tally *tally = bpf_map_lookup_elem(&tallies, &key);

	if (tally && outcome < OUTCOMES)
		tally->frames[outcome]++;
	return outcome == FORWARDED ? XDP_REDIRECT : XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
