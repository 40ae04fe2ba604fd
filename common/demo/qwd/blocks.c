/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/containers.h"
#include "common/demo/qwd/blocks.h"
#include "common/demo/qwd/qwd.h"
#include "common/quakeworld/constants.h"

enum {
    KEPT = QWD_BYTES_HELD / 5 * 4, /* number of newest bytes that stay when the buffer is full */
    AT_ONCE = 2048,                /* number of bytes that are written at once */
    USUAL_ROOM = AT_ONCE / 2 * 3
};

void qwd_blocks_init(struct qwd_blocks *blocks, struct qs_demo_writer *out)
{
    *blocks = (struct qwd_blocks){.out = out, .form = QWD_CMD_CLASSIC};
}

void qwd_blocks_clear(struct qwd_blocks *blocks)
{
    g_clear_pointer(&blocks->bytes, g_free);
    blocks->size = blocks->room = 0;
}

/* Returns the address of an offset in the demo, or NULL if its bytes are not kept. */
static uint8_t *byte_at(const struct qwd_blocks *blocks, uint64_t at)
{
    return blocks->bytes ? blocks->bytes + (at - blocks->start) : NULL;
}

static uint64_t end_of(const struct qwd_blocks *blocks)
{
    return blocks->start + blocks->size;
}

static uint32_t command_size(const struct qwd_blocks *blocks)
{
    return QWD_HEADER + (uint32_t)blocks->form;
}

/* --- Writing --- */

G_GNUC_NO_INLINE static void widen(struct qwd_blocks *blocks)
{
    blocks->room = MAX(blocks->size + blocks->size / 2, USUAL_ROOM);
    blocks->bytes = g_realloc(blocks->bytes, blocks->room);
}

/* Appends space for a block, which counts as added. Returns NULL if its bytes are not kept. */
static inline uint8_t *add_room(struct qwd_blocks *blocks, uint32_t size)
{
    blocks->size += size;
    if (blocks->out->no_bytes)
        return NULL;
    if (blocks->size > blocks->room)
        widen(blocks);
    return blocks->bytes + blocks->size - size;
}

static void write_up_to(struct qwd_blocks *blocks, uint64_t end)
{
    const uint32_t size = (uint32_t)(end - blocks->start);

    if (!size)
        return;
    qs_demo_write(blocks->out, (struct qs_view){blocks->bytes, size});
    blocks->size -= size;
    if (blocks->bytes)
        memmove(blocks->bytes, blocks->bytes + size, blocks->size);
    blocks->start = end;
    if (blocks->room > 2 * USUAL_ROOM && blocks->size < USUAL_ROOM) {
        blocks->room = USUAL_ROOM;
        blocks->bytes = g_realloc(blocks->bytes, blocks->room);
    }
}

static void forget_held(struct qwd_blocks *blocks, unsigned count)
{
    blocks->held_count -= count;
    memmove(blocks->held, blocks->held + count, blocks->held_count * sizeof *blocks->held);
}

static void forget_before(struct qwd_blocks *blocks, uint64_t at)
{
    unsigned old = 0;

    while (old < blocks->held_count && blocks->held[old].at < at)
        old++;
    forget_held(blocks, old);
}

/* Writes blocks that can no longer change: nothing is inserted before client blocks, but generated
 * ones may be corrected. */
G_GNUC_NO_INLINE static void write_complete(struct qwd_blocks *blocks)
{
    if (blocks->size >= QWD_BYTES_HELD) {
        forget_before(blocks, end_of(blocks) - KEPT);
        write_up_to(blocks, blocks->held_count ? blocks->held[0].at : end_of(blocks));
    } else if (blocks->command_end > blocks->start && blocks->generated_end <= blocks->start) {
        forget_before(blocks, blocks->command_end);
        write_up_to(blocks, blocks->command_end);
    }
}

/* Counts the block that was added, and writes if enough bytes are buffered. */
static inline void end_block(struct qwd_blocks *blocks)
{
    blocks->out->counts.blocks++;
    if (blocks->size >= AT_ONCE)
        write_complete(blocks);
}

static float time_at(const struct qwd_blocks *blocks, uint64_t at)
{
    const uint8_t *block = byte_at(blocks, at);

    return block ? qs_float_of_bits(qs_le32(block)) : 0;
}

