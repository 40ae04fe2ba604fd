/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connectionless packets: the mark ff ff ff ff, then a command. From clients it is a word, from
 * servers as a rule a single letter with its text glued on; the text ends with a newline, a NUL or
 * the packet. Some replies and all that servers send to masters lack the mark. Source: qwd-format,
 * section 4; qw28-protocol, "Connection Handshake" and "Master Server Protocol"; PROTOCOL.md,
 * section 1.
 */
#include "common/quakeworld/extensions.h"
#include "common/quakeworld/messages.h"
#include "common/quakeworld/oob.h"

/* --- Chunks of FTE's downloads --- */

static const char chunk_word[] = "n\\chunk";

static bool is_chunk(struct qs_view text)
{
    const uint32_t length = sizeof chunk_word - 1;

    return text.size > length && memcmp(text.data, chunk_word, length) == 0;
}

/* n\chunk, the number of the transfer, then svc_download; ezquake CL_Parse_OOB_ChunkedDownload. */
static void read_chunk(struct qs_decoder *d, const struct qw_oob *oob)
{
    const struct qs_view word = {oob->text.data, sizeof chunk_word - 1};

    qs_emit_bytes(d, QW_OOB_COMMAND, oob->offset, word.size, word);
    qs_summary(d, "chunk");
    d->in.pos = oob->offset + word.size;
    qs_u32(d, QW_CHUNK_TRANSFER);
    qw_apply_extensions(d);
    qs_read_messages(d, QW_SVC, qw_server_message);
}

bool qw_is_known_oob(struct qs_view text)
{
    return is_chunk(text) || qw_find_oob_letter(text) || qw_begins_with_oob_word(text);
}

/* --- The packet --- */

static void read_text(struct qs_decoder *d)
{
    struct qw_oob oob = {.offset = d->in.pos};
    const struct qw_oob_letter *letter;
    bool word;

    oob.text = (struct qs_view){d->in.data + oob.offset, qs_reader_left(&d->in)};
    letter = qw_find_oob_letter(oob.text);
    word = qw_begins_with_oob_word(oob.text);
    if (is_chunk(oob.text))
        read_chunk(d, &oob);
    else if (letter && !word)
        qw_read_oob_letter(d, &oob, letter);
    else
        qw_read_oob_word(d, &oob);
}

/* Only the end mark of the text is left, which no field covers. */
static void finish(struct qs_decoder *d)
{
    d->in.pos = d->in.size;
}

bool qw_is_connectionless(const struct qs_decoder *d)
{
    return d->in.size > 4 && qs_le32(d->in.data) == UINT32_MAX;
}

void qw_decode_connectionless(struct qs_decoder *d)
{
    d->connectionless = true;
    qs_open(d, QW_OOB);
    qs_u32(d, QW_OOB_MARK);
    read_text(d);
    finish(d);
    qs_close(d);
}

/* --- Texts without the mark --- */

/*
 * FTE's client asks in Quake's protocol too, on the same port: a control packet with its own length
 * and the game's name; PROTOCOL.md, section 1.
 */
bool qw_is_quake_request(const struct qs_packet *packet)
{
    static const uint8_t name[] = {0x01, 'Q', 'U', 'A', 'K', 'E', 0};

    return packet->size >= 4 + sizeof name && qs_be16(packet->data) == 0x8000 &&
           qs_be16(packet->data + 2) == packet->wire_size &&
           memcmp(packet->data + 4, name, sizeof name) == 0;
}

bool qw_is_bare_text(const struct qs_packet *packet)
{
    return packet->size < 8 || qw_find_bare_letter(packet) || qw_is_quake_request(packet);
}

void qw_decode_bare_text(struct qs_decoder *d)
{
    const struct qw_oob_letter *command = qw_find_bare_letter(d->packet);
    const struct qw_oob oob = {{d->in.data, d->in.size}, 0};

    d->connectionless = true;
    if (qw_is_quake_request(d->packet)) {
        qs_summary(d, "Quake connection request");
        qs_bytes(d, QW_QUAKE_REQUEST, d->in.size);
        return;
    }
    if (!command) {
        qs_note(d, QS_NOTE_UNUSUAL, 0, d->in.size, "Runt packet: engines ignore it");
        qs_summary(d, "runt");
        qs_bytes(d, QW_RUNT, d->in.size);
        return;
    }
    qs_open(d, QW_OOB);
    qw_read_oob_letter(d, &oob, command);
    finish(d);
    qs_close(d);
}
