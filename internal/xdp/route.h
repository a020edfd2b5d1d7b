/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What a router asks of an IP packet before it forwards it, where it then
 * leaves by the kernel's own tables, and what it changes.
 */
#pragma once

#define AF_INET 2
#define AF_INET6 10
#define IP4_HLEN 20
#define IP6_HLEN 40

const volatile __u8 address[8] __attribute__((aligned(8)));	/* of this port, and 2 octets of nothing */

/* What became of a frame. */
enum outcome {
	FORWARDED,
	LINK,		/* no IP packet, or not sent to this port alone */
	HEADER,		/* wrong, at its last hop, or with options that a router has to see */
	ADDRESS,	/* none that a router forwards */
	ROUTE,		/* for the DUT itself, no route or neighbour, or too large */
	PORT,		/* it leaves as it came, or through a port without a program */
	OUTCOMES,
};

/* The ports that can be left through, by their interface index. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 1);	/* set by the loader */
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

/* A frame to another station is none of ours, and one to all or to a group must
 * not be forwarded (RFC 1812 section 5.3.4). */
static __always_inline int for_this_port(const __u8 *destination)
{
	return AT32(destination, 0) == *(const volatile __u32 *)address &&
	       AT16(destination, 4) == *(const volatile __u16 *)(address + 4);
}

/* Whether a packet of this length arrived whole. The pages after the first one
 * are not in sight, and seldom there. */
static __always_inline int whole(struct xdp_md *ctx, __u32 length, const __u8 *ip, const __u8 *end)
{
	return length <= end - ip || length + (ip - (__u8 *)(long)ctx->data) <= bpf_xdp_get_buff_len(ctx);
}

/* Reads an IPv4 header into the question for the tables. */
static __always_inline enum outcome ask4(struct xdp_md *ctx, struct bpf_fib_lookup *q, __u8 *ip, __u8 *end)
{
	__u32 source, destination;
	__u64 sum;

	/* RFC 1812 section 5.2.2: what has to be right before it is forwarded.
	 * Packets with options are longer than five words; section 5.3.13 says
	 * what a router owes them. */
	if (ip + IP4_HLEN > end || ip[0] != 0x45)
		return HEADER;
	q->tot_len = bpf_ntohs(AT16(ip, 2));
	if (q->tot_len < IP4_HLEN || !whole(ctx, q->tot_len, ip, end))
		return HEADER;
	sum = (__u64)AT32(ip, 0) + AT32(ip, 4) + AT32(ip, 8) + AT32(ip, 12) + AT32(ip, 16);
	if (fold(sum) != 0xffff)	/* in any order of octets (RFC 1071) */
		return HEADER;
	/* RFC 1812 section 5.3.1: one that would be 0 is not forwarded. */
	if (ip[8] <= 1)
		return HEADER;

	/* RFC 1812 section 5.3.7: neither address may be on network 0 or 127,
	 * for a group or reserved. */
	source = bpf_ntohl(AT32(ip, 12));
	destination = bpf_ntohl(AT32(ip, 16));
	if (source >> 24 == 0 || source >> 24 == 127 || source >> 29 == 7)
		return ADDRESS;
	if (destination >> 24 == 0 || destination >> 24 == 127 || destination >> 29 == 7)
		return ADDRESS;
	q->family = AF_INET;
	q->tos = ip[1];
	q->l4_protocol = ip[9];
	q->ipv4_src = AT32(ip, 12);
	q->ipv4_dst = AT32(ip, 16);
	return FORWARDED;
}

/* Unspecified, loopback (and what else begins with 64 zeros), link-local or
 * multicast: RFC 4291 sections 2.5.2, 2.5.3, 2.5.6 and 2.7. */
static __always_inline int stays6(const __u8 *a)
{
	return AT64(a, 0) == 0 || (AT16(a, 0) & bpf_htons(0xffc0)) == bpf_htons(0xfe80) || a[0] == 0xff;
}