/* Fills `block`, the space of a client block; NULL if its bytes are not kept. */
static void put_command(const struct qwd_blocks *blocks, uint8_t *block, float time,
                        const struct qw_usercmd *cmd)
{
    if (block)
        qwd_put_cmd(block, time, cmd, blocks->form);
}

/* Appends a rare block, and frees `block`. */
static void append(struct qwd_blocks *blocks, GByteArray *block)
{
    uint8_t *room = add_room(blocks, block->len);

    if (room)
        memcpy(room, block->data, block->len);
    g_byte_array_free(block, TRUE);
}

void qwd_blocks_set(struct qwd_blocks *blocks, float time, uint32_t outgoing, uint32_t incoming)
{
    GByteArray *block = g_byte_array_new();

    qwd_append_set(block, time, outgoing, incoming);
    append(blocks, block);
    blocks->engine.out = outgoing;
    blocks->held_count = 0;
    blocks->command_end = end_of(blocks);
    end_block(blocks);
}

void qwd_blocks_flush(struct qwd_blocks *blocks)
{
    write_up_to(blocks, end_of(blocks));
    blocks->held_count = 0;
    qwd_blocks_clear(blocks);
}

void qwd_blocks_end(struct qwd_blocks *blocks, float time)
{
    GByteArray *block = g_byte_array_new();

    qwd_blocks_flush(blocks);
    qwd_append_end(block, time);
    append(blocks, block);
    blocks->out->counts.blocks++;
    qwd_blocks_flush(blocks);
}

/* --- The server's packets --- */

void qwd_blocks_level(struct qwd_blocks *blocks)
{
    blocks->held_count = 0;
    blocks->command_end = end_of(blocks);
    blocks->engine.valid = 0;
    memset(blocks->engine.asked, 0, sizeof blocks->engine.asked);
}

void qwd_blocks_packet(struct qwd_blocks *blocks, float time, uint32_t sequence,
                       struct qs_view packet)
{
    uint8_t *block;

    if (blocks->held_count == QWD_BLOCKS_HELD)
        forget_held(blocks, QWD_BLOCKS_HELD / 4);
    blocks->held[blocks->held_count++] = (struct qwd_held){
        .sequence = sequence, .at = end_of(blocks), .valid = blocks->engine.valid};
    block = add_room(blocks, QWD_PACKET_HEADER + packet.size);
    if (block) {
        qwd_put_packet_header(block, time, packet.size);
        memcpy(block + QWD_PACKET_HEADER, packet.data, packet.size);
    }
    end_block(blocks);
}

/* --- Model of the engine --- */

/* True if the engine still has frame `sequence` at count `out`, or has not reached it yet. */
static bool reaches(uint32_t out, uint32_t sequence)
{
    return (int32_t)(out - sequence) < QWD_ENGINE_FRAMES - 1;
}

bool qwd_engine_accepts(const struct qwd_engine *engine, uint32_t sequence, uint32_t base)
{
    return base && base == engine->asked[sequence % QWD_ENGINE_FRAMES] &&
           reaches(engine->out, sequence) && reaches(engine->out, base);
}

/* --- Positions of client blocks --- */

/* Inserts space for a client block before the packet held[i], or at the end if i is held_count. */
static void make_room(struct qwd_blocks *blocks, uint64_t at, unsigned i)
{
    const uint32_t behind = (uint32_t)(end_of(blocks) - at);

    add_room(blocks, command_size(blocks));
    if (blocks->bytes && behind)
        memmove(byte_at(blocks, at) + command_size(blocks), byte_at(blocks, at), behind);
    for (; i < blocks->held_count; i++)
        blocks->held[i].at += command_size(blocks);
}

/* Returns the index of the first buffered packet that the client did not have yet, or held_count.
 * Skips packets before the last client block, because client blocks are in order. */
static unsigned insertion_index(const struct qwd_blocks *blocks, uint32_t after)
{
    unsigned i = blocks->held_count;

    while (i && blocks->held[i - 1].sequence > after &&
           blocks->held[i - 1].at >= blocks->command_end)
        i--;
    return i;
}

