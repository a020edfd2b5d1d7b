//go:build ignore

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Notes when threads that want to run are kept from their CPUs by others than
 * themselves. It is run at each change of threads on each CPU.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define THREADS 64	/* that are watched at most */

/* What is read of the kernel's own, wherever that has it. */
struct task_struct {
	int pid;
	unsigned int __state;
} __attribute__((preserve_access_index));

struct watched {
	__u32 n;
	__u32 threads[THREADS];
};
struct watched watched;	/* written by the loader */

/* A time in which one of them was kept waiting, CLOCK_MONOTONIC, ns. */
struct stretch {
	__u64 from, until;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct stretch);
} stretches SEC(".maps");
__u32 noted;	/* how many there are, those for which there was no room included */

/* Since when a watched thread waits for a CPU; 0: none does. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} waiting SEC(".maps");

static __always_inline int is_watched(__u32 thread)
{
	__u32 i;

	for (i = 0; i < THREADS; i++) {
		if (i >= watched.n)
			return 0;
		if (watched.threads[i] == thread)
			return 1;
	}
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, int preempted, struct task_struct *from, struct task_struct *to)
{
	int leaves, comes;
	struct stretch *stretch;
	__u64 *since, now;
	__u32 key = 0;

	if (!watched.n)
		return 0;
	leaves = is_watched(from->pid);
	comes = is_watched(to->pid);
	if (leaves == comes)
		return 0;
	since = bpf_map_lookup_elem(&waiting, &key);
	if (!since)
		return 0;
	if (leaves) {	/* one that sleeps, or leaves the CPU idle, wants nothing */
		*since = from->__state || !to->pid ? 0 : bpf_ktime_get_ns();
		return 0;
	}
	if (!*since)
		return 0;
	now = bpf_ktime_get_ns();
	key = __sync_fetch_and_add(&noted, 1);
	stretch = bpf_map_lookup_elem(&stretches, &key);
	if (stretch) {
		stretch->from = *since;
		stretch->until = now;
	}
	*since = 0;
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
