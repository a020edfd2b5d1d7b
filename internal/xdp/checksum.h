/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The sum of a packet's octets, as its checksum has it.
 */
#pragma once

#include "signature.h"

#define CHUNK 512	/* octets that are summed at once */
#define CHUNKS 128	/* so that the longest IP packet, of 64 KiB, is verified whole */

struct chunk {
	__u8 octets[CHUNK + 4];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct chunk);
} chunks SEC(".maps");

/* A sum under way: what is to be added, and what was. */
struct summing {
	struct xdp_md *ctx;
	__u32 offset, n;
	__s64 sum;
};

static long sum_chunk(__u32 i, struct summing *s)
{
	__u32 zero = 0, size = s->n < CHUNK ? s->n : CHUNK;
	struct chunk *chunk = bpf_map_lookup_elem(&chunks, &zero);

	if (!size || !chunk || bpf_xdp_load_bytes(s->ctx, s->offset, chunk->octets, size))
		return 1;
	*(__u32 *)(chunk->octets + size) = 0;	/* odd ends are filled up with zero */
	s->sum = bpf_csum_diff(0, 0, (__be32 *)chunk->octets, (size + 3) & ~3, s->sum);
	s->offset += size;
	s->n -= size;
	return 0;
}

/* The sum of n octets from offset on, in network order, folded later; -1 if
 * they are not all there. bpf_csum_diff takes 512 octets at once, and from
 * packets only where their number is constant, hence the copy. What bpf_loop
 * calls is verified once, not once for each chunk and each way that leads to
 * it. */
__noinline __s64 sum_octets(struct xdp_md *ctx, __u32 offset, __u32 n)
{
	struct summing s = { .ctx = ctx, .offset = offset, .n = n };

	bpf_loop(CHUNKS, sum_chunk, &s, 0);
	return s.n ? -1 : s.sum;
}

/* Reports whether the checksum of a packet is left to the port that sends it
 * (CHECKSUM_PARTIAL): it is the sum of the pseudo header then, to which the port
 * adds the octets. A virtual link carries such packets as they are. Packets that
 * the kernel has merged (GRO) and cut again are among them, as what it received
 * was verified then. */
static __always_inline int left_to_port(const __u8 *l4, int udp, __u64 pseudo)
{
	return fold(pseudo + (__u16)~AT16(l4, udp ? 6 : 16)) == 0xffff;
}