void qwd_blocks_command(struct qwd_blocks *blocks, float time, const struct qw_usercmd *cmd,
                        uint32_t after, bool generated)
{
    struct qwd_engine *engine = &blocks->engine;
    struct qwd_command *command = &blocks->commands[engine->out % QWD_ENGINE_FRAMES];
    const unsigned i = insertion_index(blocks, after);
    const struct qwd_held *next = i < blocks->held_count ? &blocks->held[i] : NULL;

    *command = (struct qwd_command){next ? next->at : end_of(blocks), engine->out, generated};
    make_room(blocks, command->at, i);
    put_command(blocks, byte_at(blocks, command->at), next ? time_at(blocks, next->at) : time, cmd);
    blocks->command_end = command->at + command_size(blocks);
    engine->asked[engine->out++ % QWD_ENGINE_FRAMES] = next ? next->valid : engine->valid;
    if (generated) {
        blocks->last_generated = command->number;
        blocks->generated_end = blocks->command_end;
    }
    end_block(blocks);
}

/* --- Generated client blocks --- */

void qwd_blocks_correct(struct qwd_blocks *blocks, uint32_t number, const struct qw_usercmd *cmd)
{
    const struct qwd_command *command = &blocks->commands[number % QWD_ENGINE_FRAMES];

    if (command->generated && command->number == number && command->at >= blocks->start)
        put_command(blocks, byte_at(blocks, command->at), time_at(blocks, command->at), cmd);
}

/* --- Replaced messages ------------------------------------------------------------------------ */

/* The bytes from `at` up to those of the next replacement replace message `index`. */
struct message_replacement {
    guint index, at;
};

void qw_filter_init(struct qw_filter *filter, struct qs_demo_writer *out)
{
    filter->out = out;
    filter->replacements = g_array_new(FALSE, FALSE, sizeof(struct message_replacement));
    filter->replacing = g_byte_array_new();
}

void qw_filter_clear(struct qw_filter *filter)
{
    g_array_free(filter->replacements, TRUE);
    g_byte_array_free(filter->replacing, TRUE);
}

GByteArray *qw_filter_replace(struct qw_filter *filter, guint index)
{
    const struct message_replacement replacement = {.index = index, .at = filter->replacing->len};

    g_array_append_val(filter->replacements, replacement);
    return filter->replacing;
}

/* Appends the replacement of message `index` to `out`, unless that is NULL, and advances `*next`,
 * the index of the next replacement. Returns false if nothing replaces the message. */
static bool append_replacement(struct qw_filter *filter, guint index, guint *next, GByteArray *out)
{
    const struct message_replacement *all =
        (const struct message_replacement *)(void *)filter->replacements->data;
    const guint count = filter->replacements->len;
    guint end;

    if (*next >= count || all[*next].index != index)
        return false;
    end = *next + 1 < count ? all[*next + 1].at : filter->replacing->len;
    if (out && end > all[*next].at)
        g_byte_array_append(out, filter->replacing->data + all[*next].at, end - all[*next].at);
    ++*next;
    return true;
}

bool qw_filter_touches(const struct qw_filter *filter, const struct qs_decoder *decoder)
{
    return filter->replacements->len || qs_packet_is_cut(decoder->packet) ||
           qs_has_message(decoder, SVC_DOWNLOAD);
}

void qw_filter_append(struct qw_filter *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out)
{
    uint32_t end = start;
    guint next = 0;

    for (guint i = 0; i < decoder->found.messages->len; i++) {
        const struct qs_message *message = qs_message_at(decoder, i);
        const bool is_kept = message->id != SVC_DOWNLOAD;

        end = message->offset + message->length;
        if (append_replacement(filter, i, &next, is_kept ? out : NULL))
            continue;
        if (is_kept)
            g_byte_array_append(out, content.data + message->offset, message->length);
        else
            filter->out->counts.stripped++;
    }
    /* The bytes after the last complete message of a cut packet are an incomplete message. */
    if (!qs_packet_is_cut(decoder->packet))
        g_byte_array_append(out, content.data + end, content.size - end);
    g_array_set_size(filter->replacements, 0);
    qs_bytes_empty(filter->replacing);
}
