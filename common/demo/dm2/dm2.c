/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/containers.h"
#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/demo/dm2/dm2.h"
#include "common/quake2/constants.h"
#include "common/quake2/encode.h"
#include "common/quake2/session.h"

/* Server-side recordings, too, begin with a block of up to this size, the longest of any engine. */
static const struct qs_demo_framing framing = {DM2_HEADER, DM2_EXTENDED_BLOCK_MAX, UINT32_MAX};

enum qs_demo_status dm2_read_block(struct qs_reader *in, struct qs_view *block)
{
    return qs_demo_read_framed(in, &framing, block);
}

GByteArray *dm2_block_new(void)
{
    return g_byte_array_set_size(g_byte_array_new(), DM2_HEADER);
}

void dm2_end_block(GByteArray *block)
{
    const uint32_t length = GUINT32_TO_LE(block->len - DM2_HEADER);

    memcpy(block->data, &length, sizeof length);
}

void dm2_append_end(GByteArray *out, struct qs_view last)
{
    (void)last;
    qs_write_u32(out, UINT32_MAX);
}

/* --- Decoding --- */

void dm2_decode_block(struct qs_decoder *d)
{
    int32_t length;

    qs_open(d, Q2_BLOCK);
    length = qs_i32(d, Q2_BLOCK_LENGTH);
    if (length > 0)
        qs_label(d, ": %d bytes", length);
    else
        qs_label(d, ": %s", length ? "the demo's end" : "empty");
    qs_close(d);
    if (d->in.overrun) {
        qs_no_block(d);
        return;
    }
    qs_enter_payload(d);
    d->protocol->decode_server_messages(d);
}

/* --- Frames that engines keep --- */

bool dm2_backup_has(const struct dm2_backup *kept, int32_t number)
{
    const unsigned slot = (uint32_t)number % DM2_UPDATE_BACKUP;

    return number > 0 && kept->numbers[slot] == number &&
           kept->entities - kept->starts[slot] <= DM2_PARSE_ENTITIES - DM2_PARSE_ENTITIES_FREE;
}

void dm2_backup_add(struct dm2_backup *kept, int32_t number, uint32_t entities)
{
    const unsigned slot = (uint32_t)number % DM2_UPDATE_BACKUP;

    kept->last = number;
    if (number > 0) {
        kept->numbers[slot] = number;
        kept->starts[slot] = kept->entities;
    }
    kept->entities += entities;
}

/* --- Packets --- */

/* Each block follows a netchan header, numbered from 1. A packet of the client acknowledges it. */

enum { NETCHAN_HEADER = 8, QPORT = 1 };

struct dm2_state {
    struct qs_demo_sender *out;
    uint32_t from_client, from_server; /* numbers of the latest packets */
    bool begun;
};

static void begin_packet(struct dm2_state *state, uint32_t sequence, uint32_t acknowledged)
{
    qs_bytes_empty(state->out->packet);
    qs_write_u32(state->out->packet, sequence);
    qs_write_u32(state->out->packet, acknowledged);
}

/* Sends a packet of the client that acknowledges the latest packet of the server. */
static void send_client_packet(struct dm2_state *state)
{
    begin_packet(state, ++state->from_client, state->from_server);
    qs_write_u16(state->out->packet, QPORT);
    state->out->datagram(state->out, QS_C2S, qs_view_of_bytes(state->out->packet));
}

static void begin(struct dm2_state *state)
{
    qs_demo_send_text(state->out, QS_C2S, "getchallenge\n");
    qs_demo_send_text(state->out, QS_S2C, "challenge 1");
    qs_demo_send_text(state->out, QS_C2S, "connect 34 1 1 \"\"\n");
    qs_demo_send_text(state->out, QS_S2C, "client_connect");
    send_client_packet(state);
    state->begun = true;
}

static void send_block(struct dm2_state *state, struct qs_view block)
{
    begin_packet(state, ++state->from_server, state->from_client);
    qs_write_view(state->out->packet,
                  (struct qs_view){block.data + DM2_HEADER, block.size - DM2_HEADER});
    state->out->datagram(state->out, QS_S2C, qs_view_of_bytes(state->out->packet));
    send_client_packet(state);
}

static void send_next(void *data, const struct qs_decoder *decoder, const struct qs_packet *packet)
{
    const struct qs_view block = {packet->data, packet->size};
    struct dm2_state *state = data;

    (void)decoder;
    if (!state->begun)
        begin(state);
    if (qs_le32(block.data) != UINT32_MAX) /* skips the end mark */
        send_block(state, block);
}

const struct qs_demo_packet_maker dm2_packets = {
    .port = 27910,
    .state_size = sizeof(struct dm2_state),
    .block = send_next,
};

/* --- The format --- */

static bool is_version(uint32_t version)
{
    return q2_is_decoded((int32_t)version, 0) || qs_name_of(q2_undecoded_names, version);
}

/*
 * True if the demo begins with svc_serverdata, as the part of each level does. The test release has
 * another number for that message.
 */
static bool recognize(struct qs_view file)
{
    enum { LEVEL_BEGINS = 5 };
    struct qs_reader in = qs_reader_over(file.data, file.size);
    struct qs_view block;
    uint32_t version;

    if (dm2_read_block(&in, &block) != QS_DEMO_BLOCK || block.size < LEVEL_BEGINS)
        return false;
    version = qs_le32(block.data + 1);
    return is_version(version) &&
           (block.data[0] == SVC_SERVERDATA || version == Q2_PROTOCOL_TEST_RELEASE);
}

static enum qs_demo_status next(struct qs_demo_reader *reader)
{
    return qs_demo_next_framed(reader, &framing);
}

