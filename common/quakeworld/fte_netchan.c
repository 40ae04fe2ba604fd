/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What FTE changes about the netchan: STUNAWARE turns the two words to big-endian order and adds a
 * bias to the first, so that no packet looks like STUN's; FRAG adds a word behind them and spreads
 * long messages over several packets of one number. Only connect announces both. Source:
 * common/fte/PROTOCOL.md, section 2; fteqw net_chan.c Netchan_Process.
 */
#include "common/quakeworld/fte_netchan.h"
#include "common/netchan/netchan.h"
#include "common/quakeworld/decode.h"

enum {
    WORDS_SIZE = 8,
    MESSAGE_MAX = 65536 /* bytes; engines join no more */
};

/* --- The format --- */

/* Whether `byte` can be the most significant one of a sequence or acknowledgement word. */
static bool is_top_byte(uint8_t byte, uint8_t bias)
{
    return (byte & ~0x80) == bias;
}

/* The number of packets in a connection stays far below 2^24. */
static bool looks_biased(const struct qs_reader *in)
{
    const uint8_t *b = in->data;

    return is_top_byte(b[0], QW_STUN_BIAS >> 24) && is_top_byte(b[4], 0) &&
           !(is_top_byte(b[3], 0) && is_top_byte(b[7], 0));
}

/*
 * No message is numbered 0: two bytes that are 0, or 1 and 0, before anything else are the word of
 * a whole message or of its first piece.
 */
static bool looks_fragmentable(const struct qs_reader *in, uint32_t header_size)
{
    const uint8_t *b = in->data + header_size;

    return in->size >= header_size + 2 && b[0] <= QW_MORE_FRAGMENTS && b[1] == 0;
}

/*
 * FTE's servers and clients agree on these as a rule: common/fte/PROTOCOL.md, section 1.
 * Where the capture lacks svc_serverdata, what goes over FTE's netchan is read by them.
 */
static void assume_extensions(struct qw_session *session)
{
    if (session->base.level || session->ext.fte || session->ext.fte2)
        return;
    session->ext.fte = UINT32_C(0xedeeffdf);
    session->ext.fte2 = UINT32_C(0x7f);
}

/* A packet with nothing behind the words shows no word for fragments. */
static void guess_format(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);
    const uint32_t size = d->direction == QS_C2S ? WORDS_SIZE + 2 : WORDS_SIZE;

    if (d->direction == QS_DIRECTION_UNKNOWN || d->in.size <= size)
        return;
    session->format.stunaware = looks_biased(&d->in);
    session->format.fragments = looks_fragmentable(&d->in, size);
    session->format.known = true;
    if (session->format.stunaware && session->format.fragments)
        assume_extensions(session);
}

const struct qw_netchan_format *qw_netchan_format(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);

    if (session->connecting && session->asked.known)
        return &session->asked;
    if (!session->format.known)
        guess_format(d);
    return &session->format;
}

/* --- The header --- */

bool qw_is_biased(const struct qs_decoder *d)
{
    return qs_reader_left(&d->in) >= 4 && (qs_be32(d->in.data + d->in.pos) & QW_STUN_BIAS);
}

void qw_read_biased_words(struct qs_decoder *d, uint32_t *sequence, uint32_t *ack)
{
    const uint32_t at = d->in.pos;

    *sequence = qs_u32be(d, QW_SEQUENCE_BIASED) - QW_STUN_BIAS;
    qs_emit_generated_uint(d, QW_SEQUENCE_WORD, at, 4, *sequence);
    *ack = qs_u32be(d, QW_ACK_WORD);
}

uint16_t qw_read_fragment_word(struct qs_decoder *d)
{
    const uint16_t word = qs_u16(d, QW_FRAGMENT_WORD);

    qs_emit_generated_uint(d, QW_FRAGMENT_OFFSET, d->in.pos - 2, 2, qw_fragment_offset(word));
    return word;
}

/* --- Joining --- */

static struct qs_fragments *fragments_of(struct qs_decoder *d)
{
    struct qw_session *session = qw_session(d);

    return d->direction == QS_S2C ? &session->to_client : &session->to_server;
}

bool qw_read_fragment(struct qs_decoder *d, uint16_t word)
{
    static const struct qs_fragment_format format = {
        {0, 4}, QW_FRAGMENT_DATA, QW_FRAGMENTS, MESSAGE_MAX};
    const uint32_t offset = qw_fragment_offset(word);

    qs_summary(d, " fragment at %u", offset);
    qw_session(d)->joined =
        qs_receive_fragment(d, fragments_of(d), &format, offset, word & QW_MORE_FRAGMENTS);
    return qw_session(d)->joined;
}

void qw_fragments_copy(struct qw_session *to, const struct qw_session *from)
{
    qs_fragments_copy(&to->to_server, &from->to_server);
    qs_fragments_copy(&to->to_client, &from->to_client);
    to->joined = NULL;
}

void qw_fragments_clear(struct qw_session *session)
{
    qs_fragments_clear(&session->to_server);
    qs_fragments_clear(&session->to_client);
    g_clear_pointer(&session->joined, g_bytes_unref);
}
