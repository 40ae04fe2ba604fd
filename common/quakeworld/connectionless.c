/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connectionless packets: the mark ff ff ff ff, then a command. From clients it is a word, from
 * servers as a rule a single letter with its text glued on; the text ends with a newline, a NUL or
 * the packet. Some replies and all that servers send to masters lack the mark. Source: qwd-format,
 * section 4; qw28-protocol, "Connection Handshake" and "Master Server Protocol"; PROTOCOL.md,
 * section 1.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/connectionless.h"

/* --- Texts that begin with a word --- */

/* What clients and servers ask for, and the few answers that are words. */

enum { FRAGMENT_MTU_MIN = 64 /* servers take a smaller one for none */ };

/* The next word of the line; false: there is none. */
static bool read_word(struct qs_decoder *d, unsigned id, struct qw_oob *oob)
{
    struct qs_token word;

    if (!qs_token_next(oob->line, &oob->pos, &word))
        return false;
    qw_emit_oob_token(d, id, oob, &word);
    return true;
}

static void read_arguments(struct qs_decoder *d, struct qw_oob *oob)
{
    while (read_word(d, QW_OOB_ARGUMENT, oob))
        ;
}

/* The rest of the line behind blanks. */
static struct qs_view read_rest(struct qs_decoder *d, unsigned id, struct qw_oob *oob)
{
    struct qs_view rest;

    while (oob->pos < oob->line.size && oob->line.data[oob->pos] == ' ')
        oob->pos++;
    rest = qw_oob_behind(oob->line, oob->pos);
    if (rest.size)
        qs_emit_bytes(d, id, oob->offset + oob->pos, rest.size, rest);
    return rest;
}

/* What a line of connect asks of the netchan's headers; fteqw sv_main.c SVC_DirectConnect. */
static void ask_for_netchan(struct qw_netchan_format *asked, uint32_t key, uint32_t value)
{
    if (key == EXTENSION_FTE2)
        asked->stunaware = value & FTE2_STUNAWARE;
    else if (key == EXTENSION_FRAG)
        asked->fragments = value >= FRAGMENT_MTU_MIN;
    else if (key == EXTENSION_HUFF)
        asked->huffman = true;
}

/* "0x58455446 0x2140f000": an extension that the client asks for. */
static void read_connect_extension(struct qs_decoder *d, struct qs_view line, uint32_t offset)
{
    struct qs_token key, value;
    struct fte_extension extension;
    uint32_t pos = 0;

    if (!qs_token_next(line, &pos, &key) || !qs_token_next(line, &pos, &value))
        return;
    extension = fte_emit_extension_words(d, &key, &value, offset);
    ask_for_netchan(&qw_session_of(d)->asked, extension.key, extension.value);
    if (extension.key == EXTENSION_FTE2)
        qw_session_of(d)->asked_fte2 = extension.value;
}

static void read_connect_extensions(struct qs_decoder *d, struct qs_view rest, uint32_t offset)
{
    while (rest.size) {
        const struct qs_view line = qw_oob_line(rest);
        const uint32_t step = line.size < rest.size ? line.size + 1 : line.size;

        read_connect_extension(d, line, offset);
        rest = qw_oob_behind(rest, step);
        offset += step;
    }
}

static void read_connect_number(struct qs_decoder *d, unsigned id, struct qw_oob *oob)
{
    struct qs_token word;

    if (qs_token_next(oob->line, &oob->pos, &word))
        qw_emit_oob_number(d, id, QW_OOB_ARGUMENT, oob->offset, &word);
}

static void read_connect_userinfo(struct qs_decoder *d, struct qw_oob *oob)
{
    struct qs_token word;

    if (!qs_token_next(oob->line, &oob->pos, &word))
        return;
    qw_emit_oob_token(d, QW_CONNECT_USERINFO, oob, &word);
    qw_emit_info(d, word.text, oob->offset + word.offset + (word.text.size < word.length ? 1 : 0));
    qs_add_userinfo_credential(d, QW_CONNECT_USERINFO, word.text);
    qs_info_replace(d, &qw_session_of(d)->texts, QW_TEXT_ASKED_USERINFO, word.text,
                    QW_INFO_STRING_MAX);
    qs_summary_quote(d, "name", qs_info_value(word.text, "name"));
}

