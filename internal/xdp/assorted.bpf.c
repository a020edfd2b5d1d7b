//go:build ignore

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The generator of assorted frames: they differ in more than size and flow, or
 * leave through many ports. It is run as the generator is, and takes its time
 * for what the generator need not ask: of which kind the next frame is, and
 * where that one has its headers. Between the frames of the load it sends
 * broadcast frames, which the schedule knows nothing of.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "pace.h"
#include "signature.h"

#define REACH 3400	/* octets of a frame that can be written at most */
#define WITHIN 0xfff	/* tells the verifier that an offset is below 4096 */
#define IP4_HLEN 20
#define IP6_HLEN 40
#define UDP_HLEN 8
#define TCP_HLEN 20

const volatile __u32 turns_n;
const volatile __u32 flows_n;	/* of each side */
const volatile __u32 broadcast;	/* the kind of the broadcast frames */
const volatile __u64 broadcast_ratio;	/* of them to each frame, 2^-32; 0: there are none */
const volatile __u16 largest;	/* octets of the frame that the kernel hands in */

enum form { UNSIGNED, BRIEF, FULL };

/* What the frames of a kind have in common. */
struct kind {
	__u64 count;		/* frames of it in a cycle */
	__u32 sizes_at, sizes_n;	/* its entries in the tables */
	__u32 flows_at, flows_n;
	__u16 l3, l4, payload;	/* offsets */
	__u16 reach;		/* how many of the octets are written */
	__u8 ipv6, tcp, form, pad[5];
	__u8 octets[REACH];	/* what its frames begin with */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kind);
} kinds SEC(".maps");

/* The order of the kinds, which begins again when it is through. */
struct turn {
	__u32 kind;
	__u32 rank;	/* frames of this kind before it in the cycle */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct turn);
} turns SEC(".maps");

struct size_entry {
	__u16 frame, ip_length, l4_length, pad;
	__u32 ip_sum, l4_sum;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct size_entry);
} sizes SEC(".maps");

struct flow_entry {
	__u64 source[2], destination[2];
	__u32 ports;		/* source and destination, network order */
	__u32 ip_sum, l4_sum, pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct flow_entry);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, SIDES);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

/* What is the side's own; written by the loader before the run. */
struct side {
	__u8 destination[6], source[6];	/* Ethernet addresses */
	__u8 stream, pad[3];
};
struct side own[SIDES];

/* What comes next; written with zeros before the run. */
struct next {
	__u64 cycle;		/* cycles that are through */
	__u32 turn, side;
	__u32 owing, pad;	/* a broadcast frame is to leave through this side, plus one */
	__u64 owed[SIDES];	/* broadcast frames that are not due yet, 2^-32 */
	__u64 broadcasts[SIDES];	/* built */
};
struct next next;

