/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * When frames leave: what every generator program has in common. It is run once
 * a turn, and asks leaves() whether a frame leaves in this one. If so it builds
 * it, with progress.now as its time stamp and progress.sequence[side] as its
 * sequence, says has_left(side), and redirects it.
 *
 * A run is a schedule of windows, each a load for a time; a trial of one load
 * has one. One loaded instance serves one sending thread, so nothing here is
 * shared.
 */
#pragma once
#include "timeline.h"

#define LOOPBACK 1	/* interface index; runs appear to come from there */
#define BULK 64		/* a power of two: how often the clock is read without a pace */
#define PAUSE 5000000	/* ns; a sender that did not run for longer was paused, if it is not as slow as that: receivers on its CPU take less */
#define USUAL 64	/* four asks a batch without a pace, and then one that takes long, by 16 */
#define SIDES 16	/* ports that one thread sends through at most; a power of two */

const volatile __u8 paced;	/* 0: as fast as possible */

/* A load and its time. All times are CLOCK_MONOTONIC, ns, and later when a run
 * of one window begins after the start. */
struct window {
	__u64 first;		/* when the first burst is due */
	__u64 end;		/* when no more frames leave */
	__u64 count;		/* frames to send, no more */
	__u64 burst;		/* frames that leave at once, mostly 1 */
	__u64 period, period_fraction;	/* between bursts: ns, and 2^-32 ns */
	__u64 quick;		/* shortest mean distance while making up for a stall, ns */
	__u64 ahead;		/* ns that bursts may run ahead of that distance */
	__u32 side, until;	/* the ports that it sends through in turn: the first one, and the one after the last */
};

/* The windows of a run; written by the loader before it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct window);
} schedule SEC(".maps");

/* What has left in each window that is over, how late the latest of it was, the
 * longest time in which nobody asked whether a frame is due, in which the
 * generator did not run, and the sum of those that were pauses. */
struct departed {
	__u64 frames;
	__u64 longest, gap, paused;	/* ns */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct departed);
} departures SEC(".maps");

/* What a trial asks; written by the loader before the run. */
struct order {
	__u64 start;
	__u32 windows;
	__u8  trial, pad[3];
};
struct order order;

/* How far it came; written with zeros before the run, read by the loader. */
struct progress {
	__u64 sequence[SIDES];	/* frames built for each side */
	__u64 frames;		/* built for all of them */
	__u64 limit;		/* frames that may be built until the window ends */
	__u64 due, due_fraction;	/* when the next burst should leave */
	__u64 earliest;		/* when it may leave at the earliest, plus ahead */
	__u64 burst;		/* frames of the last one that are still to leave */
	__u64 now;		/* the clock as it was read last */
	__u64 last;		/* when the last frame left, if paced */
	__u64 stalls, longest;	/* times when a due burst had to wait, ns; longest in the window under way */
	__u64 asked;		/* when somebody asked last whether a frame is due, in a window */
	__u64 gap, paused;	/* longest time in which nobody asked, in the window under way, and the sum of pauses, ns */
	__u64 asks;		/* how often somebody has asked, in the window under way */
	__u64 delay;		/* how much later than ordered the run began, ns */
	__u64 before;		/* frames built before the window under way */
	__u32 at;		/* the number of that window */
	__u8  begun, done, pad[2];
	struct window window;	/* a copy of it, which is at hand */
};
struct progress progress;

/* Is a frame due? Each burst has its place in the schedule, first + n x period.
 * One that is late leaves at once as long as those of the last moments are not
 * too many, and otherwise follows the one before it at the quick distance: a
 * stall is made up for gently or not at all. */
static __always_inline int is_due(__u64 now)
{
	const struct window *window = &progress.window;
	__u64 fraction, late;

	if (progress.burst) {
		progress.burst--;
		return 1;
	}
	if (now < progress.due || now + window->ahead < progress.earliest)
		return 0;
	late = now - progress.due;
	if (late > window->ahead + window->period) {
		progress.stalls++;
		if (late > progress.longest)
			progress.longest = late;
	}
	progress.earliest = (progress.earliest > now ? progress.earliest : now) + window->quick;
	fraction = progress.due_fraction + window->period_fraction;
	progress.due += window->period + (fraction >> 32);
	progress.due_fraction = fraction & 0xffffffff;
	progress.burst = window->burst - 1;
	return 1;
}

