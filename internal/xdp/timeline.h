/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * Frames by the time at which they were sent. Generator and receiver count into
 * the same steps, because both go by the time stamp that the frame carries.
 */
#pragma once

const volatile __u32 steps_n;	/* 0: no timeline is kept */

/* How time is divided; written by the loader before the run. */
struct grid {
	__u64 start;	/* of the first step, CLOCK_MONOTONIC, ns */
	__u32 shift;	/* a step is 2^shift ns long */
	__u32 pad;
};
struct grid grid;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} steps SEC(".maps");

/* The count of the step in which a frame was sent. Outside of the grid it is
 * the nearest one, so that no frame is missing. */
static __always_inline __u32 *step_of(__u64 sent)
{
	__u64 step = sent > grid.start ? (sent - grid.start) >> (grid.shift & 63) : 0;
	__u32 key = step < steps_n ? step : steps_n - 1;

	return bpf_map_lookup_elem(&steps, &key);
}
