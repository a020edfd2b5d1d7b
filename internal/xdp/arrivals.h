/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What came of the frames of each window of a schedule, by the window in which
 * they were sent: the receiver goes by their time stamps, as it does for a
 * timeline. Each CPU counts by itself.
 */
#pragma once

#define MAX_HALVINGS 15	/* of MaxLoads of the loader, until one is left */

const volatile __u32 windows_n;	/* windows that are counted apart; 0: none */

/* When the windows of a schedule begin, on the clock of the time stamps, and
 * after the last of them a time that never comes; written by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);	/* windows_n + 1 */
	__type(key, __u32);
	__type(value, __u64);
} bounds SEC(".maps");

/* What came of the frames that were sent in a window, as one CPU saw it. */
struct arrived {
	__u64 received;		/* distinct and intact */
	__u64 missing;		/* frames that did not come between two of a stream that did */
	__u64 run;		/* of these the most, one after the other */
	__u64 delay;		/* the greatest, ns */
	__u64 gap;		/* the longest time from one arrival to the next, ns */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);	/* windows_n for each CPU, one CPU after the other */
	__type(key, __u32);
	__type(value, struct arrived);
} arrivals SEC(".maps");

/* The window of the frame that arrived last at a CPU. */
struct place {
	__u64 from, until;	/* its bounds; until is 0 at first */
	__u64 last;		/* when that frame arrived, ns; 0: none has in this window */
	__u32 at;
	__u32 low, high;	/* bounds of the search for it */
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct place);
} places SEC(".maps");

/* When a window begins; a time that never comes for none. */
static __always_inline __u64 bound_of(__u32 at)
{
	__u64 *bound = bpf_map_lookup_elem(&bounds, &at);

	return bound ? *bound : ~0ULL;
}

/* Finds the window in which a frame was sent: mostly the one behind that of the
 * frame before. What was sent before all windows is the first one's. It is no
 * static function so that the verifier looks at it once, and the bounds of the
 * search are in memory so that it does not follow every search there may be. */
__noinline int find_window(struct place *place, __u64 sent)
{
	__u32 mid, i;

	if (!place)
		return 0;
	place->low = 0;
	place->high = windows_n;
	if (place->until && sent >= place->until && sent < bound_of(place->at + 2)) {
		place->low = place->at + 1;
		place->high = place->at + 2;
	}
	for (i = 0; i < MAX_HALVINGS; i++) {
		mid = (place->low + place->high) / 2;
		if (place->low + 1 >= place->high)
			break;
		if (bound_of(mid) <= sent)
			place->low = mid;
		else
			place->high = mid;
		barrier();
	}
	place->at = place->low;
	place->last = 0;
	place->from = place->at ? bound_of(place->at) : 0;
	place->until = bound_of(place->at + 1);
	return 0;
}

/* The place of a frame that was sent then; 0 if windows are not counted. */
static __always_inline struct place *place_of(__u64 sent)
{
	__u32 zero = 0;
	struct place *place = bpf_map_lookup_elem(&places, &zero);

	if (place && (sent < place->from || sent >= place->until))
		find_window(place, sent);
	return place;
}

static __always_inline struct arrived *arrived_in(const struct place *place)
{
	__u32 key = bpf_get_smp_processor_id() * windows_n + place->at;

	return bpf_map_lookup_elem(&arrivals, &key);
}

/* Counts a frame in its window. */
static __always_inline void count_in(struct place *place, __u64 now, __u64 delay)
{
	struct arrived *arrived = arrived_in(place);

	if (arrived) {
		arrived->received++;
		if (delay > arrived->delay)
			arrived->delay = delay;
		if (place->last && now - place->last > arrived->gap)
			arrived->gap = now - place->last;
	}
	place->last = now;
}
