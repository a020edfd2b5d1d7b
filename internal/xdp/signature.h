/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * The signature that every test frame carries at the start of its payload, in
 * network order:
 *
 *   full:   magic 16, stream 8, trial 8, sequence 48, time 64 (ns)   18 octets
 *   short:  magic 16, stream 8, trial 8, sequence 32, time 32 (ns)   12 octets
 *
 * The short form is for frames with room for no more; it leaves out the upper
 * parts of sequence and time.
 *
 * Octets are read and written through whole words at any address: with packed
 * structures the compiler would move them one by one.
 */
#pragma once

#define MAGIC_FULL  0x7765
#define MAGIC_SHORT 0x7769
#define BACK 0x0002	/* of the magic number of a frame that its receiver has sent back */
#define FULL_SIGNATURE 18
#define SHORT_SIGNATURE 12

#define AT16(p, offset) (*(__u16 *)((__u8 *)(p) + (offset)))
#define AT32(p, offset) (*(__u32 *)((__u8 *)(p) + (offset)))
#define AT64(p, offset) (*(__u64 *)((__u8 *)(p) + (offset)))

/* The ones' complement sum of RFC 1071 of values in host order, as 16 bits. */
static __always_inline __u16 fold(__u64 sum)
{
	__u32 s;

	sum = (sum & 0xffffffff) + (sum >> 32);
	s = (__u32)sum + (__u32)(sum >> 32);
	s += s << 16 | s >> 16;	/* both halves, with the carry in the upper one */
	return s >> 16;
}

/* What is nearest to the expected whose low 32 bits are these. */
static __always_inline __u64 extend(__u64 expected, __u32 low)
{
	return expected + (__s32)(low - (__u32)expected);
}

/* Copies n octets, n constant; source and destination as above. */
static __always_inline void copy(__u8 *to, const __u8 *from, const int n)
{
	int i = 0;

#pragma unroll
	for (; i + 8 <= n; i += 8)
		AT64(to, i) = AT64(from, i);
	if (n & 4) {
		AT32(to, i) = AT32(from, i);
		i += 4;
	}
	if (n & 2)
		AT16(to, i) = AT16(from, i);
}

/* Writes a signature, and returns the sum of its words, to be folded. */
static __always_inline __u64 write_signature(__u8 *at, const int brief_form, __u8 stream, __u8 trial,
					     __u64 sequence, __u64 now)
{
	const __u32 magic = brief_form ? MAGIC_SHORT : MAGIC_FULL;
	__u32 id = (__u32)stream << 8 | trial;

	AT32(at, 0) = bpf_htonl(magic << 16 | id);
	if (brief_form) {
		AT32(at, 4) = bpf_htonl((__u32)sequence);
		AT32(at, 8) = bpf_htonl((__u32)now);
		return magic + id + (sequence & 0xffffffff) + (now & 0xffffffff);
	}
	AT16(at, 4) = bpf_htons((__u16)(sequence >> 32));
	AT32(at, 6) = bpf_htonl((__u32)sequence);
	AT64(at, 10) = bpf_cpu_to_be64(now);
	return magic + id + ((sequence >> 32) & 0xffff) + (sequence & 0xffffffff) + (now >> 32) + (now & 0xffffffff);
}
