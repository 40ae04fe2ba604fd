/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of sanitized demos, format by format: how they are read without a doubt and written.
 */
#ifndef QS_DEMO_SANITIZE_FILES_H
#define QS_DEMO_SANITIZE_FILES_H

#include "common/demo/format.h"
#include "common/demo/sanitize/rules.h"
#include "common/demo/zip_archive.h"

/* A block that was decoded. */
struct sanitize_block {
    struct qs_demo_writer *out;
    struct zip_archive_watch *watch; /* of all that was written */
    const struct qs_decoder *decoder;
    struct qs_view block; /* with its framing */
    uint32_t payload;     /* where its payload begins; 0: it has none */
    bool has_other;       /* more than numbers outside of messages */
    GByteArray *made;     /* the framing, and the messages that are left */
};

struct sanitize_format {
    const char *extension;
    const struct sanitize_game *game;
    unsigned first;  /* number of the first block: 0, if it is a line or a mark */
    uint32_t header; /* bytes of the payload before the messages */
    /* Moves behind the next block, or line. */
    enum qs_demo_status (*next)(struct qs_reader *in, const struct qs_demo_writer *out,
                                bool is_first);
    void (*decode)(struct qs_decoder *decoder);
    void (*write)(const struct sanitize_block *block);
};

extern const struct sanitize_format sanitize_dem, sanitize_qwd, sanitize_mvd, sanitize_dm2,
    sanitize_mvd2;

static inline bool sanitize_has_messages(const struct sanitize_block *block)
{
    return block->made->len > block->payload;
}

/* Sets the payload's length, of so many bytes, at that offset. */
static inline void sanitize_put_length(const struct sanitize_block *block, uint32_t at,
                                       unsigned bytes)
{
    const uint32_t length = block->made->len - block->payload;

    for (unsigned i = 0; i < bytes; i++)
        block->made->data[at + i] = (uint8_t)(length >> 8 * i);
}

static inline void sanitize_write_made(const struct sanitize_block *block)
{
    block->out->append(block->out, block->made->data, block->made->len);
}

#endif
