/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink that collects what to replace in a packet, with the location of the bytes in the packet
 * or, for joined fragments, in the packets that carried them.
 */
#ifndef PCAP2DEMO_REDACTIONS_H
#define PCAP2DEMO_REDACTIONS_H

#include <glib.h>

#include "common/core/reader.h"
#include "common/core/sink.h"
#include "common/core/packet.h"
#include "pcap2demo/anonymize/writer.h"

enum redaction_kind {
    REDACT_PASSWORD,
    REDACT_ADDRESS, /* four bytes */
    REDACT_TEXT,    /* any text: it may contain names */
    REDACT_NAME,    /* a player's or a server's name */
    REDACT_CHAT,    /* chat */
    REDACT_UNDECODED
};

/* Source 0 is the payload. */
struct redaction {
    enum redaction_kind kind;
    unsigned source;
    uint32_t offset, length;
};

/* A source pushed while decoding this packet. */
struct redaction_source {
    GBytes *bytes;
    GArray *packets; /* uint64_t: numbers of its fragments' packets; empty: it was compressed */

    /* The compressed bytes in the source `parent`; `packed_size` 0: unknown. */
    unsigned parent;
    uint32_t packed, packed_size;
    uint32_t count;      /* offset of the two-byte size; 0: unknown */
    GByteArray *changed; /* with replacements; NULL: none */
};

struct qs_view redaction_source_bytes(const struct redaction_source *source);

struct redactions {
    struct qs_sink sink;
    GArray *list;                     /* struct redaction, in the order of the decode */
    GPtrArray *sources;               /* struct redaction_source; the first is source 1 */
    uint32_t fragment, fragment_size; /* of a joined message, in the payload */

    /* Of the current decode. */
    GArray *open;      /* unsigned: open sources */
    GArray *fragments; /* uint64_t: of the next source */
    struct packed {
        struct qs_view bytes; /* of the last opaque field, and its location */
        unsigned source;
        uint32_t offset, count;
        guint redaction; /* index of theirs, if there is one */
    } packed;
    struct short_field {
        uint32_t offset, value;
    } sizes[2];          /* the last two numbers of two bytes */
    uint32_t end;        /* of what was decoded of the payload */
    bool is_repeated;    /* a retransmission */
    GHashTable *players; /* GBytes: names so far */
    bool after_name;     /* the last text was a key such as "name" */
    bool is_chat;        /* the next text is chat */
    bool is_player;      /* the next text is a player's name and skin */
};

struct redactions *redactions_new(void);
void redactions_free(struct redactions *redactions);

/* Prepares for the next packet. */
void redactions_clear(struct redactions *redactions);

/* --- Replacing decoded bytes in the held packets: in the packet itself, in joined fragments, or in
 * inflated bytes, which are deflated again. */

struct location {
    const struct anonymous_writer *writer;
    const struct redactions *redactions; /* of the packet */
    struct held_packet *packet;
    struct qs_view payload; /* original */

    struct redaction_source *source; /* NULL: the payload */
    struct qs_view bytes;            /* of the source, original */
};

/* The source of this number; 0: NULL. */
struct redaction_source *location_source(const struct redactions *redactions, unsigned number);

/* Whether nothing can be replaced in it: it was inflated, and cannot be deflated again. */
bool location_is_opaque(const struct redaction_source *source);

/* Selects the source of this number. False if nothing can be replaced in it. */
bool location_select(struct location *location, unsigned source);

void location_replace(const struct location *location, uint32_t offset, const void *bytes,
                      uint32_t size);

/* Finally writes joined messages, and what changed in inflated ones, into the packets. False if
 * something does not fit. */
bool location_write(const struct location *location);

#endif
