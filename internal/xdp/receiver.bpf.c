//go:build ignore

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The receiver, in the driver: counts the test frames of each stream, follows
 * their sequence, checks them, enters their latency into a histogram and drops
 * them, but for those that it sends back. Whatever is not a test frame passes to
 * the stack.
 *
 * All state is per CPU but the timeline, the tagged frames and the delays that
 * are compared. Frames of one stream that arrive on several CPUs are counted
 * right; late and duplicate ones are seen within a CPU only.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "signature.h"
#include "timeline.h"
#include "arrivals.h"
#include "checksum.h"
#include "latency.h"
#include "back.h"
#include "variation.h"
#include "sessions.h"
#include "slots.h"

#define EXTENSIONS 8	/* IPv6 extension headers that are followed */

const volatile __u8 verify;	/* check the whole L4 checksum */
const volatile __u32 verify_mask;	/* of frames of a stream whose number has none of these bits; 0: of all */
const volatile __u8 offloaded;	/* a checksum that is left to the sender's port is right */
const volatile __u8 keep;	/* test frames pass to the stack too, for captures */
const volatile __u32 tags_n;	/* frames of each stream whose latency is kept; 0: none */

/* Which frames are to come; written by the loader. */
struct accept {
	__u64 tag_first, tag_step;	/* sequences of the tagged frames */
	__u8 trial;	/* the frames of others do not count; 0: all do */
	__u8 pad[7];
};
struct accept accept;

struct stream {
	__u64 received;		/* intact, duplicates included */
	__u64 octets;
	__u64 duplicate, late, corrupt;
	__u64 wrong_session;	/* came in another session than its own, or in none */
	__u64 lowest, next;	/* sequences: the lowest seen, the highest seen + 1 */
	__u64 first, last;	/* when, ns */
	__u64 sent;		/* when the frame with the highest one was sent, if there is a timeline or windows */
	__u8 id, trial;		/* as frames have them */
	__u8 pad[6];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STREAMS);
	__type(key, __u32);
	__type(value, struct stream);
} streams SEC(".maps");

/* The sequence seen last in each place, plus one. */
struct recent {
	__u32 seen[RECENT];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STREAMS);
	__type(key, __u32);
	__type(value, struct recent);
} recents SEC(".maps");

/* Frames of a stream that did not come, one after the other, between two that
 * did. */
struct gap {
	__u64 missing;
	__u64 before, after;	/* when those two were sent; without one before, the start of the grid */
};

struct gaps {
	__u64 missing;	/* in all gaps */
	struct gap last, longest;
};

/* Kept beside a timeline, whose steps may be longer than from frame to frame. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);	/* STREAMS with a timeline */
	__type(key, __u32);
	__type(value, struct gaps);
} gaps SEC(".maps");

/* The latencies of the tagged frames, tags_n for each stream: ns, plus one. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} tagged SEC(".maps");

struct other {
	__u64 passed;	/* frames that were not test frames */
	__u64 foreign;	/* test frames of another trial, or of more streams than there is room for */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct other);
} others SEC(".maps");

/* Keeps the latency of a tagged frame. */
static __always_inline void keep_tagged(__u32 id, __u64 sequence, __u64 delay)
{
	__u64 offset = sequence - accept.tag_first, *place;
	__u64 k = offset / accept.tag_step;
	__u32 key;

	if (k >= tags_n || k * accept.tag_step != offset)
		return;
	key = id * tags_n + k;
	place = bpf_map_lookup_elem(&tagged, &key);
	if (place)
		*place = delay + 1;
}

/* Notes the gap that ends with a frame, if there is one before it. One that
 * reaches over from another window is no gap within this one. */
static __always_inline void note_gap(const struct stream *s, __u32 id, __u64 sequence, __u64 sent,
				     const struct place *place)
{
	__u64 missing;
	struct arrived *arrived;
	struct gaps *g;

	if (sequence <= s->next + elsewhere)
		return;
	missing = (sequence - s->next) / (elsewhere + 1);
	if (place && s->sent && s->sent >= place->from) {
		arrived = arrived_in(place);
		if (arrived) {
			arrived->missing += missing;
			if (missing > arrived->run)
				arrived->run = missing;
		}
	}
	if (!steps_n)
		return;
	g = bpf_map_lookup_elem(&gaps, &id);
	if (!g)
		return;
	g->last.missing = missing;
	g->last.before = s->sent ? s->sent : grid.start;
	g->last.after = sent;
	g->missing += g->last.missing;
	if (g->last.missing > g->longest.missing)
		g->longest = g->last;
}

