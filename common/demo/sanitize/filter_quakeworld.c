/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/sanitize/filter_quakeworld.h"

#include "common/core/lists.h"
#include "common/core/writer.h"
#include "common/quakeworld/constants.h"
#include "common/quakeworld/decode.h"

/*
 * The commands that players need: the server's settings, a level's beginning and end, and what is
 * seen of the game. Everything else is run by the player's console to no use, or worse: `packet`
 * sends real datagrams, and `reconnect` leaves the demo for the last server (ezquake cl_main.c
 * CL_Reconnect_f). Of the remarks those are on the list that clients only show; FTE carries out
 * //set, //exectrigger and //querycmd, ezQuake //finalscores where there is an alias for it, and
 * //paks and //paknames change FTE's packages (ezquake cl_parse.c CL_ParseStufftext; fteqw
 * cl_parse.c CL_ParseStuffCmd).
 */
static const struct command needed_commands[] = {
    {"fullserverinfo", "i"},
    {"skins", ""},
    {"changing", ""},
    {"bf", ""},
    /* mvdsv, QTV; ezquake hud_teaminfo.c, hud_weapon_stats.c, mvd_utils.c, qtv.c; KTX */
    {"//at", "n"},
    {"//cainfo", "pdddddn?tnnnnnnnnnn"},
    {"//demomark", "?nww"},
    {"//ktx bp", "ec"},
    {"//ktx di", "dddnnnn"},
    {"//ktx drop", "enc"},
    {"//ktx expire", "e"},
    {"//ktx matchstart", ""},
    {"//ktx race cp", "ndddd"},
    {"//ktx race end", "ddddn"},
    {"//ktx race pm", "e"},
    {"//ktx race start", "nnw"},
    {"//ktx timer", "en"},
    {"//ktx took", "enc"},
    {"//qul", "nn?t"},
    {"//sn", "npdddddn?tnnnn"},
    {"//tinfo", "pdddddn?tnnnn"},
    {"//ucmd", "dn?n"},
    {"//vwep", "?f*"},
    {"//wps", "pwnn"},
    {NULL, ""},
};

/* The bytes from `at` on, up to where those of the next one begin, for message `index`. */
struct replacement {
    guint index, at;
};

void filter_qw_init(struct filter_qw *filter, struct qs_demo_writer *out)
{
    filter->out = out;
    filter->replacements = g_array_new(FALSE, FALSE, sizeof(struct replacement));
    filter->replacing = g_byte_array_new();
    stufftext_init(&filter->stufftext, out, SVC_STUFFTEXT, needed_commands, NULL);
}

void filter_qw_clear(struct filter_qw *filter)
{
    stufftext_clear(&filter->stufftext);
    g_array_free(filter->replacements, TRUE);
    g_byte_array_free(filter->replacing, TRUE);
}

GByteArray *filter_qw_replace(struct filter_qw *filter, guint index)
{
    const struct replacement replacement = {.index = index, .at = filter->replacing->len};

    g_array_append_val(filter->replacements, replacement);
    return filter->replacing;
}

/* Appends what replaces message `index`, the `*next` of all, to `out`, if that is not NULL. False:
 * nothing replaces it. */
