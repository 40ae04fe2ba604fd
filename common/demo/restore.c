/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/restore.h"

#include "common/core/lists.h"
#include "common/core/writer.h"
#include "common/demo/piece.h"

struct qs_demo_restorer {
    struct qs_demo_writer *out;
    uint64_t offset; /* in the demo, of what comes next */
    bool broken;     /* a piece is missing: that was said */
    GByteArray *head, *bytes;
};

struct qs_demo_restorer *qs_demo_restorer_new(struct qs_demo_writer *out, const char *comment)
{
    struct qs_demo_restorer *restorer;
    struct qs_demo_piece piece;
    GByteArray *head = g_byte_array_new();
    const bool made = comment && qs_demo_piece_read(comment, &piece, head);

    g_byte_array_free(head, TRUE);
    if (!made)
        return NULL;
    restorer = g_new0(struct qs_demo_restorer, 1);
    restorer->out = out;
    restorer->head = g_byte_array_new();
    restorer->bytes = g_byte_array_new();
    qs_demo_begin(out);
    return restorer;
}

void qs_demo_restorer_free(struct qs_demo_restorer *restorer)
{
    g_byte_array_free(restorer->head, TRUE);
    g_byte_array_free(restorer->bytes, TRUE);
    g_free(restorer);
}

static void report_missing(struct qs_demo_restorer *restorer, const struct qs_packet *packet)
{
    if (!restorer->broken)
        qs_demo_problem(restorer->out, packet,
                        "the capture lacks bytes of the demo that it was made of, from offset "
                        "%" G_GUINT64_FORMAT " on",
                        restorer->offset);
    restorer->out->counts.missing++;
    restorer->broken = true;
}

static void add_piece(struct qs_demo_restorer *restorer, const struct qs_demo_piece *piece,
                      const struct qs_packet *packet)
{
    const struct qs_view payload = {packet->data, packet->size};

    qs_bytes_empty(restorer->bytes);
    if (piece->offset != restorer->offset || !qs_demo_piece_append(piece, payload, restorer->bytes))
        report_missing(restorer, packet);
    if (restorer->broken)
        return;
    restorer->offset += piece->size;
    qs_demo_write(restorer->out, qs_view_of_bytes(restorer->bytes));
    restorer->out->counts.blocks += piece->kind == QS_DEMO_PIECE_BLOCK;
}

void qs_demo_restorer_packet(struct qs_demo_restorer *restorer, const struct qs_packet *packet,
                             const char *comment)
{
    struct qs_demo_piece piece;

    if (comment && qs_demo_piece_read(comment, &piece, restorer->head))
        add_piece(restorer, &piece, packet);
}