/* Returns the number of frames per second. q2proto, too, rounds that of q2repro's demos to tens. */
static unsigned rate_of(const struct q2_session *session)
{
    const unsigned rate = session->level.frame_rate;

    if (session->variant.q2repro)
        return MAX((rate + 5) / 10, 1) * 10;
    return session->variant.rerelease && rate ? rate : DM2_CONVERT_RATE;
}

static double seconds(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    const struct q2_session *session = q2_session_of_const(decoder->session);

    reader->unmarked =
        session->record == Q2_RECORD_SERVER || session->base.version == Q2_PROTOCOL_TEST_RELEASE;
    for (guint i = 0; i < decoder->found.messages->len; i++)
        if (qs_message_at(decoder, i)->id == SVC_FRAME)
            reader->shown += 1000000000 / rate_of(session);
    return (double)reader->shown / 1e9;
}

const struct qs_demo_file dm2_file = {
    .recognize = recognize,
    .next = next,
    .seconds = seconds,
    .decode_block = dm2_decode_block,
    .append_end = dm2_append_end,
};

/* --- Preamble --------------------------------------------------------------------------------- */

/* Source: common/quake2/PROTOCOL.md, section 2; engine, cl_main.c CL_Record_f. */

enum {
    /* Bytes that engines reserve for a config string besides its text, and for a baseline. */
    STRING_ROOM = 32,
    STRING_PIECE = 64, /* size of a config string in engines */
    BASELINE_ROOM = 64,
    EXTENDED_BASELINE_ROOM = 70,
    /* Offset that id's engine adds to the server count to make it differ; Q2PRO adds none. */
    RECORDED_COUNT = 0x10000,
    LEVEL_NAME = 0 /* index of the config string */
};

struct preamble {
    const struct q2_session *session;
    struct q2_variant variant;
    GByteArray *block;
    dm2_preamble_block *write;
    void *user;
};

static void flush(struct preamble *preamble)
{
    if (preamble->block->len == DM2_HEADER)
        return;
    dm2_end_block(preamble->block);
    preamble->write(preamble->user, preamble->block);
    preamble->block->len = DM2_HEADER;
}

static size_t block_max(const struct preamble *preamble)
{
    return preamble->variant.extensions ? DM2_EXTENDED_BLOCK_MAX : DM2_BLOCK_MAX;
}

static void make_room(struct preamble *preamble, size_t size)
{
    if (preamble->block->len - DM2_HEADER + size > block_max(preamble))
        flush(preamble);
}

static void put_serverdata(struct preamble *preamble, int32_t version)
{
    const struct q2_session *session = preamble->session;
    GByteArray *out = preamble->block;

    qs_write_u8(out, SVC_SERVERDATA);
    qs_write_u32(out, (uint32_t)version);
    qs_write_u32(out, (uint32_t)session->level.servercount +
                          (preamble->variant.extensions ? 0 : (uint32_t)RECORDED_COUNT));
    qs_write_u8(out, Q2_RECORD_CLIENT);
    q2_encode_text(out, qs_view_of(qs_table_get(&session->texts, Q2_TEXT_GAMEDIR)));
    qs_write_u16(out, (uint16_t)session->player);
    q2_encode_text(out, qs_view_of(qs_table_get(&session->level.configstrings, LEVEL_NAME)));
}

/* Writes config strings as received: those of the status bar contain the rest of its text. A text
 * that is too long for a block becomes several strings, as engines store it. */
static void put_configstrings(struct preamble *preamble)
{
    const struct qs_table *strings = &preamble->session->level.configstrings;

    for (uint32_t i = 0; qs_table_next(strings, &i); i++) {
        const struct qs_view text = qs_view_of(qs_table_get(strings, i));
        const uint32_t size =
            text.size + STRING_ROOM > block_max(preamble) ? STRING_PIECE : text.size;

        for (uint32_t at = 0; at < text.size; at += size) {
            const struct qs_view piece = {text.data + at, MIN(size, text.size - at)};

            make_room(preamble, piece.size + STRING_ROOM);
            q2_encode_configstring(preamble->block, (uint16_t)(i + at / STRING_PIECE), piece);
        }
    }
}

/* Writes all baselines. The engine's own recorder omits those without a model, and so the positions
 * of looping sounds: PROTOCOL.md, section 2. */
static void put_baselines(struct preamble *preamble)
{
    const uint16_t end = preamble->variant.extensions ? Q2_ENTITIES_EXTENDED_MAX : Q2_ENTITIES_MAX;

    for (uint32_t i = 0; qs_table_next(&preamble->session->level.baselines, &i) && i < end; i++) {
        make_room(preamble, preamble->variant.extensions ? EXTENDED_BASELINE_ROOM : BASELINE_ROOM);
        q2_encode_baseline(preamble->block, &preamble->variant, q2_baseline(preamble->session, i));
    }
}

static void put_precache(struct preamble *preamble)
{
    make_room(preamble, STRING_ROOM);
    qs_write_u8(preamble->block, SVC_STUFFTEXT);
    q2_encode_text(preamble->block, qs_view_of("precache\n"));
}

void dm2_write_preamble(const struct q2_session *session, int32_t version,
                        dm2_preamble_block *write, void *user)
{
    struct preamble preamble = {session, q2_demo_variant(version), dm2_block_new(), write, user};

    put_serverdata(&preamble, version);
    put_configstrings(&preamble);
    put_baselines(&preamble);
    put_precache(&preamble);
    flush(&preamble);
    g_byte_array_free(preamble.block, TRUE);
}
