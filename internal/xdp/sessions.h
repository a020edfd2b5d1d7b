/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * PPPoE sessions inside which test frames come to a receiver, and whose they are.
 */
#pragma once

#include "back.h"

#define PPPOE_HLEN 8	/* with the protocol of PPP */
#define PPPOE_SESSION 0x1100	/* version, type and code */
#define PPP_IP 0x0021
#define PPP_IPV6 0x0057

/* The client of a session, by the session's id. */
struct client {
	__u8 ethernet[6];
	__u16 there;		/* whether there is such a session */
	__u32 ipv4;
	__u32 ipv6[4];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);	/* one for each id, if they come inside sessions */
	__type(key, __u32);
	__type(value, struct client);
} clients SEC(".maps");

/* The type of the packet behind a header of PPPoE; 0: none that counts. */
static __always_inline __be16 type_in_session(const __u8 *header)
{
	if (AT16(header, 0) != bpf_htons(PPPOE_SESSION))
		return 0;
	if (AT16(header, 6) == bpf_htons(PPP_IP))
		return bpf_htons(ETH_P_IP);
	if (AT16(header, 6) == bpf_htons(PPP_IPV6))
		return bpf_htons(ETH_P_IPV6);
	return 0;
}

static __always_inline int same_ethernet(const __u8 *a, const __u8 *b)
{
	return AT32(a, 0) == AT32(b, 0) && AT16(a, 4) == AT16(b, 4);
}

/* Whether a frame that came in a session is from its client or to it: by its
 * addresses of Ethernet, and by those of IP, which begin where these say. It is no
 * static function so that the verifier looks at it once. */
__noinline int of_client(struct xdp_md *ctx, __u32 id, __u32 l3_at)
{
	__u8 *data = (__u8 *)(long)ctx->data, *data_end = (__u8 *)(long)ctx->data_end, *l3;
	struct client *client = bpf_map_lookup_elem(&clients, &id);
	int i, from = 1, to = 1;

	if (!client || !client->there || l3_at > REACH)
		return 0;
	l3 = data + l3_at;
	if (data + ETH_HLEN > data_end || l3 + 40 > data_end)
		return 0;
	if (!same_ethernet(data, client->ethernet) && !same_ethernet(data + ETH_ALEN, client->ethernet))
		return 0;
	if ((l3[0] >> 4) == 4)
		return AT32(l3, 12) == client->ipv4 || AT32(l3, 16) == client->ipv4;
#pragma unroll
	for (i = 0; i < 4; i++) {
		from &= AT32(l3, 8 + 4 * i) == client->ipv6[i];
		to &= AT32(l3, 24 + 4 * i) == client->ipv6[i];
	}
	return from || to;
}
