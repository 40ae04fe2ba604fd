/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a DM2 demo begins with. Source: common/quake2/PROTOCOL.md, section 2; engine, cl_main.c
 * CL_Record_f. */
#include "common/core/text.h"
#include "common/demo/dm2/dm2.h"
#include "common/quake2/session.h"
#include "common/quake2/encode.h"

enum {
    /* What engines keep free for a config string beside its text, and for a baseline. */
    STRING_ROOM = 32,
    BASELINE_ROOM = 64,
    EXTENDED_BASELINE_ROOM = 70,
    /* id's engine adds this to the server count, so that it differs; Q2PRO does not. */
    RECORDED_COUNT = 0x10000,
    LEVEL_NAME = 0 /* config string */
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

static void make_room(struct preamble *preamble, size_t size)
{
    const size_t most = preamble->variant.extensions ? DM2_EXTENDED_BLOCK_MAX : DM2_BLOCK_MAX;

    if (preamble->block->len - DM2_HEADER + size > most)
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

/* Each as received: the status bar's program fills several, and each holds the rest of it. */
static void put_configstrings(struct preamble *preamble)
{
    const struct qs_table *strings = &preamble->session->level.configstrings;

    for (uint32_t i = 0; qs_table_next(strings, &i); i++) {
        const struct qs_view text = qs_view_of(qs_table_get(strings, i));

        if (!text.size)
            continue;
        make_room(preamble, text.size + STRING_ROOM);
        q2_encode_configstring(preamble->block, (uint16_t)i, text);
    }
}

/* All of them. The engine's own recorder forgets those without a model, and with them the places of
 * looping sounds: PROTOCOL.md, section 2. */
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