/* Begins the window that is under way by now. What frames are due depends on
 * nothing that the one before it did not send. */
static __always_inline void begin_window(__u32 at)
{
	const struct window *window = bpf_map_lookup_elem(&schedule, &at);

	if (!window) {
		progress.done = 1;
		return;
	}
	progress.window = *window;
	progress.at = at;
	progress.before = progress.frames;
	progress.limit = progress.frames + window->count;
	progress.due = window->first + progress.delay;
	progress.due_fraction = 0;
	progress.earliest = 0;
	progress.burst = 0;
	progress.longest = 0;
	progress.gap = 0;
	progress.paused = 0;
	progress.asks = 0;
}

/* Notes for how long nobody has asked by now, within the window under way. That
 * is a pause where it is USUAL times as long as on average so far: the frames of
 * a batch, with what a box on this CPU does to them, may take longer than a PAUSE. */
static __always_inline void note_gap(__u64 now)
{
	__u64 from = progress.window.first + progress.delay, until = progress.window.end + progress.delay;
	__u64 gap;

	if (progress.asked > from)
		from = progress.asked;
	if (now < until)
		until = now;
	if (until <= from)
		return;
	gap = until - from;
	if (gap > progress.gap)
		progress.gap = gap;
	if (gap > PAUSE && progress.asks && gap / USUAL * progress.asks > from - progress.window.first - progress.delay - progress.paused)
		progress.paused += gap;
}

/* Keeps what left in the window under way, which is over. A frame that has not
 * left was late until the end. */
static __always_inline void end_window(void)
{
	__u64 end = progress.window.end + progress.delay;
	__u32 at = progress.at;
	struct departed *departed = bpf_map_lookup_elem(&departures, &at);

	if (paced && progress.frames < progress.limit && progress.due < end && end - progress.due > progress.longest)
		progress.longest = end - progress.due;
	if (departed) {
		departed->frames = progress.frames - progress.before;
		departed->longest = progress.longest;
		departed->gap = progress.gap;
		departed->paused = progress.paused;
	}
	if (at + 1 < order.windows)
		begin_window(at + 1);
	else
		progress.done = 1;
}

/* Is it time? Reads the clock, and learns when the run and its windows begin and
 * end. What a window has not sent by its end is not sent any more. One window
 * alone has its whole time, whenever the kernel begins with it; several keep to
 * the clock, as those who count their frames know no other. */
static __always_inline int in_time(void)
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
		if (order.windows == 1)
			progress.delay = now - order.start;
		begin_window(0);
	}
	note_gap(now);
	if (progress.frames < progress.limit && now < progress.window.end + progress.delay) {
		progress.asked = now;
		progress.asks++;
		return 1;
	}
	end_window();	/* and the next one notes the same gap, as far as it is its own */
	return 0;
}

/* Does a frame leave in this turn? */
static __always_inline int leaves(void)
{
	/* Reading the clock waits for all that goes before it to end, which would
	 * more than halve the rate. So without a pace it is read every BULK frames,
	 * and the time stamps are as coarse. */
	if (!paced && progress.frames % BULK) {
		if (progress.frames < progress.limit)
			return 1;
		progress.done = 1;
		return 0;
	}
	return in_time() && (!paced || is_due(progress.now));
}

/* The side of the next frame, when this one would follow the last frame's. */
static __always_inline __u32 side_of(__u32 next)
{
	const struct window *window = &progress.window;

	return (next >= window->side && next < window->until ? next : window->side) & (SIDES - 1);
}

/* A frame for a side has been built. */
static __always_inline void has_left(__u32 side)
{
	__u32 *step;

	progress.sequence[side & (SIDES - 1)]++;
	progress.frames++;
	if (paced)
		progress.last = progress.now;
	if (steps_n) {
		step = step_of(progress.now);
		if (step)
			(*step)++;
	}
}
