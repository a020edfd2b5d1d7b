//go:build ignore

// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * The data frames of PPPoE sessions (RFC 2516), past the program that has set
 * these up. Three programs move the eight octets of PPPoE's header and PPP's
 * protocol: pop takes them off frames that arrive at the access port, enter puts
 * them before packets that arrive at another port of a router, and leave puts
 * them before those that the stack sends through the device of the sessions.
 *
 * Only what is plain ends here, and nothing is dropped: frames of the discovery,
 * of PPP's own protocols, of sessions that are none, with wrong lengths and with
 * packets that say nothing without their link pass as they came, to the program, which answers and counts them. A packet that is
 * out of its session and takes more than a router's forwarding goes to the stack,
 * as if it had arrived at the access port without one.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/pkt_cls.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>
#include "signature.h"
#include "route.h"

#define PPP_IP 0x0021
#define PPP_IPV6 0x0057
#define PROTOCOL 2	/* octets of it, which LENGTH counts */
#define PPPOE_HLEN 8	/* with PPP's protocol */
#define DATA_FRAME 0x1100	/* version and type are 1, the code that of sessions */

const volatile __u8 routes;	/* whether this host is a router */
const volatile __u8 single;	/* whether all that is sent goes through one session, as at a client */
const volatile __u32 line;	/* the access port, by its index */
const volatile __u32 device;	/* of the sessions */
const volatile __u8 source[8] __attribute__((aligned(8)));	/* the Ethernet address that the access port sends from */

/* What else became of a frame, after the outcomes of routers. */
enum past {
	DELIVERED = OUTCOMES,	/* out of its session, to the stack of a host that is no router */
	CONTROL,	/* in a session's frame, and no IP */
	SCOPE,		/* of the link of a session alone, or to a group */
	SESSION,	/* there is none of this id and peer, or none to this address */
	LENGTH,		/* longer or shorter than the frame has it */
	SEGMENTS,	/* several packets in one, which the stack has yet to segment */
	PASTS,
};

struct tally {
	__u64 frames[PASTS];
};

enum { POP, ENTER, LEAVE, PROGRAMS };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PROGRAMS);
	__type(key, __u32);
	__type(value, struct tally);
} tallies SEC(".maps");

/* What tells a session at this end from others (section 4). */
struct session {
	__u8 peer[6];
	__u16 id;	/* as in frames */
};

/* The maps have room for all sessions that a concentrator has, and for an address
 * of each family of theirs; it is taken as it is needed. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65535);
	__type(key, struct session);
	__type(value, __u8);
} sessions SEC(".maps");

struct destination {
	__u32 words[4];	/* of IPv6; of IPv4 the last, behind those that RFC 4291 section 2.5.5.2 has */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 2 * 65535);
	__type(key, struct destination);	/* where there is a single session, zero */
	__type(value, struct session);
} peers SEC(".maps");

static __always_inline void count(__u32 program, __u32 outcome)
{
	struct tally *tally = bpf_map_lookup_elem(&tallies, &program);

	if (tally && outcome < PASTS)
		tally->frames[outcome]++;
}

/* The octets of the IP packet at ip, by its own header; 0: it is none of this
 * Ethernet type. */
static __always_inline __u32 packet_length(__u16 type, __u8 *ip, __u8 *end)
{
	if (type == bpf_htons(ETH_P_IP))
		return ip + IP4_HLEN <= end && ip[0] >> 4 == 4 ? bpf_ntohs(AT16(ip, 2)) : 0;
	return ip + IP6_HLEN <= end && ip[0] >> 4 == 6 ? IP6_HLEN + bpf_ntohs(AT16(ip, 4)) : 0;
}

/* Whether a packet has to arrive by the device of the sessions: its addresses say
 * nothing without the link, of which the access port is another one. */
static __always_inline int scoped(__u16 type, __u8 *ip, __u8 *end)
{
	if (type == bpf_htons(ETH_P_IP))
		return ip + IP4_HLEN <= end && ip[16] >> 5 == 7;
	return ip + IP6_HLEN <= end && (stays6(ip + 8) || stays6(ip + 24));
}

