/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects what to replace in a packet: a sink that locates the bytes in the packet or, for joined
 * fragments, in the packets that carried them.
 */
#ifndef PCAP2DEMO_REDACTIONS_H
#define PCAP2DEMO_REDACTIONS_H

#include <glib.h>

#include "common/core/reader.h"
#include "common/core/sink.h"
#include "pcap2demo/anonymize/writer.h"

enum redaction_kind {
    REDACT_PASSWORD,
    REDACT_ADDRESS, /* four bytes */
    REDACT_TEXT,    /* text that may contain passwords and names */
    REDACT_NAME,    /* a player's or a server's name */
    REDACT_CHAT,
    REDACT_UNDECODED
};

/* Bytes to replace. Source 0 is the payload. */
struct redaction {
    enum redaction_kind kind;
    unsigned source;
    uint32_t offset, length;
};

/* A source that was decoded from this packet: a joined message, or inflated bytes. */
struct redaction_source {
    GBytes *bytes;
    GArray *packets; /* uint64_t: packet numbers of its fragments; empty: it was compressed */

    /* Location of the compressed bytes in the source `parent`; `packed_size` 0: unknown. */
    unsigned parent;
    uint32_t packed, packed_size;
    uint32_t count;      /* offset of their two-byte size; 0: unknown */
    GByteArray *changed; /* bytes with replacements; NULL: none */
};

struct qs_view redaction_source_bytes(const struct redaction_source *source);

struct redactions {
    struct qs_sink sink;
    GArray *list;                     /* struct redaction, in decoding order */
    GPtrArray *sources;               /* struct redaction_source; the first is source 1 */
    uint32_t fragment, fragment_size; /* fragment of a joined message in the payload */

    /* State of the current decode. */
    GArray *open;      /* unsigned: sources that are being decoded */
    GArray *fragments; /* uint64_t: packet numbers of the next source's fragments */
    struct packed {
        struct qs_view bytes; /* last opaque field */
        unsigned source;
        uint32_t offset, count;
        guint redaction; /* index of its redaction, if any */
    } packed;
    struct short_field {
        uint32_t offset, value;
    } sizes[2];          /* last two fields of two bytes */
    GHashTable *players; /* GBytes: names of players so far */
    bool after_name;     /* the last text was a key such as "name" */
    bool is_chat;        /* the next text is chat */
    bool is_player;      /* the next text is a player's name and skin */
};

struct redactions *redactions_new(void);
void redactions_free(struct redactions *redactions);

/* Prepares for the next packet. */
void redactions_clear(struct redactions *redactions);

/* --- Location: decoded bytes in a packet, its joined fragments, or inflated bytes */

struct location {
    const struct anonymous_writer *writer;
    const struct redactions *redactions; /* redactions of the packet */
    struct held_packet *packet;
    struct qs_view payload; /* original bytes */

    struct redaction_source *source; /* selected source; NULL: the payload */
    struct qs_view bytes;            /* original bytes of the source */
};

/* Returns the source of this number; NULL for 0. */
struct redaction_source *location_source(const struct redactions *redactions, unsigned number);

/* True if nothing can be replaced in the source: it was inflated, and cannot be deflated again. */
bool location_is_opaque(const struct redaction_source *source);

/* Selects the source of this number. Returns false if nothing can be replaced in it. */
bool location_select(struct location *location, unsigned source);

/* Replaces bytes of the selected source. Ignores a range that is not within it. */
void location_replace(const struct location *location, uint32_t offset, const void *bytes,
                      uint32_t size);

/* Writes replaced bytes of joined messages and inflated sources into the packets; call it last.
 * Returns false if something does not fit. */
bool location_write(const struct location *location);

#endif
