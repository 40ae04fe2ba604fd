/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/packets.h"

/* The comment for the next piece: new, or NULL. */
static char *comment_of(struct qs_demo_sender *sender, const struct qs_demo_piece *piece)
{
    struct qs_demo_piece whole;

    if (!piece)
        return NULL;
    whole = *piece;
    whole.offset = sender->offset;
    sender->offset += piece->size;
    return qs_demo_piece_text(&whole);
}

void qs_demo_send(struct qs_demo_sender *sender, enum qs_direction direction,
                  struct qs_view datagram, const struct qs_demo_piece *piece)
{
    char *comment = comment_of(sender, piece);

    sender->datagram(sender, direction, datagram, comment);
    g_free(comment);
}

void qs_demo_send_segment(struct qs_demo_sender *sender, enum qs_direction direction,
                          const struct qs_demo_segment *segment, const struct qs_demo_piece *piece)
{
    char *comment = comment_of(sender, piece);

    sender->segment(sender, direction, segment, comment);
    g_free(comment);
}

void qs_demo_send_text(struct qs_demo_sender *sender, enum qs_direction direction, const char *text)
{
    GByteArray *packet = g_byte_array_new();

    qs_write_u32(packet, UINT32_MAX);
    qs_write_view(packet, (struct qs_view){(const uint8_t *)text, (uint32_t)strlen(text)});
    qs_demo_send(sender, direction, qs_view_of_bytes(packet), NULL);
    g_byte_array_free(packet, TRUE);
}

const struct qs_demo_piece qs_demo_start = {.kind = QS_DEMO_PIECE_START};

struct qs_demo_piece qs_demo_block_apart(struct qs_view block)
{
    return (struct qs_demo_piece){.kind = QS_DEMO_PIECE_BLOCK, .size = block.size, .head = block};
}

struct qs_demo_piece qs_demo_block_in(struct qs_view block, uint32_t head, uint32_t from)
{
    return (struct qs_demo_piece){.kind = QS_DEMO_PIECE_BLOCK,
                                  .size = block.size,
                                  .head = {block.data, MIN(head, block.size)},
                                  .has_payload = true,
                                  .from = from};
}
