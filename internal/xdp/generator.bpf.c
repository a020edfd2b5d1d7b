//go:build ignore

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The generator: run by BPF_PROG_RUN with live frames, once a turn. When a
 * frame is due it writes every octet of its headers anew (pages come back as
 * the receiver left them) and redirects it to the sending port, otherwise it
 * drops the turn.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "pace.h"
#include "signature.h"

#define ETH_HLEN 14
#define TAG_HLEN 4
#define PPPOE_HLEN 8	/* with the protocol of PPP */
#define IP4_HLEN 20
#define IP6_HLEN 40
#define UDP_HLEN 8
#define TCP_HLEN 20

/* What the frames look like: constants, so that the verifier removes the
 * branches that this traffic does not take. */
const volatile __u8  tags;	/* VLAN tags, 0 to 2 */
const volatile __u8  ipv6;
const volatile __u8  tcp;
const volatile __u8  brief;	/* short signature */
const volatile __u8  mixed;	/* frames differ in size */
const volatile __u8  uniform;	/* one size and one flow: a side's frames differ in signature and checksum alone */
const volatile __u8  sides;	/* ports that are sent through in turn, 1 to SIDES */
const volatile __u32 sizes_n;	/* of each side, if inside, and otherwise of all */
const volatile __u32 flows_n;	/* of each side */
const volatile __u16 largest;	/* octets of the frame that the kernel hands in */

struct size_entry {
	__u16 frame, ip_length, l4_length, pad;
	__u32 ip_sum, l4_sum;
};

struct flow_entry {
	__u64 source[2], destination[2];
	__u32 ports;		/* source and destination, network order */
	__u32 ip_sum, l4_sum, pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct size_entry);
} sizes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct flow_entry);
} flows SEC(".maps");

/* What of its session the frames of a flow have. */
struct session_entry {
	__u8 ethernet[12];	/* destination and source */
	__u16 id;		/* network order */
	__u16 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);	/* flows_n, if inside */
	__type(key, __u32);
	__type(value, struct session_entry);
} sessions SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, SIDES);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

struct side {
	__u8 headers[96];	/* template: Ethernet to the end of the L4 header; complete if uniform */
	__u64 sum;		/* of the L4 checksum, if uniform */
	__u64 filler;		/* behind the signature, of side 1 if inside: frames of side 0 have theirs there */
	__u8 stream, pad[7];
};

/* What the frames of each side begin with; written by the loader before the run. */
struct side templates[SIDES];

/* Which entries the next frame takes. */
struct next {
	__u32 size, flow, side, pad;
};
struct next next;

/* Writes what differs between sizes and flows into the headers; returns the sum
 * of the L4 checksum but for the signature. */
static __always_inline __u64 vary(__u8 *data, const int l3, const int l4, const int v6, const int is_tcp,
				  const struct size_entry *size, const struct flow_entry *flow)
{
	if (v6) {
		AT16(data, l3 + 4) = bpf_htons(size->ip_length - IP6_HLEN);
		copy(data + l3 + 8, (const __u8 *)flow->source, 32);	/* and the destination behind it */
	} else {
		AT16(data, l3 + 2) = bpf_htons(size->ip_length);
		AT16(data, l3 + 10) = bpf_htons(~fold((__u64)size->ip_sum + flow->ip_sum));
		AT32(data, l3 + 12) = (__u32)flow->source[0];
		AT32(data, l3 + 16) = (__u32)flow->destination[0];
	}
	AT32(data, l4) = flow->ports;
	if (!is_tcp)
		AT16(data, l4 + 4) = bpf_htons(size->l4_length);
	return (__u64)size->l4_sum + flow->l4_sum;
}

/* Writes one frame; everything but its operands is constant after inlining. */
static __always_inline int build(struct xdp_md *ctx, const int l3, const int v6, const int is_tcp,
				 const int brief_form, const struct size_entry *size,
				 const struct flow_entry *flow, const struct side *side,
				 __u64 sequence, __u64 now)
{
	const int l4 = l3 + (v6 ? IP6_HLEN : IP4_HLEN);
	const int payload = l4 + (is_tcp ? TCP_HLEN : UDP_HLEN);
	const int end = payload + (brief_form ? SHORT_SIGNATURE : FULL_SIGNATURE);
	__u8 *data = (__u8 *)(long)ctx->data;
	__u64 sum = side->sum;
	__u16 check;

	if (data + end > (__u8 *)(long)ctx->data_end)
		return -1;
	copy(data, side->headers, payload);
	if (size && flow)
		sum = vary(data, l3, l4, v6, is_tcp, size, flow);
	sum += write_signature(data + payload, brief_form, side->stream, order.trial, sequence, now);
	check = ~fold(sum);
	if (is_tcp)
		AT16(data, l4 + 16) = bpf_htons(check);
	else
		AT16(data, l4 + 6) = check ? bpf_htons(check) : 0xffff;
	return 0;
}

static __always_inline int build_signed(struct xdp_md *ctx, const int l3, const int v6, const int is_tcp,
					const struct size_entry *size, const struct flow_entry *flow,
					const struct side *side, __u64 sequence, __u64 now)
{
	return brief ? build(ctx, l3, v6, is_tcp, 1, size, flow, side, sequence, now)
		     : build(ctx, l3, v6, is_tcp, 0, size, flow, side, sequence, now);
}

