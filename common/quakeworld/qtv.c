/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QTV: a server's MVD, streamed over TCP to proxies and viewers while it is recorded.
 *
 * Either end begins with text: lines of `KEY: value` (or a key alone) up to an empty line. A
 * request begins with the line QTV, a reply with QTVSV and a version. After a reply with BEGIN the
 * source sends MVD blocks, and the viewer commands with their length before them. After a request
 * with RAW the source sends blocks at once. With REVERSE the source has opened the connection, and
 * sends the reply. Source: mvdsv sv_demo_qtv.c; ezquake cl_demo.c CL_QTVPoll, qtv.c; fteqw
 * sv_mvd.c, cl_demo.c, fteqtv/source.c, fteqtv/forward.c; QTV (Go) downstream_pending_request.go.
 */

#include "common/core/text.h"
#include "common/quakeworld/decode.h"
#include "common/quakeworld/mvd.h"

enum {
    TEXT_MAX = 256 * 1024, /* a proxy's list of demos may be long; ezquake reads half a megabyte */
    COMMAND_LENGTH_SIZE = 2,
    COMMAND_MIN = 3 /* a length, which includes itself, and an id */
};

static struct qw_qtv *qtv_of(const struct qs_decoder *d)
{
    return &qw_session_of(d)->qtv;
}

/* --- Splitting the stream into PDUs --- */

static bool is_request(struct qs_view start)
{
    return qs_view_begins(start, "QTV\n") || qs_view_begins(start, "QTV\r\n");
}

static bool is_reply(struct qs_view start)
{
    return qs_view_begins(start, "QTVSV ");
}

/* True if there are too few bytes to decide whether a text begins. */
static bool may_be_text(struct qs_view start)
{
    static const char *const marks[] = {"QTV\n", "QTV\r\n", "QTVSV "};

    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        if (start.size < strlen(marks[i]) && memcmp(start.data, marks[i], start.size) == 0)
            return true;
    return false;
}

bool qw_recognize_stream(struct qs_view start)
{
    return is_request(start) || is_reply(start);
}

/*
 * Returns the size of the text with its empty line, or 0 if that line has not arrived. The first
 * `seen` bytes were searched before.
 */
static uint32_t text_size(struct qs_view start, uint32_t seen)
{
    enum { MARK_MAX = 3 }; /* bytes of the empty line that `seen` may include */
    const uint8_t *end = start.data + start.size;
    const uint8_t *at = start.data + (seen > MARK_MAX ? seen - MARK_MAX : 0);

    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        if (end - at >= 1 && at[0] == '\n')
            return (uint32_t)(at + 1 - start.data);
        if (end - at >= 2 && at[0] == '\r' && at[1] == '\n')
            return (uint32_t)(at + 2 - start.data);
    }
    return 0;
}

/* Returns the length of the text, or size + 1 if its end is missing; 0: longer than the limit. */
static uint32_t text_pdu_length(struct qs_view start, uint32_t seen)
{
    const uint32_t size = text_size(start, seen);

    if (size)
        return size;
    return start.size < TEXT_MAX ? start.size + 1 : 0;
}

static uint32_t command_size(struct qs_view start)
{
    uint32_t size;

    if (start.size < COMMAND_LENGTH_SIZE)
        return COMMAND_LENGTH_SIZE;
    size = qs_le16(start.data);
    return size >= COMMAND_MIN ? size : 0;
}

/* Returns the size of the PDU at `start`, or a lower bound. 0: no PDU of this stage begins here. */
static uint32_t size_at_stage(enum qw_qtv_stage stage, struct qs_view start, uint32_t seen)
{
    switch (stage) {
    case QW_QTV_STAGE_TEXT:
    case QW_QTV_STAGE_RAW:
        if (may_be_text(start))
            return start.size + 1;
        if (qw_recognize_stream(start))
            return text_pdu_length(start, seen);
        return stage == QW_QTV_STAGE_RAW ? qw_mvd_block_size(start) : 0;
    case QW_QTV_STAGE_BLOCKS:
        return qw_mvd_block_size(start);
    case QW_QTV_STAGE_COMMANDS:
        return command_size(start);
    case QW_QTV_STAGE_LOST:
    case QW_QTV_STAGE_COMPRESSED:
        break;
    }
    return 0;
}

