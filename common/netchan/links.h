/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links between the packets of a conversation, with times: which packet acknowledges which, when a
 * reliable message is sent first, again, and confirmed, which response belongs to which request,
 * where fragments are joined.
 *
 * The caller passes a conversation's packets once, in the order of the capture. A packet's links
 * back are known at once, its links ahead once the later packet arrives. Links are not part of a
 * session: sessions are copied for each packet.
 *
 * The seqinfo (seqinfo.h) says what a packet acknowledges, its messages' rows (findings.h) what it
 * asks for or answers: nothing here knows a game.
 *
 * Memory: 32 bytes a packet, and as many again for those that are reliable, a fragment, a
 * request or a response. Nothing grows by what a packet claims.
 */
#ifndef QS_NETCHAN_LINKS_H
#define QS_NETCHAN_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"
#include "common/core/findings.h"
#include "common/netchan/quality.h"

/* The rows of links.def, in their order, from protocol->links on. */
enum qs_link {
#define LINK(id, name, title, type, unit, blurb) QS_LINK_##id,
#include "common/netchan/links.def"
    QS_LINKS
};

/* Whether the field is known only once a later packet arrives. */
bool qs_link_is_ahead(enum qs_link link);

struct qs_links;

/* `kept`: so many of the last packets are remembered, at least; 0: all, and what gaps before them
 * are. */
struct qs_links *qs_links_new(uint32_t kept);
void qs_links_free(struct qs_links *links);

/*
 * Adds the datagram that the decoder has just decoded, with `want_transfers`. Ignores units of
 * streams: TCP has links of its own.
 */
void qs_links_take(struct qs_links *links, const struct qs_decoder *d);

/* A request that a packet answers. */
struct qs_response {
    enum qs_request_kind kind;
    bool known;   /* there is one */
    int64_t time; /* nanoseconds since it */
    bool first;   /* nothing answered it before */
};

struct qs_packet_links {
    uint32_t known;               /* bit n: there is link n */
    uint64_t values[QS_LINKS];    /* numbers of packets, counts, times in nanoseconds */
    int64_t ack_rtt;              /* nanoseconds; -1: none */
    uint32_t fragment, fragments; /* "2 of 3"; 0: no fragment, or not known of how many */
    struct qs_response response;
};

/* Fills `quality` with that of the path in the connection, as far as it is known by now; of NULL
 * nothing is. Only where all packets are remembered. */
void qs_links_quality(const struct qs_links *links, uint32_t connection,
                      struct qs_path_quality *quality);

/*
 * What is known of the packet by now, which is found by its number and time: a number may be given
 * again where a reader leaves packets out, and those have no links to them. False where the packet
 * was never taken.
 */
bool qs_links_find(const struct qs_links *links, const struct qs_packet *packet,
                   struct qs_packet_links *found);

/*
 * Emits that of the packet that was decoded last, all of it derived, and adds to the summary what
 * a fragment is of.
 */
void qs_links_show(const struct qs_links *links, struct qs_decoder *d);

/* Requests that were taken so far, by kind, and those of them that a packet answered. */
struct qs_request_count qs_links_requests(const struct qs_links *links, enum qs_request_kind kind);

#endif