static __always_inline int build_l4(struct xdp_md *ctx, const int l3, const struct size_entry *size,
				    const struct flow_entry *flow, const struct side *side,
				    __u64 sequence, __u64 now)
{
	if (ipv6)
		return tcp ? build_signed(ctx, l3, 1, 1, size, flow, side, sequence, now)
			   : build_signed(ctx, l3, 1, 0, size, flow, side, sequence, now);
	return tcp ? build_signed(ctx, l3, 0, 1, size, flow, side, sequence, now)
		   : build_signed(ctx, l3, 0, 0, size, flow, side, sequence, now);
}

/* Has a frame with a header of PPPoE be in the session of its flow. */
static __always_inline int enter(struct xdp_md *ctx, const struct size_entry *size, const struct session_entry *session)
{
	__u8 *data = (__u8 *)(long)ctx->data;

	if (data + ETH_HLEN + PPPOE_HLEN > (__u8 *)(long)ctx->data_end)
		return -1;
	copy(data, session->ethernet, 12);
	AT16(data, ETH_HLEN + 2) = session->id;
	AT16(data, ETH_HLEN + 4) = bpf_htons(size->ip_length + 2);
	return 0;
}

/* Writes the filler of a frame to a session where one inside it has its signature. */
static __always_inline int refill(struct xdp_md *ctx, const struct side *side)
{
	const int end = ETH_HLEN + (ipv6 ? IP6_HLEN : IP4_HLEN) + (tcp ? TCP_HLEN : UDP_HLEN) +
			(brief ? SHORT_SIGNATURE : FULL_SIGNATURE);
	__u8 *data = (__u8 *)(long)ctx->data;

	if (data + end + PPPOE_HLEN > (__u8 *)(long)ctx->data_end)
		return -1;
	AT64(data, end) = side->filler;
	return 0;
}

/* Sends a frame when one is due; inside: those of side 0 leave inside PPPoE
 * sessions, and those of side 1 in none. */
static __always_inline int send(struct xdp_md *ctx, const int inside)
{
	__u32 which = 0, size_key = 0, flow_key = 0;
	struct session_entry *session = 0;
	struct size_entry *size = 0;
	struct flow_entry *flow = 0;
	struct side *side;
	__u64 sequence;
	int err;

	/* While the program is attached to a device too, a run begins and ends
	 * sooner. What arrives there is not for it. */
	if (ctx->ingress_ifindex != LOOPBACK)
		return XDP_PASS;
	if (!leaves())
		return XDP_DROP;

	if (sides > 1)
		which = side_of(next.side);
	if (sizes_n > 1)
		size_key = next.size;
	if (flows_n > 1)
		flow_key = next.flow;
	side = &templates[which];
	sequence = progress.sequence[which];
	if (!uniform) {
		if (inside && which == 0) {
			session = bpf_map_lookup_elem(&sessions, &flow_key);
			if (!session)
				return XDP_ABORTED;
		}
		if (inside)
			size_key += which * sizes_n;
		size = bpf_map_lookup_elem(&sizes, &size_key);
		flow_key += which * flows_n;
		flow = bpf_map_lookup_elem(&flows, &flow_key);
		if (!size || !flow)
			return XDP_ABORTED;
	}
	if (mixed && bpf_xdp_adjust_tail(ctx, (int)size->frame - (int)largest))
		return XDP_ABORTED;
	if (inside && which == 0)
		err = build_l4(ctx, ETH_HLEN + PPPOE_HLEN, size, flow, side, sequence, progress.now) ||
		      (session && enter(ctx, size, session));
	else if (inside)
		err = build_l4(ctx, ETH_HLEN, size, flow, side, sequence, progress.now) || refill(ctx, side);
	else if (tags == 0)
		err = build_l4(ctx, ETH_HLEN, size, flow, side, sequence, progress.now);
	else if (tags == 1)
		err = build_l4(ctx, ETH_HLEN + TAG_HLEN, size, flow, side, sequence, progress.now);
	else
		err = build_l4(ctx, ETH_HLEN + 2 * TAG_HLEN, size, flow, side, sequence, progress.now);
	if (err)
		return XDP_ABORTED;

	has_left(which);
	if (sides > 1)
		next.side = which + 1;
	if (sides == 1 || next.side >= progress.window.until) {	/* all sides send the same sizes and flows */
		if (sizes_n > 1)
			next.size = next.size + 1 < sizes_n ? next.size + 1 : 0;
		if (flows_n > 1)
			next.flow = next.flow + 1 < flows_n ? next.flow + 1 : 0;
	}
	return bpf_redirect_map(&ports, which, 0);
}

/* Attached to ports with a large MTU, too, where they are anchored. */
SEC("xdp.frags")
int generate(struct xdp_md *ctx)
{
	return send(ctx, 0);
}

SEC("xdp.frags")
int generate_inside(struct xdp_md *ctx)
{
	return send(ctx, 1);
}

char _license[] SEC("license") = "Dual BSD/GPL";