/* connect VERSION QPORT CHALLENGE "USERINFO", then a line for each protocol extension. */
static void read_connect(struct qs_decoder *d, struct qw_oob *oob)
{
    const uint32_t end = oob->line.size;

    qw_session_of(d)->asked = (struct qw_netchan_format){.known = true};
    qw_session_of(d)->asked_fte2 = 0;
    read_connect_number(d, QW_CONNECT_VERSION, oob);
    read_connect_number(d, QW_CONNECT_QPORT, oob);
    read_word(d, QW_CONNECT_CHALLENGE, oob);
    read_connect_userinfo(d, oob);
    read_arguments(d, oob);
    if (end < oob->text.size)
        read_connect_extensions(d, qw_oob_behind(oob->text, end + 1), oob->offset + end + 1);
}

static void read_status(struct qs_decoder *d, struct qw_oob *oob)
{
    read_word(d, QW_STATUS_FLAGS, oob);
    read_arguments(d, oob);
}

static void read_rcon(struct qs_decoder *d, struct qw_oob *oob)
{
    if (read_word(d, QW_RCON_PASSWORD, oob))
        qs_add_credential(d, QW_RCON_PASSWORD, "rcon", (struct qs_view){0});
    read_rest(d, QW_RCON_COMMAND, oob);
}

/* "broadcast" and an info string that reaches to the newline, from server to server; mvdsv
 * sv_broadcast.c, SV_BroadcastSend, SVC_Broadcast. */
static void read_broadcast(struct qs_decoder *d, struct qw_oob *oob)
{
    const struct qs_view info = read_rest(d, QW_BROADCAST, oob);

    qw_emit_info(d, info, oob->offset + oob->pos);
    qs_summary_quote(d, "", qs_info_value(info, "message"));
}

/* clang-format off */
static const struct word_command {
    const char *name;
    void (*read)(struct qs_decoder *, struct qw_oob *);
    uint32_t asks, answers; /* sets of QS_ASK_ bits */
} word_commands[] = {
#define OOB(name, read, asks, answers) {name, read, asks, answers},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct word_command *find_word(struct qs_view name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(word_commands); i++)
        if (qs_view_equal(name, word_commands[i].name))
            return &word_commands[i];
    return NULL;
}

/* Who asks is a client; the answers that are words are qwfwd's to clients of other games. */
static void learn_sender(struct qs_decoder *d, const struct word_command *command)
{
    if (command->answers)
        qw_oob_of_server(d);
    else if (command->asks != QS_TELLS)
        qw_oob_of_client(d);
}

static void read_words(struct qs_decoder *d, struct qw_oob *oob)
{
    const struct word_command *command;
    struct qs_token name;

    oob->line = qw_oob_line(oob->text);
    if (!qs_token_next(oob->line, &oob->pos, &name)) {
        qs_summary(d, "empty");
        return;
    }
    command = find_word(name.text);
    qw_emit_oob_token(d, QW_OOB_COMMAND, oob, &name);
    qs_label_text(d, ": ", name.text, "");
    qs_summary_text(d, "", name.text, "");
    if (command) {
        qs_add_requests(d, command->asks, command->answers);
        learn_sender(d, command);
        command->read(d, oob);
        return;
    }
    read_arguments(d, oob);
    qs_note(d, QS_NOTE_UNUSUAL, oob->offset + name.offset, name.length,
            "Not a connectionless command that is known");
}

static bool begins_with_word(struct qs_view text)
{
    struct qs_token name;
    uint32_t pos = 0;

    return qs_token_next(qw_oob_line(text), &pos, &name) && find_word(name.text);
}

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
    return is_chunk(text) || qw_find_oob_letter(text) || begins_with_word(text);
}

/* --- The packet --- */

static void read_text(struct qs_decoder *d)
{
    struct qw_oob oob = {.offset = d->in.pos};
    const struct qw_oob_letter *letter;
    bool word;

    oob.text = (struct qs_view){d->in.data + oob.offset, qs_reader_left(&d->in)};
    letter = qw_find_oob_letter(oob.text);
    word = begins_with_word(oob.text);
    if (is_chunk(oob.text))
        read_chunk(d, &oob);
    else if (letter && !word)
        qw_read_oob_letter(d, &oob, letter);
    else
        read_words(d, &oob);
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
    const struct qw_oob oob = {.text = {d->in.data, d->in.size}};

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
