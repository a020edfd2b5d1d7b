/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * When frames leave: what every generator program has in common. It is run once
 * a turn, and asks leaves() whether a frame leaves in this one. If so it builds
 * it, with progress.now as its time stamp and progress.sequence[side] as its
 * sequence, says has_left(side), and redirects it.
 *
 * One loaded instance serves one sending thread, so nothing here is shared.
 */
#pragma once
#include "timeline.h"

#define LOOPBACK 1	/* interface index; runs appear to come from there */
#define BULK 64		/* a power of two: how often the clock is read without a pace */
#define SIDES 16	/* ports that one thread sends through at most; a power of two */
#define PHASES 2	/* likewise */

const volatile __u8 paced;	/* 0: as fast as possible */

/* A load and its time. All times are CLOCK_MONOTONIC, ns, and later when the
 * run begins after the start. */
struct phase {
	__u64 first;		/* when the first burst is due */
	__u64 end;		/* when no more frames leave */
	__u64 count;		/* frames to send, no more */
	__u64 burst;		/* frames that leave at once, mostly 1 */
	__u64 period, period_fraction;	/* between bursts: ns, and 2^-32 ns */
	__u64 quick;		/* shortest mean distance while making up for a stall, ns */
	__u64 ahead;		/* ns that bursts may run ahead of that distance */
};

/* What a trial asks; written by the loader before the run. */
struct order {
	__u64 start;
	struct phase phase[PHASES];
	__u8  phases, trial, pad[6];
};
struct order order;

/* How far it came; written with zeros before the run, read by the loader. */
struct progress {
	__u64 sequence[SIDES];	/* frames built for each side */
	__u64 frames;		/* built for all of them */
	__u64 limit;		/* frames that may be built until the phase ends */
	__u64 due, due_fraction;	/* when the next burst should leave */
	__u64 earliest;		/* when it may leave at the earliest, plus ahead */
	__u64 burst;		/* frames of the last one that are still to leave */
	__u64 now;		/* the clock as it was read last */
	__u64 last;		/* when the last frame left, if paced */
	__u64 stalls, longest;	/* times when a due burst had to wait, ns */
	__u64 delay;		/* how much later than ordered the run began, ns */
	__u32 phase;
	__u8  begun, done, pad[2];
};
struct progress progress;

/* Is a frame due? Each burst has its place in the schedule, first + n x period.
 * One that is late leaves at once as long as those of the last moments are not
 * too many, and otherwise follows the one before it at the quick distance: a
 * stall is made up for gently or not at all. */
static __always_inline int is_due(__u64 now)
{
	const struct phase *phase = &order.phase[progress.phase & (PHASES - 1)];
	__u64 fraction, late;

	if (progress.burst) {
		progress.burst--;
		return 1;
	}
	if (now < progress.due || now + phase->ahead < progress.earliest)
		return 0;
	late = now - progress.due;
	if (late > phase->ahead + phase->period) {
		progress.stalls++;
		if (late > progress.longest)
			progress.longest = late;
	}
	progress.earliest = (progress.earliest > now ? progress.earliest : now) + phase->quick;
	fraction = progress.due_fraction + phase->period_fraction;
	progress.due += phase->period + (fraction >> 32);
	progress.due_fraction = fraction & 0xffffffff;
	progress.burst = phase->burst - 1;
	return 1;
}

static __always_inline void begin_phase(__u32 i)
{
	const struct phase *phase = &order.phase[i & (PHASES - 1)];

	progress.phase = i;
	progress.limit = progress.frames + phase->count;
	progress.due = phase->first + progress.delay;
	progress.due_fraction = 0;
	progress.earliest = 0;
	progress.burst = 0;
}

/* Is it time? Reads the clock, and learns when the run and its phases begin and
 * end. What a phase has not sent by its end is not sent any more. */
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
		progress.delay = now - order.start;
		begin_phase(0);
	}
	if (progress.frames < progress.limit &&
	    now < order.phase[progress.phase & (PHASES - 1)].end + progress.delay)
		return 1;
	if (progress.phase + 1 < order.phases)
		begin_phase(progress.phase + 1);
	else
		progress.done = 1;
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
