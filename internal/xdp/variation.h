/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * By how much the delays of successive frames of a stream differ.
 */
#pragma once

#include "latency.h"

#define RECENT 4096	/* sequences within which duplicates are recognised, and delays compared; a power of two */

const volatile __u8 varying;	/* compare the delays of successive frames */
const volatile __u32 elsewhere;	/* frames of a stream that go to other ports between two of these */

/* The delay of the frame seen last in each place of a stream. The CPUs at which
 * frames of a stream arrive share these, so that it does not matter where, or in
 * which order, two that follow each other came. */
struct delayed {
	__u32 seen;	/* its sequence plus one */
	__u32 compared;	/* likewise, once its delay was compared with that of the frame before it */
	__u64 delay;	/* ns */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);	/* STREAMS * RECENT if varying */
	__type(key, __u32);
	__type(value, struct delayed);
} delays SEC(".maps");

/* Enters by how much the delay of one frame differs from that of the one before
 * it. Of two CPUs that see both at once one does. */
static __always_inline void compare(const struct delayed *before, struct delayed *frame, __u32 sequence)
{
	if (__sync_lock_test_and_set(&frame->compared, sequence + 1) == sequence + 1)
		return;
	if (frame->delay < before->delay)
		enter(SHORTER, before->delay - frame->delay);
	else
		enter(LONGER, frame->delay - before->delay);
}

/* Keeps the delay of a frame, and compares it with those of the frame before it
 * and of the one behind it in the stream, where these have come. */
static __always_inline void vary(__u32 id, __u32 sequence, __u64 delay)
{
	__u32 before = sequence - 1 - elsewhere, behind = sequence + 1 + elsewhere;
	__u32 key = id * RECENT + (sequence & (RECENT - 1));
	__u32 before_key = id * RECENT + (before & (RECENT - 1)), behind_key = id * RECENT + (behind & (RECENT - 1));
	struct delayed *frame = bpf_map_lookup_elem(&delays, &key), *other;

	if (!frame)
		return;
	frame->delay = delay;
	__sync_lock_test_and_set(&frame->seen, sequence + 1);	/* and whoever sees it sees the delay */
	other = bpf_map_lookup_elem(&delays, &before_key);
	if (other && *(volatile __u32 *)&other->seen == before + 1 && before + 1)
		compare(other, frame, sequence);
	other = bpf_map_lookup_elem(&delays, &behind_key);
	if (other && *(volatile __u32 *)&other->seen == behind + 1 && behind + 1)
		compare(frame, other, behind);
}
