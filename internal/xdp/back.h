/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Frames that their receiver sends back the way they came: with addresses and
 * ports swapped, and a magic number of their own, so that the port that sent
 * them times them by its own clock.
 *
 * None of this is a static function, so that the verifier looks at it once and
 * not once for each way that leads to it. Places are offsets from the start of
 * the frame.
 */
#pragma once

#include "checksum.h"
#include "latency.h"
#include "signature.h"

#define REACH 1024	/* headers that are longer are left alone; a power of two */

/* What a receiver has to know of a sender at another machine; written by the
 * loader. */
struct distant {
	__u64 ahead;	/* ns by which the clock here is ahead of that of the frames */
	__u32 back;	/* of how many frames of a stream one is sent back, a power of two; 0: of none */
	__u32 pad;
};
struct distant distant;

/* Frames that were sent back. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} turned SEC(".maps");

static __always_inline void swap16(__u8 *a, __u8 *b)
{
	__u16 kept = AT16(a, 0);

	AT16(a, 0) = AT16(b, 0);
	AT16(b, 0) = kept;
}

static __always_inline void swap32(__u8 *a, __u8 *b)
{
	__u32 kept = AT32(a, 0);

	AT32(a, 0) = AT32(b, 0);
	AT32(b, 0) = kept;
}

/* Turns a frame around. Swapping leaves the checksums as they are; the magic
 * number of the signature grows by BACK. It is redirected, as with XDP_TX veth
 * wakes nobody at its other end that has no XDP program. */
__noinline int turn_around(struct xdp_md *ctx, __u32 l3_at, __u32 l4_at, __u32 signature_at, __u32 udp)
{
	__u8 *data = (__u8 *)(long)ctx->data, *data_end = (__u8 *)(long)ctx->data_end;
	__u8 *l3, *l4, *signature, *check;
	__u16 was, is;
	int i;

	if (l3_at > REACH || l4_at > REACH || signature_at > REACH)
		return XDP_DROP;
	l3 = data + l3_at;
	l4 = data + l4_at;
	signature = data + signature_at;
	check = l4 + (udp ? 6 : 16);
	if (data + 12 > data_end || l3 + 40 > data_end || l4 + 4 > data_end || check + 2 > data_end || signature + 2 > data_end)
		return XDP_DROP;
#pragma unroll
	for (i = 0; i < 6; i += 2)
		swap16(data + i, data + 6 + i);
	if ((l3[0] >> 4) == 4) {
		swap32(l3 + 12, l3 + 16);
	} else {
#pragma unroll
		for (i = 0; i < 16; i += 4)
			swap32(l3 + 8 + i, l3 + 24 + i);
	}
	swap16(l4, l4 + 2);
	AT16(signature, 0) |= bpf_htons(BACK);
	was = bpf_ntohs(AT16(check, 0));
	if (!udp || was) {	/* UDP over IPv4 may have none */
		is = ~fold((__u64)(__u16)~was + BACK);	/* RFC 1624 */
		AT16(check, 0) = udp && !is ? 0xffff : bpf_htons(is);
	}
	return bpf_redirect(ctx->ingress_ifindex, 0);
}

/* Sends a frame back that is one of those that are, and otherwise leaves it to the
 * verdict. It is not the first of its stream, which finds everything cold. */
static __always_inline int dismiss(struct xdp_md *ctx, int verdict, __u64 sequence, __u32 l3_at, __u32 l4_at,
				   __u32 signature_at, __u32 udp)
{
	__u32 zero = 0;
	__u64 *n;

	if (distant.back && (sequence & (distant.back - 1)) == distant.back / 2) {
		verdict = turn_around(ctx, l3_at, l4_at, signature_at, udp);
		n = bpf_map_lookup_elem(&turned, &zero);
		if (n && verdict == XDP_REDIRECT)
			++*n;
	}
	return verdict;
}

/* Times a frame that was sent from here and came back, if its checksum is right:
 * with the sum of its pseudo header, and its octets from the L4 header on. */
__noinline int came_back(struct xdp_md *ctx, __u32 l4_at, __u32 l4_length, __u32 signature_at, __u64 sum)
{
	__u8 *data = (__u8 *)(long)ctx->data, *data_end = (__u8 *)(long)ctx->data_end, *signature;
	__u64 now = bpf_ktime_get_ns(), sent;
	__s64 octets = l4_length > 0xffff ? -1 : sum_octets(ctx, l4_at, l4_length);

	if (octets < 0 || fold(sum + octets) != 0xffff)
		return XDP_DROP;
	signature = data + (signature_at & (REACH - 1));	/* which the verifier follows, and what is further on has no signature there */
	if (signature + SHORT_SIGNATURE > data_end)
		return XDP_DROP;
	if (AT16(signature, 0) == bpf_htons(MAGIC_SHORT | BACK))
		sent = extend(now, bpf_ntohl(AT32(signature, 8)));
	else if (AT16(signature, 0) == bpf_htons(MAGIC_FULL | BACK) && signature + FULL_SIGNATURE <= data_end)
		sent = bpf_be64_to_cpu(AT64(signature, 10));
	else
		return XDP_DROP;
	enter(ROUND_TRIP, now > sent ? now - sent : 0);
	return XDP_DROP;
}