/* Reads an IPv6 header into the question for the tables. */
static __always_inline enum outcome ask6(struct xdp_md *ctx, struct bpf_fib_lookup *q, __u8 *ip, __u8 *end)
{
	__u32 length;

	if (ip + IP6_HLEN > end || ip[0] >> 4 != 6)
		return HEADER;
	length = IP6_HLEN + bpf_ntohs(AT16(ip, 4));
	if (length > 0xffff || !whole(ctx, length, ip, end))
		return HEADER;
	/* RFC 8200 section 3: one that would be 0 is not forwarded. */
	if (ip[7] <= 1)
		return HEADER;
	/* RFC 8200 section 4: on its way nobody looks at extension headers but
	 * that for every hop (section 4.3), which comes first and is 0. A length
	 * of 0 has a jumbogram, which tells its own there (RFC 2675). */
	if (ip[6] == IPPROTO_HOPOPTS)
		return HEADER;
	if (stays6(ip + 8) || stays6(ip + 24))
		return ADDRESS;
	q->family = AF_INET6;
	q->tot_len = length;
	q->flowinfo = AT32(ip, 0) & bpf_htonl(0x0fffffff);
	q->l4_protocol = ip[6];
	copy((__u8 *)q->ipv6_src, ip + 8, 16);
	copy((__u8 *)q->ipv6_dst, ip + 24, 16);
	return FORWARDED;
}

/* Takes one from the time to live, and changes the checksum by as much (RFC
 * 1812 section 4.2.2.5 allows it, RFC 1624 equation 3 says how). */
static __always_inline void age4(__u8 *ip)
{
	__u32 sum = (__u16)~AT16(ip, 10) + (__u16)~AT16(ip, 8);

	ip[8]--;
	AT16(ip, 10) = ~fold((__u64)sum + AT16(ip, 8));
}

/* Reads the header of a packet of this Ethernet type into the question. */
static __always_inline enum outcome ask(struct xdp_md *ctx, struct bpf_fib_lookup *q, __u16 type, __u8 *ip, __u8 *end)
{
	if (type == bpf_htons(ETH_P_IP))
		return ask4(ctx, q, ip, end);
	if (type == bpf_htons(ETH_P_IPV6))
		return ask6(ctx, q, ip, end);
	return LINK;	/* with a VLAN tag too: the VLAN's interface is the stack's */
}

/* Finds the way of a packet and takes it; q then has the addresses of its frame,
 * in which nothing is changed yet. */
static __always_inline enum outcome route(struct xdp_md *ctx, struct bpf_fib_lookup *q, __u16 type, __u8 *ip, __u8 *end)
{
	enum outcome outcome = ask(ctx, q, type, ip, end);

	if (outcome != FORWARDED)
		return outcome;

	/* Anything but success is for the stack: it answers for the DUT (local),
	 * with an ICMP error (unreachable, prohibited, to be fragmented), by
	 * asking for the neighbour, or not at all (forwarding is turned off). */
	q->ifindex = ctx->ingress_ifindex;
	if (bpf_fib_lookup(ctx, q, sizeof(*q), 0) != BPF_FIB_LKUP_RET_SUCCESS)
		return ROUTE;
	/* The sender had better been told of a shorter way (RFC 1812 section
	 * 5.2.7.2, RFC 4861 section 8.2). */
	if (q->ifindex == ctx->ingress_ifindex)
		return PORT;
	/* Nothing is changed before it is sure that the frame leaves. */
	if (bpf_redirect_map(&ports, q->ifindex, XDP_PASS) != XDP_REDIRECT)
		return PORT;
	return FORWARDED;
}

/* Takes a hop from a packet that was asked about. */
static __always_inline void age(__u16 type, __u8 *ip, __u8 *end)
{
	if (type == bpf_htons(ETH_P_IP) && ip + IP4_HLEN <= end)
		age4(ip);
	else if (ip + IP6_HLEN <= end)	/* as it is */
		ip[7]--;
}