/* Whether this is a frame with a packet of a session, and of which type. */
static __always_inline __u32 data_frame(struct xdp_md *ctx, __u8 *data, __u8 *end, __u16 *type)
{
	__u8 *ip = data + ETH_HLEN + PPPOE_HLEN;
	struct session s = {};
	__u32 length, octets;

	if (ip > end || !for_this_port(data) || AT16(data, 12) != bpf_htons(0x8864))
		return LINK;
	if (AT16(data, 14) != bpf_htons(DATA_FRAME))
		return CONTROL;
	if (AT16(data, 20) == bpf_htons(PPP_IP))
		*type = bpf_htons(ETH_P_IP);
	else if (AT16(data, 20) == bpf_htons(PPP_IPV6))
		*type = bpf_htons(ETH_P_IPV6);
	else
		return CONTROL;
	copy(s.peer, data + ETH_ALEN, ETH_ALEN);
	s.id = AT16(data, 16);
	if (!bpf_map_lookup_elem(&sessions, &s))
		return SESSION;
	/* What follows the packet is padding, of PPP (RFC 1661 section 2) or of
	 * Ethernet. */
	length = bpf_ntohs(AT16(data, 18));
	octets = packet_length(*type, ip, end);
	if (!octets || octets + PROTOCOL > length || !whole(ctx, length - PROTOCOL, ip, end))
		return LENGTH;
	return scoped(*type, ip, end) ? SCOPE : FORWARDED;
}

SEC("xdp.frags")
int pop(struct xdp_md *ctx)
{
	__u8 *data = (__u8 *)(long)ctx->data, *end = (__u8 *)(long)ctx->data_end;
	__u8 to[8] __attribute__((aligned(8))) = {}, from[8] __attribute__((aligned(8))) = {};
	struct bpf_fib_lookup q = {};
	__u16 type = 0;
	__u32 outcome = data_frame(ctx, data, end, &type);

	if (outcome != FORWARDED)
		goto as_it_came;
	copy(to, data, ETH_ALEN);
	copy(from, data + ETH_ALEN, ETH_ALEN);
	outcome = routes ? route(ctx, &q, type, data + ETH_HLEN + PPPOE_HLEN, end) : DELIVERED;
	if (outcome == FORWARDED) {
		AT16(to, 0) = AT16(q.dmac, 0);	/* it is at no multiple of four */
		AT16(to, 2) = AT16(q.dmac, 2);
		AT16(to, 4) = AT16(q.dmac, 4);
		copy(from, q.smac, ETH_ALEN);
	}
	if (bpf_xdp_adjust_head(ctx, PPPOE_HLEN)) {
		outcome = LENGTH;
		goto as_it_came;
	}
	data = (__u8 *)(long)ctx->data;
	end = (__u8 *)(long)ctx->data_end;
	if (data + ETH_HLEN + IP4_HLEN > end)	/* never: it was seen */
		return XDP_ABORTED;
	copy(data, to, ETH_ALEN);
	copy(data + ETH_ALEN, from, ETH_ALEN);
	AT16(data, 12) = type;
	if (outcome == FORWARDED)
		age(type, data + ETH_HLEN, end);
as_it_came:
	count(POP, outcome);
	return outcome == FORWARDED ? XDP_REDIRECT : XDP_PASS;
}

/* The session that leads to an address. */
static __always_inline struct session *session_to(const __u32 *destination, const int words)
{
	struct destination a = {};

	if (!single && words == 1) {
		a.words[2] = bpf_htonl(0xffff);
		a.words[3] = destination[0];
	} else if (!single) {
		copy((__u8 *)a.words, (__u8 *)destination, 16);
	}
	return bpf_map_lookup_elem(&peers, &a);
}