/* Writes the n-th frame of a kind. */
static __always_inline int build(struct xdp_md *ctx, struct kind *kind, __u64 n, __u32 which)
{
	__u32 size_key = kind->sizes_at, flow_key = which * flows_n + kind->flows_at, length;
	struct side *side = &own[which & (SIDES - 1)];
	struct size_entry *size;
	struct flow_entry *flow;
	__u8 *data, *end, *p;
	__u64 sum = 0;
	__u16 check;

	if (kind->sizes_n > 1)
		size_key += n % kind->sizes_n;
	if (kind->flows_n > 1)
		flow_key += n % kind->flows_n;
	size = bpf_map_lookup_elem(&sizes, &size_key);
	flow = bpf_map_lookup_elem(&flows, &flow_key);
	if (!size || !flow)
		return -1;
	if (size->frame != largest && bpf_xdp_adjust_tail(ctx, (int)size->frame - (int)largest))
		return -1;
	length = size->frame < kind->reach ? size->frame : kind->reach;
	barrier_var(length);	/* or the compiler hides the bounds from the verifier */
	if (length < 1)
		return -1;
	barrier_var(length);
	if (length > REACH || bpf_xdp_store_bytes(ctx, 0, kind->octets, length))
		return -1;

	data = (__u8 *)(long)ctx->data;
	end = (__u8 *)(long)ctx->data_end;
	if (data + 12 > end)
		return -1;
	copy(data + 6, side->source, 6);
	if (kind->form != UNSIGNED) {
		copy(data, side->destination, 6);
		p = data + (kind->payload & WITHIN);
		if (kind->form == BRIEF) {
			if (p + SHORT_SIGNATURE > end)
				return -1;
			sum = write_signature(p, 1, side->stream, order.trial, progress.sequence[which & (SIDES - 1)], progress.now);
		} else {
			if (p + FULL_SIGNATURE > end)
				return -1;
			sum = write_signature(p, 0, side->stream, order.trial, progress.sequence[which & (SIDES - 1)], progress.now);
		}
	}

	p = data + (kind->l3 & WITHIN);
	if (kind->ipv6) {
		if (p + IP6_HLEN > end)
			return -1;
		AT16(p, 4) = bpf_htons(size->ip_length - IP6_HLEN);
		copy(p + 8, (const __u8 *)flow->source, 32);	/* and the destination behind it */
	} else {
		if (p + IP4_HLEN > end)
			return -1;
		AT16(p, 2) = bpf_htons(size->ip_length);
		AT16(p, 10) = bpf_htons(~fold((__u64)size->ip_sum + flow->ip_sum));
		AT32(p, 12) = (__u32)flow->source[0];
		AT32(p, 16) = (__u32)flow->destination[0];
	}

	p = data + (kind->l4 & WITHIN);
	check = ~fold(sum + size->l4_sum + flow->l4_sum);
	if (kind->tcp) {
		if (p + TCP_HLEN > end)
			return -1;
		AT16(p, 16) = bpf_htons(check);
	} else {
		if (p + UDP_HLEN > end)
			return -1;
		AT16(p, 4) = bpf_htons(size->l4_length);
		AT16(p, 6) = check ? bpf_htons(check) : 0xffff;
	}
	AT32(p, 0) = flow->ports;
	return 0;
}

/* Sends the broadcast frame that is due. */
static __always_inline int send_broadcast(struct xdp_md *ctx)
{
	__u32 which = (next.owing - 1) & (SIDES - 1), key = broadcast;
	struct kind *kind = bpf_map_lookup_elem(&kinds, &key);

	next.owing = 0;
	if (!kind || build(ctx, kind, next.broadcasts[which], which))
		return XDP_ABORTED;
	next.broadcasts[which]++;
	return bpf_redirect_map(&ports, which, 0);
}

SEC("xdp.frags")	/* for ports with a large MTU, where it is anchored */
int assort(struct xdp_md *ctx)
{
	__u32 which, key;
	struct turn *turn;
	struct kind *kind;

	/* While the program is attached to a device too, a run begins and ends
	 * sooner. What arrives there is not for it. */
	if (ctx->ingress_ifindex != LOOPBACK)
		return XDP_PASS;
	if (broadcast_ratio && next.owing)
		return send_broadcast(ctx);
	if (!leaves())
		return XDP_DROP;

	which = side_of(next.side);
	key = next.turn;
	turn = bpf_map_lookup_elem(&turns, &key);
	if (!turn)
		return XDP_ABORTED;
	key = turn->kind;
	kind = bpf_map_lookup_elem(&kinds, &key);
	if (!kind || build(ctx, kind, next.cycle * kind->count + turn->rank, which))
		return XDP_ABORTED;

	has_left(which);
	if (broadcast_ratio) {
		next.owed[which] += broadcast_ratio;
		if (next.owed[which] >> 32) {
			next.owed[which] &= 0xffffffff;
			next.owing = which + 1;
		}
	}
	next.side = which + 1;
	if (next.side >= progress.window.until) {	/* all sides send the same kinds, sizes and flows */
		if (++next.turn >= turns_n) {
			next.turn = 0;
			next.cycle++;
		}
	}
	return bpf_redirect_map(&ports, which, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";