static bool append_replacement(struct filter_qw *filter, guint index, guint *next, GByteArray *out)
{
    const struct replacement *all = (const struct replacement *)(void *)filter->replacements->data;
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

bool filter_qw_touches(const struct filter_qw *filter, const struct qs_decoder *decoder)
{
    return filter->out->sanitize || filter->replacements->len ||
           qs_packet_is_cut(decoder->packet) || qs_has_message(decoder, SVC_DOWNLOAD);
}

/*
 * FTE reads Qizmo's speech as a message of the mod (svcfte_cgamepacket), and svcfte_movepic in
 * another order than its server writes it: what follows is to it the next message. It does not know
 * svcfte_updateseats, and does not check what svcfte_brushedit edits: fteqw cl_parse.c
 * CLQW_ParseServerMessage, cl_screen.c SCR_ShowPic_Move, gl_heightmap.c CL_Parse_BrushEdit.
 */
static bool is_unsafe_in_fte(uint16_t id)
{
    return id == SVC_QIZMOVOICE || id == SVC_FTE_MOVEPIC || id == SVC_FTE_UPDATESEATS ||
           id == SVC_FTE_BRUSHEDIT;
}

static bool is_left_out(const struct filter_qw *filter, const struct qs_message *message,
                        uint32_t level)
{
    if (message->id == SVC_DOWNLOAD)
        return true;
    return filter->out->sanitize &&
           (!level || filter->known_level != level || is_unsafe_in_fte(message->id));
}

void filter_qw_append_serverdata(const struct qw_session *session, struct qs_view message,
                                 GByteArray *out)
{
    const struct qs_view words = {message.data + 1, message.size - 1};

    qs_write_u8(out, SVC_SERVERDATA);
    if (qw_only_fte_reads(&session->ext)) {
        qs_write_u32(out, EXTENSION_VLEN);
        qs_write_u32(out, 0);
        qs_write_u32(out, 0);
    }
    qs_write_view(out, words);
    /* No projectiles, in a message that others do not know. MVD has no predictions. */
    if (session->ext.mvd1 & MVD1_WEAPONPREDICTION && !session->mvd) {
        qs_write_u8(out, SVC_PACKETSPROJECTILES);
        qs_write_u32(out, 0);
        qs_write_u16(out, 0);
    }
}

/* Nothing can take the place of a map's name, and players show nothing without a list. */
static bool lists_models(uint16_t id)
{
    return id == SVC_MODELLIST || id == SVC_FTE_MODELLISTSHORT;
}

static void copy_message(struct filter_qw *filter, const struct qs_decoder *decoder,
                         const struct qs_message *message, struct qs_view bytes, GByteArray *out)
{
    const uint32_t level = decoder->session->level;

    if (is_left_out(filter, message, level))
        filter->out->counts.stripped++;
    else if (filter->out->sanitize && message->id == SVC_SERVERDATA && !message->is_ambiguous)
        filter_qw_append_serverdata((const struct qw_session *)decoder->session, bytes, out);
    else if (filter->out->sanitize)
        stufftext_sanitize(&filter->stufftext, decoder, message, bytes, out);
    else
        g_byte_array_append(out, bytes.data, bytes.size);
    if (lists_models(message->id) && message->is_ambiguous && !message->is_mendable)
        filter->known_level = 0;
}

void filter_qw_append(struct filter_qw *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out)
{
    uint32_t end = start;
    guint next = 0, levels = 0;

    for (guint i = 0; i < decoder->messages->len; i++) {
        const struct qs_message *message = qs_message_at(decoder, i);

        levels += message->id == SVC_SERVERDATA;
        end = message->offset + message->length;
    }
    levels += end < content.size && content.data[end] == SVC_SERVERDATA;
    for (guint i = 0; i < decoder->messages->len; i++) {
        const struct qs_message *message = qs_message_at(decoder, i);
        bool kept;

        /* The session is that of the packet's last one, torn or not: nothing of others stays. */
        if (message->id == SVC_SERVERDATA && !--levels && !message->is_ambiguous)
            filter->known_level = decoder->session->level;
        kept = !is_left_out(filter, message, decoder->session->level);
        if (!append_replacement(filter, i, &next, kept ? out : NULL))
            copy_message(filter, decoder, message,
                         (struct qs_view){content.data + message->offset, message->length}, out);
    }
    /* Behind the last whole message of a packet that the capture cut is a torn one. */
    if (!filter->out->sanitize && !qs_packet_is_cut(decoder->packet))
        g_byte_array_append(out, content.data + end, content.size - end);
    else if (end < content.size && lists_models(content.data[end]))
        filter->known_level = 0;
    g_array_set_size(filter->replacements, 0);
    qs_bytes_empty(filter->replacing);
}
