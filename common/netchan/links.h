/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links between the packets of a conversation, with times: acknowledgements; first transmission,
 * retransmission and acknowledgement of reliable messages; requests and responses; fragments and
 * the packet that completes them.
 *
 * The caller adds a conversation's packets once, in the captured order. Links to earlier packets
 * are known at once, links to later ones when these come. Links are not part of a session, because
 * sessions are copied for each packet.
 *
 * No game is known here: seqinfo.h defines what a packet acknowledges, and the rows of its messages
 * (findings.h) define what it requests or answers.
 *
 * Memory: 32 bytes for each packet, and 48 for each that is reliable, a fragment, a request, a
 * response, or next to a loss. No size depends on a packet's content.
 */
#ifndef QS_NETCHAN_LINKS_H
#define QS_NETCHAN_LINKS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/decoder.h"
#include "common/core/findings.h"
#include "common/netchan/quality.h"

/* The rows of links.def, in order, from protocol->links on. */
enum qs_link {
#define LINK(id, name, title, type, unit, blurb) QS_LINK_##id,
#include "common/netchan/links.def"
    QS_LINKS
};

struct qs_links;

/* Creates the links of a conversation. `kept` is the minimum number of latest packets that are
 * kept; 0: all are, and the path quality is measured. */
struct qs_links *qs_links_new(uint32_t kept);
void qs_links_free(struct qs_links *links);

/*
 * Adds the datagram that was just decoded, with `want_transfers`. Ignores PDUs of streams: TCP has
 * links of its own.
 */
void qs_links_update(struct qs_links *links, const struct qs_decoder *d);

/* Request that a packet answers. */
struct qs_response {
    enum qs_request_kind kind;
    bool known;   /* false if it answers none */
    int64_t time; /* time since the request (ns) */
    bool first;   /* true if this is its first response */
};

struct qs_packet_links {
    uint32_t known;               /* bit n: link n is known */
    uint64_t values[QS_LINKS];    /* packet numbers, counts, or times (ns), by enum qs_link */
    int64_t ack_rtt;              /* time to this acknowledgement (ns); -1: none */
    uint32_t fragment, fragments; /* "2 of 3"; 0: no fragment, or their number is unknown */
    struct qs_response response;
};

/* Fills `quality` for a connection's path: unknown if `links` is NULL or keeps few packets. */
void qs_links_quality(const struct qs_links *links, uint32_t connection,
                      struct qs_path_quality *quality);

/*
 * Finds the known links of a packet, by its number and time, because readers that drop packets may
 * reuse their numbers. No links lead to dropped packets. Returns false if the packet was never
 * added.
 */
bool qs_links_find(const struct qs_links *links, const struct qs_packet *packet,
                   struct qs_packet_links *found);

/*
 * Emits the links of the decoded packet as generated fields, and its losses as notes. Adds losses
 * and its fragment to the summary.
 */
void qs_links_show(const struct qs_links *links, struct qs_decoder *d);

/* Returns the number of requests of a kind, and how many were answered. */
struct qs_request_count qs_links_requests(const struct qs_links *links, enum qs_request_kind kind);

/* --- Transfers: transfer.c -------------------------------------------------------------------- */

/*
 * Files that a server sends to a client: assembles files (struct qs_transfers) from the transfer
 * steps in packets (struct qs_transfer).
 *
 * Servers use one of two methods: blocks in order, each requested with the command "nextdl" and
 * sent with a percentage, 100 for the last one; or chunks with offsets, in any order, after the
 * file's name and size. Sources: common/quakeworld/PROTOCOL.md, section 5, and
 * common/quake2/PROTOCOL.md, section 11; DarkPlaces sv_main.c, SV_Download_f, sv_send.c,
 * SV_SendClientDatagram, and cl_parse.c, CL_ParseDownload.
 *
 * Files are not part of a session: sessions are copied for each packet, files are assembled once.
 */

/* Adds the transfer of a client's console command, "download NAME [OFFSET]" or "nextdl"; ignores
 * other commands. For parse functions. */
void qs_add_transfer_command(struct qs_decoder *d, struct qs_view command);

/* Maximum size of a file and of a deflated stream (bytes). */
#define QS_TRANSFER_FILE_MAX (UINT64_C(128) << 20)

struct qs_transferred {
    char *name;          /* name as sent: any bytes except NUL; NULL if unknown */
    GByteArray *content; /* bytes from the start of the file or capture to the first hole */
    uint64_t total;      /* size of the file; 0 if unknown */
    bool complete;
    bool refused;
    const char *problem; /* reason why it is incomplete; NULL while it may become complete */
};

/*
 * Memory for the bytes of unfinished files, shared by any number of qs_transfers. A block that does
 * not fit is left out, and the file has a problem.
 */
struct qs_transfer_quota {
    uint64_t used, max;
};

/* Transfers of one conversation. A client receives one file at a time. */
struct qs_transfers;

struct qs_transfer_listener {
    /* Called if the file has grown or has ended (`over`). Then it is freed after the call. */
    void (*changed)(const struct qs_transferred *file, bool over, void *user);
    void *user;
};

/* Creates the transfers of a conversation. `quota` must outlive them. */
struct qs_transfers *qs_transfers_new(struct qs_transfer_quota *quota,
                                      struct qs_transfer_listener listener);

/* Adds a step of a transfer. Call it in the captured order. */
void qs_transfers_add(struct qs_transfers *transfers, const struct qs_transfer *transfer);

/* Ends the current file, if any, and frees the transfers. */
void qs_transfers_free(struct qs_transfers *transfers);

#endif
