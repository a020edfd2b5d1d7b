/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Where a receiver counts the streams of each trial.
 */
#pragma once

#define STREAMS 64

/* Where the streams of each trial are counted when those of any trial are, as one
 * send after the other begins with the same sequence: the place in streams, plus
 * one, by trial and stream. Each CPU gives them out by itself. */
struct slots {
	__u32 used;
	__u8 of[256 * STREAMS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct slots);
} slots SEC(".maps");

/* The place in streams of a stream of a trial; STREAMS: there is none left. */
static __always_inline __u32 slot_of(__u32 id, __u32 trial)
{
	__u32 zero = 0;
	struct slots *all = bpf_map_lookup_elem(&slots, &zero);
	__u8 *slot;

	if (!all || id >= STREAMS || trial > 255)
		return STREAMS;
	slot = &all->of[trial * STREAMS + id];
	if (!*slot) {
		if (all->used >= STREAMS)
			return STREAMS;
		*slot = ++all->used;
	}
	return *slot - 1;
}