/* Follows the sequence of a stream; 0 when the frame came before. */
static __always_inline int follow(struct stream *s, __u32 id, __u64 sequence, __u64 sent, __u64 now, __u64 delay,
				  const struct place *place)
{
	struct recent *r = bpf_map_lookup_elem(&recents, &id);
	__u32 *seen;

	if (!s->received) {
		s->first = now;
		s->lowest = sequence;
	}
	s->received++;
	s->last = now;
	if (!r)
		return 1;
	seen = &r->seen[sequence & (RECENT - 1)];
	if (sequence >= s->next) {	/* which is 0 before the first one */
		if (steps_n || windows_n) {
			note_gap(s, id, sequence, sent, place);
			s->sent = sent;
		}
		s->next = sequence + 1;
	} else if (*seen == (__u32)sequence + 1) {
		s->duplicate++;
		return 0;
	} else {
		s->late++;
		if (sequence < s->lowest)
			s->lowest = sequence;
		if (s->next - sequence > RECENT)
			return 1;	/* its place belongs to a later frame */
	}
	*seen = (__u32)sequence + 1;
	if (varying)
		vary(id, sequence, delay);
	return 1;
}

/* Frames larger than a page come in fragments; their headers are always in the
 * first one, and data_end is its end. Both helpers that reach beyond it came
 * with fragments: a linear receiver does without and so verifies nothing. Nor
 * does it send frames back, or time such. Where frames come inside sessions, all
 * of them do, each in its own. */