uint32_t qw_pdu_length(const struct qs_session *session, const struct qs_packet *start,
                       uint32_t seen)
{
    const struct qw_qtv *qtv = &((const struct qw_session *)session)->qtv;
    const struct qs_view bytes = {start->data, start->size};
    const uint32_t size = start->missing ? 0 : size_at_stage(qtv->stage[start->from], bytes, seen);

    return size ? size : MAX(start->size, 1);
}

/* --- Lines of text --- */

/* A line `KEY: value`, and the offsets of its parts in the packet. */
struct qtv_line {
    struct qs_view key, value; /* without white space around them; a key alone has an empty value */
    uint32_t offset, length;   /* position of the whole line */
    uint32_t value_offset;
};

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Removes blanks at both ends. Adds the number removed at the front to `*offset`. */
static struct qs_view trimmed(struct qs_view text, uint32_t *offset)
{
    while (text.size && is_blank(text.data[0])) {
        text.data++;
        text.size--;
        ++*offset;
    }
    while (text.size && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

static struct qs_view up_to(struct qs_view text, char c)
{
    const uint8_t *at = text.size ? memchr(text.data, c, text.size) : NULL;

    return at ? (struct qs_view){text.data, (uint32_t)(at - text.data)} : text;
}

/* Reads the next line. Returns false for an empty one, or at the end. */
static bool next_line(struct qs_decoder *d, struct qtv_line *line)
{
    const struct qs_view left = qs_rest(d);
    const struct qs_view whole = up_to(left, '\n');
    uint32_t key_offset = d->in.pos;
    struct qs_view text;

    line->offset = d->in.pos;
    line->length = whole.size;
    qs_reader_bytes(&d->in, MIN(whole.size + 1, left.size));
    text = trimmed(whole, &key_offset);
    line->key = up_to(text, ':');
    line->value_offset = key_offset + MIN(line->key.size + 1, text.size);
    line->value = trimmed(qs_view_skip(text, line->key.size + 1), &line->value_offset);
    return text.size != 0;
}

/* --- Values --- */

/* Returns the value without the quotes around it. */
static struct qs_view unquoted(const struct qtv_line *line)
{
    struct qs_token token;
    uint32_t pos = 0;

    if (!line->value.size || line->value.data[0] != '"')
        return line->value;
    qs_token_next(line->value, &pos, &token);
    return token.text;
}

static void emit_text(struct qs_decoder *d, unsigned id, const struct qtv_line *line)
{
    qs_emit_bytes(d, id, line->value_offset, line->value.size, unquoted(line));
}

static void emit_number(struct qs_decoder *d, unsigned id, const struct qtv_line *line)
{
    int64_t number;

    if (qs_view_number_within(line->value, 0, UINT32_MAX, &number))
        qs_emit_uint(d, id, line->value_offset, line->value.size, (uint64_t)number);
    else
        emit_text(d, QW_QTV_VALUE, line);
}

/* Converts "1", "1.0" or "1.1". */
static double number_of(struct qs_view text)
{
    char *copy = g_strndup((const char *)text.data, text.size);
    const double number = g_ascii_strtod(copy, NULL);

    g_free(copy);
    return number;
}

static void emit_version(struct qs_decoder *d, unsigned id, const struct qtv_line *line)
{
    const double version = number_of(line->value);

    qs_emit_double(d, id, line->value_offset, line->value.size, version);
}

static void emit_userinfo(struct qs_decoder *d, unsigned id, const struct qtv_line *line)
{
    const struct qs_view info = unquoted(line);

    emit_text(d, id, line);
    qw_emit_info(d, info, line->value_offset + (uint32_t)(info.data - line->value.data));
    if (!d->probing)
        qs_info_replace(d, &qw_session_of(d)->texts, QW_TEXT_ASKED_USERINFO, info,
                        QW_INFO_STRING_MAX);
}

/* Emits parts separated by a colon and a blank, as in "3: 127.0.0.1:27500: My server". */
static void emit_parts(struct qs_decoder *d, const unsigned *rows, unsigned count,
                       const struct qtv_line *line)
{
    struct qtv_line part = *line;
    struct qs_view rest = line->value;

    for (unsigned i = 0; i < count && rest.size; i++) {
        uint32_t at = part.value_offset;
        uint32_t size = 0;

        while (size < rest.size && (i + 1 == count || rest.data[size] != ':' ||
                                    (size + 1 < rest.size && !is_blank(rest.data[size + 1]))))
            size++;
        part.value = trimmed((struct qs_view){rest.data, size}, &part.value_offset);
        if (d->protocol->fields[rows[i]].type == QS_TEXT)
            emit_text(d, rows[i], &part);
        else
            emit_number(d, rows[i], &part);
        part.value_offset = at + MIN(size + 1, rest.size);
        rest = qs_view_skip(rest, size + 1);
    }
}

static void emit_source(struct qs_decoder *d, unsigned id, const struct qtv_line *line)
{
    static const unsigned rows[] = {QW_QTV_STREAM_ID, QW_QTV_STREAM_SERVER, QW_QTV_STREAM_HOSTNAME};

    (void)id;
    emit_parts(d, rows, G_N_ELEMENTS(rows), line);
}

static void emit_demo(struct qs_decoder *d, unsigned id, const struct qtv_line *line)
{
    static const unsigned rows[] = {QW_QTV_DEMO_SIZE, QW_QTV_DEMO_NAME};

    (void)id;
    emit_parts(d, rows, G_N_ELEMENTS(rows), line);
}

/* --- Keys --- */

/* Properties of the stream that a text announces. */
struct terms {
    bool begin, raw, reverse, reversed, compression;
};

struct qtv_key {
    const char *name;
    unsigned id;
    void (*emit)(struct qs_decoder *d, unsigned id, const struct qtv_line *line);
    const char *meaning;
};

/* clang-format off */
static const struct qtv_key keys[] = {
#define QTV_KEY(name, field, emit, meaning) {name, QW_QTV_##field, emit, meaning},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct qtv_key *find_key(struct qs_view name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        if (qs_view_equal(name, keys[i].name))
            return &keys[i];
    return NULL;
}

static void collect_terms(struct terms *terms, const struct qtv_line *line)
{
    const bool nothing = qs_view_equal(line->value, "NONE") || !line->value.size;

    terms->begin |= qs_view_equal(line->key, "BEGIN");
    terms->raw |= qs_view_equal(line->key, "RAW") && qs_view_unsigned(line->value);
    terms->reverse |= qs_view_equal(line->key, "REVERSE");
    terms->reversed |= qs_view_equal(line->key, "REVERSED");
    terms->compression |= qs_view_equal(line->key, "COMPRESSION") && !nothing;
}

static void read_line(struct qs_decoder *d, const struct qtv_line *line)
{
    const struct qtv_key *key = find_key(line->key);

    qs_open_at(d, QW_QTV_LINE, line->offset);
    qs_label_text(d, ": ", (struct qs_view){d->in.data + line->offset, line->length}, "");
    qs_emit_bytes(d, QW_QTV_KEY, line->offset, line->key.size, line->key);
    if (key)
        qs_emit_generated_text(d, QW_QTV_MEANING, line->offset, line->key.size, key->meaning);
    if (line->value.size && key)
        key->emit(d, key->id, line);
    else if (line->value.size)
        emit_text(d, QW_QTV_VALUE, line);
    qs_close_at(d, line->offset + line->length);
}

/* --- Texts --- */

static void read_mark(struct qs_decoder *d)
{
    struct qtv_line line;
    struct qs_token mark, version;
    uint32_t pos = 0;
    struct qs_view whole;

    next_line(d, &line);
    whole = (struct qs_view){d->in.data + line.offset, line.length};
    if (!qs_token_next(whole, &pos, &mark))
        return;
    qs_emit_bytes(d, QW_QTV_MARK, line.offset + mark.offset, mark.length, mark.text);
    if (!qs_token_next(whole, &pos, &version))
        return;
    qs_emit_double(d, QW_QTV_VERSION, line.offset + version.offset, version.length,
                   number_of(version.text));
}

/* Adds the key to the summary, and the values of errors and of names of streams. */
static void summarize(struct qs_decoder *d, const struct qtv_line *line)
{
    const struct qtv_key *key = find_key(line->key);
    const bool shown = key && line->value.size &&
                       (key->id == QW_QTV_ERROR || key->id == QW_QTV_BEGIN ||
                        key->id == QW_QTV_SOURCE || key->id == QW_QTV_AUTH);

    qs_summary_text(d, " ", line->key, "");
    if (shown)
        qs_summary_quote(d, "", unquoted(line));
}

static void read_text(struct qs_decoder *d, struct terms *terms)
{
    struct qtv_line line;

    read_mark(d);
    while (next_line(d, &line)) {
        read_line(d, &line);
        summarize(d, &line);
        collect_terms(terms, &line);
    }
}

/* Begins a connection for a new stream, and forgets the previous one. */
static void begin_stream(struct qs_decoder *d)
{
    struct qw_session *session = qw_session_of(d);
    const struct qw_qtv qtv = session->qtv;

    qw_session_connect(session);
    session->qtv = qtv;
    session->qtv.begun = true;
    d->found.accepted = true;
}

static void follow_request(struct qs_decoder *d, const struct terms *terms)
{
    struct qw_qtv *qtv = qtv_of(d);

    if (d->session->server == QS_END_UNKNOWN)
        qs_learn_direction(d, terms->reverse ? QS_S2C : QS_C2S);
    if (terms->raw && !terms->reverse)
        qtv->stage[qs_other_end(d->packet->from)] = QW_QTV_STAGE_RAW;
}

static void follow_reply(struct qs_decoder *d, const struct terms *terms)
{
    struct qw_qtv *qtv = qtv_of(d);
    const enum qs_end from = d->packet->from;

    if (d->session->server == QS_END_UNKNOWN)
        qs_learn_direction(d, terms->reversed ? QS_C2S : QS_S2C);
    if (!terms->begin)
        return;
    qtv->stage[from] = terms->compression ? QW_QTV_STAGE_COMPRESSED : QW_QTV_STAGE_BLOCKS;
    qtv->stage[qs_other_end(from)] = QW_QTV_STAGE_COMMANDS;
    begin_stream(d);
}

static void decode_request(struct qs_decoder *d)
{
    struct terms terms = {false};

    qs_summary(d, "QTV request:");
    qs_open(d, QW_QTV_REQUEST);
    read_text(d, &terms);
    qs_close(d);
    follow_request(d, &terms);
}

static void decode_reply(struct qs_decoder *d)
{
    struct terms terms = {false};

    qs_summary(d, "QTV reply:");
    qs_open(d, QW_QTV_REPLY);
    read_text(d, &terms);
    qs_close(d);
    follow_reply(d, &terms);
}

/* --- Commands that viewers send after the request --- */

static void read_stringcmd(struct qs_decoder *d)
{
    qw_read_commands(d, QW_QTV_STRINGCMD);
}

static void read_commentarydata(struct qs_decoder *d)
{
    qs_bytes(d, QW_QTV_COMMENTARY, qs_reader_left(&d->in));
}

/* clang-format off */
static const struct qs_message_type messages[] = {
#define QTV_CLC(id, number, name, read) [QTV_CLC_##id] = {"qtv_clc_" name, name, QW_QTV_CLC_##id, read},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct qs_message_type *client_message(const struct qs_decoder *d, uint32_t id)
{
    (void)d;
    return id < G_N_ELEMENTS(messages) && messages[id].name ? &messages[id] : NULL;
}

static void decode_command(struct qs_decoder *d)
{
    d->found.accepted = true;
    qs_summary(d, "QTV");
    qs_u16(d, QW_QTV_LENGTH);
    qs_read_messages(d, QW_QTV_CLC, client_message);
}

/* --- Data that cannot be decoded --- */

/* Stops decoding what this end sends. */
static void lose(struct qs_decoder *d)
{
    qtv_of(d)->stage[d->packet->from] = QW_QTV_STAGE_LOST;
}

static void decode_rest(struct qs_decoder *d)
{
    d->found.accepted = qtv_of(d)->begun;
    qs_summary(d, "%u bytes of a QTV stream", d->in.size);
    qs_undecoded(d);
}

static void decode_behind_hole(struct qs_decoder *d)
{
    qs_note(d, QS_NOTE_NOT_CAPTURED, 0, 0,
            "The capture lacks %u bytes of the stream before packet %" G_GUINT64_FORMAT
            ": the start of the next block cannot be found",
            d->packet->missing, d->packet->missing_before);
    lose(d);
    decode_rest(d);
}

static void decode_no_pdu(struct qs_decoder *d)
{
    qs_note(
        d, QS_NOTE_MALFORMED, 0, d->in.size,
        "Neither a text nor a block of a QTV stream: the start of the next one cannot be found");
    lose(d);
    decode_rest(d);
}

/* Handles a PDU that is incomplete, because the stream ended or could not be reassembled. */
static void decode_cut(struct qs_decoder *d)
{
    lose(d);
    decode_rest(d);
}

static void decode_compressed(struct qs_decoder *d)
{
    if (!qtv_of(d)->compression_reported)
        qs_note(d, QS_NOTE_PROTOCOL_UNDECODED, 0, 0,
                "The stream is compressed by a method that no published program uses");
    qtv_of(d)->compression_reported = true;
    decode_rest(d);
}

/* --- Decoding a PDU --- */

static void decode_block(struct qs_decoder *d)
{
    struct qw_qtv *qtv = qtv_of(d);
    const enum qs_end from = d->packet->from;

    if (qtv->stage[from] == QW_QTV_STAGE_RAW) {
        qtv->stage[from] = QW_QTV_STAGE_BLOCKS;
        qtv->stage[qs_other_end(from)] = QW_QTV_STAGE_COMMANDS;
        begin_stream(d);
    }
    qtv->block = true;
    qw_decode_mvd_block(d);
}

/* True if the PDU has the size that its stage requires. */
static bool is_whole_pdu(const struct qs_decoder *d, enum qw_qtv_stage stage)
{
    const struct qs_view bytes = {d->packet->data, d->packet->size};

    return bytes.size && size_at_stage(stage, bytes, 0) == bytes.size;
}

void qw_decode_pdu(struct qs_decoder *d)
{
    const enum qw_qtv_stage stage = qtv_of(d)->stage[d->packet->from];
    const struct qs_view bytes = {d->packet->data, d->packet->size};

    qtv_of(d)->block = false;
    d->found.connectionless = !qtv_of(d)->begun;
    if (stage == QW_QTV_STAGE_COMPRESSED)
        decode_compressed(d);
    else if (stage == QW_QTV_STAGE_LOST)
        decode_rest(d);
    else if (d->packet->missing)
        decode_behind_hole(d);
    else if (qs_packet_is_cut(d->packet))
        decode_cut(d);
    else if (!is_whole_pdu(d, stage))
        decode_no_pdu(d);
    else if (stage == QW_QTV_STAGE_COMMANDS)
        decode_command(d);
    else if (is_request(bytes) && stage != QW_QTV_STAGE_BLOCKS)
        decode_request(d);
    else if (is_reply(bytes) && stage != QW_QTV_STAGE_BLOCKS)
        decode_reply(d);
    else
        decode_block(d);
}
