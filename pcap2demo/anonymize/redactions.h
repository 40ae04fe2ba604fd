/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a decode shows to be replaced in a packet: a sink that collects it, with the place of its
 * bytes in the packet or, where fragments were joined, in those that carried them.
 */
#ifndef PCAP2DEMO_REDACTIONS_H
#define PCAP2DEMO_REDACTIONS_H

#include <glib.h>

#include "common/core/reader.h"
#include "common/core/sink.h"
#include "common/core/packet.h"

enum redaction_kind {
    REDACT_PASSWORD,
    REDACT_ADDRESS, /* four bytes */
    REDACT_TEXT,    /* any text: names may stand in it */
    REDACT_NAME,    /* a player's or a server's name */
    REDACT_CHAT     /* what a player said */
};

/* Source 0 is the payload. */
struct redaction {
    enum redaction_kind kind;
    unsigned source;
    uint32_t offset, length;
};

/* The bytes of a source that was pushed in this packet. */
struct redaction_source {
    GBytes *bytes;
    GArray *packets; /* uint64_t: whose fragments it is made of; none: it was compressed */

    /* What it was inflated from, in the source `parent`; `packed_size` 0: that is not known. */
    unsigned parent;
    uint32_t packed, packed_size;
    bool is_stream;      /* a deflate stream goes on with that: see deflated.h */
    uint32_t count;      /* where the size stands, in two bytes; 0: that is not known */
    GByteArray *changed; /* with what was replaced; NULL: nothing was */
};

struct qs_view redaction_source_bytes(const struct redaction_source *source);

struct redactions {
    struct qs_sink sink;
    GArray *list;                     /* struct redaction, in the order of the decode */
    GPtrArray *sources;               /* struct redaction_source; the first is source 1 */
    uint32_t fragment, fragment_size; /* of a joined message, in the payload */

    /* Of the decode at hand. */
    GArray *open;      /* unsigned: sources in force */
    GArray *fragments; /* uint64_t: told for the next source */
    struct packed {
        struct qs_view bytes; /* of the last opaque field, and where it was */
        unsigned source;
        uint32_t offset, count;
        bool is_stream;
    } packed;
    bool is_repeated;    /* it was there before, or comes late */
    bool is_deflated;    /* the packet goes on with a deflate stream */
    uint32_t count;      /* where the size of the next one stands */
    GHashTable *players; /* GBytes: their names so far */
    bool after_name;     /* the text before was the key "name" or "hostname" */
    bool is_chat;        /* the next text is what a player said */
    bool is_skin;        /* the next text is a player's name and skin */
};

struct redactions *redactions_new(void);
void redactions_free(struct redactions *redactions);

/* Ready for the next packet. */
void redactions_clear(struct redactions *redactions);

#endif