static __always_inline int take(struct xdp_md *ctx, const int fragments, const int inside)
{
	__u8 *data = (__u8 *)(long)ctx->data, *data_end = (__u8 *)(long)ctx->data_end;
	__u64 now = bpf_ktime_get_ns(), there = now - distant.ahead, sequence, sent = 0, delay;
	__u32 zero = 0, id, slot, l4_length, i, *step, session = 0, carried = 0, length;
	__u8 *p = data, *l3, *l4, protocol, trial;
	struct place *place = 0;
	struct stream *s;
	struct other *o;
	__s64 sum = 0;
	__be16 type;
	int is_short, verdict = keep ? XDP_PASS : XDP_DROP;

	if (p + sizeof(struct ethhdr) > data_end)
		goto pass;
	type = ((struct ethhdr *)p)->h_proto;
	p += sizeof(struct ethhdr);
	for (i = 0; i < 2; i++) {
		if (type != bpf_htons(ETH_P_8021Q) && type != bpf_htons(ETH_P_8021AD))
			break;
		if (p + 4 > data_end)
			goto pass;
		type = AT16(p, 2);
		p += 4;
	}
	if (inside && type == bpf_htons(ETH_P_PPP_SES)) {
		if (p + PPPOE_HLEN > data_end || !(type = type_in_session(p)))
			goto pass;
		session = bpf_ntohs(AT16(p, 2));
		carried = bpf_ntohs(AT16(p, 4)) - 2;
		p += PPPOE_HLEN;
	}
	l3 = p;
	if (type == bpf_htons(ETH_P_IP)) {
		__u32 header;

		if (p + 20 > data_end)
			goto pass;
		header = (p[0] & 0x0f) * 4;
		if ((p[0] >> 4) != 4 || header < 20 || (AT16(p, 6) & bpf_htons(0x3fff)))
			goto pass;
		length = bpf_ntohs(AT16(p, 2));
		l4_length = length - header;
		protocol = p[9];
		sum = (__u64)AT32(p, 12) + AT32(p, 16);
		p += header;
	} else if (type == bpf_htons(ETH_P_IPV6)) {
		if (p + 40 > data_end)
			goto pass;
		l4_length = bpf_ntohs(AT16(p, 4));
		length = l4_length + 40;
		protocol = p[6];
		for (i = 8; i < 40; i += 4)
			sum += AT32(p, i);
		p += 40;
		for (i = 0; i < EXTENSIONS; i++) {
			__u32 header;

			if (protocol != IPPROTO_HOPOPTS && protocol != IPPROTO_ROUTING && protocol != IPPROTO_DSTOPTS)
				break;
			if (p + 8 > data_end)
				goto pass;
			protocol = p[0];
			header = (p[1] + 1) * 8;
			p += header;
			l4_length -= header;
		}
	} else {
		goto pass;
	}

	l4 = p;
	if (protocol == IPPROTO_UDP)
		p += 8;
	else if (protocol == IPPROTO_TCP)
		p += 20;
	else
		goto pass;
	if (p + SHORT_SIGNATURE > data_end)
		goto pass;
	if (fragments && (AT16(p, 0) == bpf_htons(MAGIC_FULL | BACK) || AT16(p, 0) == bpf_htons(MAGIC_SHORT | BACK)) &&
	    accept.trial && p[3] == accept.trial)
		return came_back(ctx, l4 - data, l4_length, p - data, sum + bpf_htons(protocol) + bpf_htons(l4_length));
	is_short = AT16(p, 0) == bpf_htons(MAGIC_SHORT);
	if (!is_short && (AT16(p, 0) != bpf_htons(MAGIC_FULL) || p + FULL_SIGNATURE > data_end))
		goto pass;
	id = p[2];
	trial = p[3];
	if (accept.trial)
		slot = trial == accept.trial ? id : STREAMS;
	else
		slot = slot_of(id, trial);
	if (slot >= STREAMS) {
		o = bpf_map_lookup_elem(&others, &zero);
		if (o)
			o->foreign++;
		return XDP_DROP;
	}
	s = bpf_map_lookup_elem(&streams, &slot);
	if (!s)
		return XDP_ABORTED;
	s->id = id;
	s->trial = trial;
	id = slot;

	if (inside && !of_client(ctx, session, l3 - data)) {
		s->wrong_session++;
		return XDP_DROP;
	}
	if (inside && carried != length) {
		s->corrupt++;
		return XDP_DROP;
	}
	if (fragments && verify && !(s->received & verify_mask)) {
		__s64 octets = l4_length > 0xffff ? -1 : sum_octets(ctx, l4 - data, l4_length);

		sum += bpf_htons(protocol) + bpf_htons(l4_length);
		if (octets < 0 || (fold(sum + octets) != 0xffff && !(offloaded && left_to_port(l4, protocol == IPPROTO_UDP, sum)))) {
			s->corrupt++;
			return XDP_DROP;
		}
	}
	if (is_short) {
		sequence = bpf_ntohl(AT32(p, 4));
		if (s->received)
			sequence = extend(s->next, sequence);
		sent = extend(there, bpf_ntohl(AT32(p, 8)));
	} else {
		sequence = (__u64)bpf_ntohs(AT16(p, 4)) << 32 | bpf_ntohl(AT32(p, 6));
		sent = bpf_be64_to_cpu(AT64(p, 10));
	}
	s->octets += fragments ? bpf_xdp_get_buff_len(ctx) : data_end - data;
	if (fragments)
		verdict = dismiss(ctx, verdict, sequence, l3 - data, l4 - data, p - data, protocol == IPPROTO_UDP);
	delay = there > sent ? there - sent : 0;
	if (windows_n)
		place = place_of(sent);
	if (follow(s, id, sequence, sent, now, delay, place)) {
		if (place)
			count_in(place, now, delay);
		if (tags_n)
			keep_tagged(id, sequence, delay);
		if (steps_n && (step = step_of(sent)))
			__sync_fetch_and_add(step, 1);
	}
	enter(LATENCY, delay);
	return verdict;

pass:
	o = bpf_map_lookup_elem(&others, &zero);
	if (o)
		o->passed++;
	return XDP_PASS;
}

SEC("xdp.frags")
int receive(struct xdp_md *ctx)
{
	return take(ctx, 1, 0);
}

SEC("xdp.frags")
int receive_inside(struct xdp_md *ctx)
{
	return take(ctx, 1, 1);
}

/* For kernels before Linux 5.18. */
SEC("xdp")
int receive_linear(struct xdp_md *ctx)
{
	return take(ctx, 0, 0);
}

char _license[] SEC("license") = "Dual BSD/GPL";
