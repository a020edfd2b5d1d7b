/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Histograms of times, each power of two of which has as many buckets. Each CPU
 * has its own.
 */
#pragma once

#define SUB_BITS 7	/* 128 buckets for each power of two */
#define SUB (1 << SUB_BITS)
#define MAX_BITS 37
#define BUCKETS ((MAX_BITS - SUB_BITS + 1) * SUB)

struct latency {
	__u64 count, sum, min, max;	/* ns */
	__u64 buckets[BUCKETS];
};

/* What is in which histogram: latencies; by how much they grew, zero included,
 * or shrank from one frame of a stream to the next; and round trips. */
enum { LATENCY, LONGER, SHORTER, ROUND_TRIP };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);	/* three if varying, all with round trips */
	__type(key, __u32);
	__type(value, struct latency);
} latencies SEC(".maps");

static __always_inline __u32 bucket_of(__u64 ns)
{
	__u32 exponent = 0, shift;
	__u64 v = ns;

	if (ns < SUB)
		return ns;
	if (ns >> MAX_BITS)
		return BUCKETS - 1;
	if (v >> 32) { exponent += 32; v >>= 32; }
	if (v >> 16) { exponent += 16; v >>= 16; }
	if (v >> 8) { exponent += 8; v >>= 8; }
	if (v >> 4) { exponent += 4; v >>= 4; }
	if (v >> 2) { exponent += 2; v >>= 2; }
	if (v >> 1) exponent += 1;
	shift = exponent - SUB_BITS;
	return (shift + 1) * SUB + (__u32)(ns >> (shift & 63)) - SUB;
}

static __always_inline void enter(__u32 histogram, __u64 ns)
{
	struct latency *l = bpf_map_lookup_elem(&latencies, &histogram);
	__u32 b = bucket_of(ns);

	if (!l || b >= BUCKETS)
		return;
	if (!l->count || ns < l->min)
		l->min = ns;
	if (ns > l->max)
		l->max = ns;
	l->count++;
	l->sum += ns;
	l->buckets[b]++;
}