/* Writes the headers before a packet of n octets. */
static __always_inline void write_headers(__u8 *frame, const struct session *to, __u16 type, __u32 n)
{
	copy(frame, to->peer, ETH_ALEN);
	AT32(frame, 6) = *(const volatile __u32 *)source;
	AT16(frame, 10) = *(const volatile __u16 *)(source + 4);
	AT16(frame, 12) = bpf_htons(0x8864);
	AT16(frame, 14) = bpf_htons(DATA_FRAME);
	AT16(frame, 16) = to->id;
	AT16(frame, 18) = bpf_htons(n + PROTOCOL);
	AT16(frame, 20) = type == bpf_htons(ETH_P_IP) ? bpf_htons(PPP_IP) : bpf_htons(PPP_IPV6);
}

static __always_inline __u32 entered(struct xdp_md *ctx)
{
	__u8 *data = (__u8 *)(long)ctx->data, *end = (__u8 *)(long)ctx->data_end, *ip = data + ETH_HLEN;
	struct bpf_fib_lookup q = {};
	struct session *to;
	__u32 outcome, length;
	__u16 type;

	if (ip + IP4_HLEN > end || !for_this_port(data))
		return LINK;
	type = AT16(data, 12);
	outcome = ask(ctx, &q, type, ip, end);
	if (outcome != FORWARDED)
		return outcome;
	to = type == bpf_htons(ETH_P_IP) ? session_to(&q.ipv4_dst, 1) : session_to(q.ipv6_dst, 4);
	if (!to)
		return SESSION;
	/* The device of the sessions is one to the tables, with an MTU and without
	 * neighbours. */
	length = q.tot_len;
	q.ifindex = ctx->ingress_ifindex;
	if (bpf_fib_lookup(ctx, &q, sizeof(q), BPF_FIB_LOOKUP_SKIP_NEIGH) != BPF_FIB_LKUP_RET_SUCCESS)
		return ROUTE;
	if (q.ifindex != device || bpf_redirect_map(&ports, line, XDP_PASS) != XDP_REDIRECT)
		return PORT;
	if (bpf_xdp_adjust_head(ctx, -PPPOE_HLEN))
		return PORT;
	data = (__u8 *)(long)ctx->data;
	end = (__u8 *)(long)ctx->data_end;
	ip = data + ETH_HLEN + PPPOE_HLEN;
	if (ip + IP4_HLEN > end)	/* never: it was seen */
		return LINK;
	write_headers(data, to, type, length);
	age(type, ip, end);
	return FORWARDED;
}

SEC("xdp.frags")
int enter(struct xdp_md *ctx)
{
	__u32 outcome = entered(ctx);

	count(ENTER, outcome);
	return outcome == FORWARDED ? XDP_REDIRECT : XDP_PASS;
}

static __always_inline __u32 left(struct __sk_buff *skb)
{
	__u16 type = skb->protocol;
	__u32 destination[4] = {}, length = skb->len;
	struct session *to;
	__u8 *data;

	/* Their lengths would be wrong once they are segments. */
	if (skb->gso_size)
		return SEGMENTS;
	if (type == bpf_htons(ETH_P_IP)) {
		if (bpf_skb_load_bytes(skb, 16, destination, 4))
			return LENGTH;
		to = session_to(destination, 1);
	} else if (type == bpf_htons(ETH_P_IPV6)) {
		if (bpf_skb_load_bytes(skb, 24, destination, 16))
			return LENGTH;
		to = session_to(destination, 4);
	} else {
		return LINK;
	}
	if (!to)
		return SESSION;
	if (bpf_skb_change_head(skb, ETH_HLEN + PPPOE_HLEN, 0))
		return PORT;
	data = (__u8 *)(long)skb->data;
	if (data + ETH_HLEN + PPPOE_HLEN > (__u8 *)(long)skb->data_end)
		return PORT;	/* never: it was made */
	write_headers(data, to, type, length);
	return FORWARDED;
}

SEC("tc")
int leave(struct __sk_buff *skb)
{
	__u32 outcome = left(skb);

	count(LEAVE, outcome);
	return outcome == FORWARDED ? bpf_redirect(line, 0) : TC_ACT_UNSPEC;
}

char _license[] SEC("license") = "Dual BSD/GPL";
