//go:build ignore

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The generator: run by BPF_PROG_RUN with live frames, once a turn. It decides
 * by the clock whether a frame is due; if so it writes every octet of its
 * headers anew (pages come back as the receiver left them) and redirects it to
 * the sending port, otherwise it drops the turn.
 *
 * One loaded instance serves one sending thread, so nothing here is shared.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "signature.h"

#define LOOPBACK 1	/* interface index; runs appear to come from there */
#define BULK 64		/* a power of two: how often the clock is read without a pace */
#define ETH_HLEN 14
#define TAG_HLEN 4
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
const volatile __u8  paced;	/* 0: as fast as possible */
const volatile __u8  sides;	/* ports that are sent through in turn, 1 or 2 */
const volatile __u32 sizes_n;
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

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

struct side {
	__u8 headers[96];	/* template: Ethernet to the end of the L4 header */
	__u8 stream, pad[7];
};

/* What a trial asks; written by the loader before the run. */
struct order {
	struct side side[2];
	__u64 start, end;	/* CLOCK_MONOTONIC, ns; both later when the run begins after start */
	__u64 count;		/* frames to send, no more */
	__u64 period, period_fraction;	/* between frames: ns, and 2^-32 ns */
	__u64 quick;		/* shortest mean distance while making up for a stall, ns */
	__u64 burst;		/* ns that frames may run ahead of that distance */
	__u8  trial, pad[7];
};
struct order order;

/* How far it came; read by the loader. */
struct progress {
	__u64 sequence[2];	/* frames built for each side */
	__u64 due, due_fraction;	/* when the next frame should leave */
	__u64 earliest;		/* when it may leave at the earliest, plus burst */
	__u64 now;		/* the clock as it was read last */
	__u64 last;		/* when the last frame left, if paced */
	__u64 stalls, longest;	/* times when a due frame had to wait, ns */
	__u64 delay;		/* how much later than ordered the run began, ns */
	__u32 size, flow, side;	/* of the next frame */
	__u32 begun, done, pad;
};
struct progress progress;

static __always_inline __u64 write_signature(__u8 *at, const int brief_form, const struct side *side,
					     __u64 sequence, __u64 now)
{
	const __u32 magic = brief_form ? MAGIC_SHORT : MAGIC_FULL;
	__u32 id = (__u32)side->stream << 8 | order.trial;

	AT32(at, 0) = bpf_htonl(magic << 16 | id);
	if (brief_form) {
		AT32(at, 4) = bpf_htonl((__u32)sequence);
		AT32(at, 8) = bpf_htonl((__u32)now);
		return magic + id + (sequence & 0xffffffff) + (now & 0xffffffff);
	}
	AT16(at, 4) = bpf_htons((__u16)(sequence >> 32));
	AT32(at, 6) = bpf_htonl((__u32)sequence);
	AT64(at, 10) = bpf_cpu_to_be64(now);
	return magic + id + ((sequence >> 32) & 0xffff) + (sequence & 0xffffffff) + (now >> 32) + (now & 0xffffffff);
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
	__u64 sum;
	__u16 check;

	if (data + end > (__u8 *)(long)ctx->data_end)
		return -1;
	copy(data, side->headers, payload);
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
	sum = write_signature(data + payload, brief_form, side, sequence, now);
	check = ~fold(sum + size->l4_sum + flow->l4_sum);
	if (is_tcp) {
		AT16(data, l4 + 16) = bpf_htons(check);
	} else {
		AT16(data, l4 + 4) = bpf_htons(size->l4_length);
		AT16(data, l4 + 6) = check ? bpf_htons(check) : 0xffff;
	}
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

/* Is a frame due? Each has its place in the schedule, start + n x period. One
 * that is late leaves at once as long as the frames of the last moments do not
 * exceed the burst, and otherwise follows the one before it at the quick
 * distance: a stall is made up for gently or not at all, never with a burst. */
static __always_inline int is_due(__u64 now)
{
	__u64 fraction, late;

	if (now < progress.due || now + order.burst < progress.earliest)
		return 0;
	late = now - progress.due;
	if (late > order.burst + order.period) {
		progress.stalls++;
		if (late > progress.longest)
			progress.longest = late;
	}
	progress.earliest = (progress.earliest > now ? progress.earliest : now) + order.quick;
	fraction = progress.due_fraction + order.period_fraction;
	progress.due += order.period + (fraction >> 32);
	progress.due_fraction = fraction & 0xffffffff;
	return 1;
}

/* Is it time? Reads the clock, and learns when the run begins and ends. */
static __always_inline int in_time(__u64 frames)
{
	__u64 now;

	if (progress.done)
		return 0;
	now = bpf_ktime_get_ns();
	progress.now = now;
	if (now < order.start)
		return 0;
	if (!progress.begun) {
		progress.begun = 1;
		progress.delay = now - order.start;
		progress.due += progress.delay;
	}
	if (frames < order.count && now < order.end + progress.delay)
		return 1;
	progress.done = 1;
	return 0;
}

SEC("xdp.frags")	/* for ports with a large MTU, where it is anchored */
int generate(struct xdp_md *ctx)
{
	__u32 which = 0, size_key = 0, flow_key = 0;
	__u64 sequence, frames;
	struct size_entry *size;
	struct flow_entry *flow;
	struct side *side;
	int err;

	/* While the program is attached to a device too, a run begins and ends
	 * sooner. What arrives there is not for it. */
	if (ctx->ingress_ifindex != LOOPBACK)
		return XDP_PASS;
	frames = progress.sequence[0];
	if (sides > 1)
		frames += progress.sequence[1];
	/* Reading the clock waits for all that goes before it to end, which would
	 * more than halve the rate. So without a pace it is read every BULK frames,
	 * and the time stamps are as coarse. */
	if (paced || frames % BULK == 0) {
		if (!in_time(frames))
			return XDP_DROP;
	} else if (frames >= order.count) {
		progress.done = 1;
		return XDP_DROP;
	}
	if (paced && !is_due(progress.now))
		return XDP_DROP;

	if (sides > 1)
		which = progress.side & 1;
	if (sizes_n > 1)
		size_key = progress.size;
	if (flows_n > 1)
		flow_key = progress.flow;
	side = &order.side[which];
	sequence = progress.sequence[which];
	size = bpf_map_lookup_elem(&sizes, &size_key);
	flow_key += which * flows_n;
	flow = bpf_map_lookup_elem(&flows, &flow_key);
	if (!size || !flow)
		return XDP_ABORTED;
	if (mixed && bpf_xdp_adjust_tail(ctx, (int)size->frame - (int)largest))
		return XDP_ABORTED;
	if (tags == 0)
		err = build_l4(ctx, ETH_HLEN, size, flow, side, sequence, progress.now);
	else if (tags == 1)
		err = build_l4(ctx, ETH_HLEN + TAG_HLEN, size, flow, side, sequence, progress.now);
	else
		err = build_l4(ctx, ETH_HLEN + 2 * TAG_HLEN, size, flow, side, sequence, progress.now);
	if (err)
		return XDP_ABORTED;

	progress.sequence[which] = sequence + 1;
	if (paced)
		progress.last = progress.now;
	if (sides > 1)
		progress.side = !which;
	if (sides == 1 || which) {	/* both sides send the same sizes and flows */
		if (sizes_n > 1)
			progress.size = progress.size + 1 < sizes_n ? progress.size + 1 : 0;
		if (flows_n > 1)
			progress.flow = progress.flow + 1 < flows_n ? progress.flow + 1 : 0;
	}
	return bpf_redirect_map(&ports, which, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";
