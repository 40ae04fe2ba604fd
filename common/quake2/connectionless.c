/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connectionless packets: four bytes 255 and a line of text. Source: PROTOCOL.md, section 12;
 * engine, cl_main.c CL_ConnectionlessPacket, sv_main.c SV_ConnectionlessPacket; the master's
 * answer: Q2PRO, ui/servers.c.
 */
#include "common/core/emit.h"
#include "common/core/text.h"
#include "common/quake2/decode.h"

enum { MARK_SIZE = 4, SERVER_SIZE = 6 };

static const struct qs_info_rows rule_rows = {Q2_STATUS_RULE, Q2_STATUS_RULE_KEY,
                                              Q2_STATUS_RULE_VALUE};
static const struct qs_info_rows userinfo_rows = {Q2_USERINFO_PAIR, Q2_USERINFO_KEY,
                                                  Q2_USERINFO_VALUE};

/* Text after the mark, and the position in it. */
struct text_line {
    struct qs_view text;
    uint32_t base; /* offset of the text in the packet */
    uint32_t pos;
};

static struct qs_view rest_of(const struct text_line *line)
{
    return (struct qs_view){line->text.data + line->pos, line->text.size - line->pos};
}

static void emit_view(struct qs_decoder *d, unsigned id, struct text_line *line, uint32_t size)
{
    const struct qs_view view = {line->text.data + line->pos, size};

    qs_emit_bytes(d, id, line->base + line->pos, size, view);
    line->pos += size;
}

static void emit_token(struct qs_decoder *d, unsigned id, const struct text_line *line,
                       const struct qs_token *token)
{
    qs_emit_bytes(d, id, line->base + token->offset, token->length, token->text);
}

static bool read_word(struct qs_decoder *d, unsigned id, struct text_line *line,
                      struct qs_view *word)
{
    struct qs_token token;

    if (!qs_token_next(line->text, &line->pos, &token))
        return false;
    emit_token(d, id, line, &token);
    *word = token.text;
    return true;
}

/* Reads the next word as a number, as atoi() does. Returns false if no word is left. */
static bool read_number(struct qs_decoder *d, unsigned id, struct text_line *line, int64_t *number)
{
    struct qs_token token;
    char digits[24] = "";

    *number = 0;
    if (!qs_token_next(line->text, &line->pos, &token))
        return false;
    memcpy(digits, token.text.data, MIN(token.text.size, sizeof digits - 1));
    *number = g_ascii_strtoll(digits, NULL, 10);
    if (!qs_type_holds(d->protocol->fields[id].type, *number))
        emit_token(d, Q2_OOB_ARGUMENT, line, &token);
    else if (d->protocol->fields[id].type == QS_I32)
        qs_emit_int(d, id, line->base + token.offset, token.length, *number);
    else
        qs_emit_uint(d, id, line->base + token.offset, token.length, (uint64_t)*number);
    return true;
}

static void read_arguments(struct qs_decoder *d, struct text_line *line)
{
    struct qs_view word;

    while (read_word(d, Q2_OOB_ARGUMENT, line, &word))
        ;
}

static void read_text(struct qs_decoder *d, struct text_line *line)
{
    if (line->pos < line->text.size)
        emit_view(d, Q2_OOB_TEXT, line, line->text.size - line->pos);
}

/* Skips the end of the line after the command word. */
static void skip_line_end(struct qs_decoder *d, struct text_line *line)
{
    uint32_t size = 0;

    while (line->pos + size < line->text.size && line->text.data[line->pos + size] <= ' ')
        if (line->text.data[line->pos + size++] == '\n')
            break;
    if (size)
        emit_view(d, Q2_OOB_END, line, size);
}

/* --- Connecting */

static void read_protocols(struct qs_decoder *d, struct text_line *line,
                           const struct qs_token *token)
{
    uint32_t at = 2; /* after "p=" */

    while (at < token->text.size) {
        uint32_t end = at;
        int64_t number;

        while (end < token->text.size && token->text.data[end] != ',')
            end++;
        if (qs_view_number_within((struct qs_view){token->text.data + at, end - at}, 0, UINT32_MAX,
                                  &number))
            qs_emit_uint(d, Q2_CHALLENGE_PROTOCOL, line->base + token->offset + at, end - at,
                         (uint64_t)number);
        at = end + 1;
    }
}

static void read_challenge(struct qs_decoder *d, struct text_line *line)
{
    struct qs_view word;
    struct qs_token token;

    qs_learn_direction(d, QS_S2C);
    read_word(d, Q2_CHALLENGE, line, &word);
    while (qs_token_next(line->text, &line->pos, &token)) {
        if (qs_view_begins(token.text, "p="))
            read_protocols(d, line, &token);
        else
            emit_token(d, Q2_OOB_ARGUMENT, line, &token);
    }
}

/* Parameters of a client's connect, which apply when the server sends client_connect. */
struct connect {
    int64_t version, qport, netchan, minor;
    struct qs_view userinfo;
};

static void read_userinfo(struct qs_decoder *d, struct text_line *line, struct connect *connect)
{
    struct qs_token token;

    if (!qs_token_next(line->text, &line->pos, &token))
        return;
    connect->userinfo = token.text;
    qs_add_userinfo_credential(d, Q2_USERINFO_TEXT, token.text);
    qs_summary_quote(d, "name", qs_info_value(token.text, "name"));
    emit_token(d, Q2_USERINFO_TEXT, line, &token);
    qs_emit_info(d, &userinfo_rows, token.text,
                 line->base + (uint32_t)(token.text.data - line->text.data));
}

/* True if the client is q2pro-ng: it sends its minor version and the message length, while Q2PRO
 * sends the message length and its netchan, 0 or 1. */
static bool is_q2pro_ng(const struct text_line *line, const struct connect *connect)
{
    uint32_t pos = line->pos;
    struct qs_token first, second;

    return connect->version == Q2_PROTOCOL_Q2PRO && qs_token_next(line->text, &pos, &first) &&
           qs_token_next(line->text, &pos, &second) &&
           q2_is_minor_of_q2pro_ng(qs_view_unsigned(first.text)) &&
           qs_view_unsigned(second.text) > 1;
}

/* Reads the words that protocols from 35 on append. */
static void read_connect_tail(struct qs_decoder *d, struct text_line *line, struct connect *connect)
{
    int64_t number;

    if (connect->version == Q2_PROTOCOL_R1Q2) {
        read_number(d, Q2_CONNECT_MAX_MESSAGE, line, &number);
        read_number(d, Q2_CONNECT_MINOR, line, &connect->minor);
    } else if (is_q2pro_ng(line, connect)) {
        read_number(d, Q2_CONNECT_MINOR, line, &connect->minor);
        read_number(d, Q2_CONNECT_MAX_MESSAGE, line, &number);
        read_number(d, Q2_CONNECT_ZLIB, line, &number);
    } else if (connect->version == Q2_PROTOCOL_Q2REPRO) {
        read_number(d, Q2_CONNECT_MAX_MESSAGE, line, &number);
        read_number(d, Q2_CONNECT_ZLIB, line, &number);
    } else if (q2_is_q2pro((int32_t)connect->version)) {
        read_number(d, Q2_CONNECT_MAX_MESSAGE, line, &number);
        read_number(d, Q2_CONNECT_NETCHAN, line, &connect->netchan);
        read_number(d, Q2_CONNECT_ZLIB, line, &number);
        read_number(d, Q2_CONNECT_MINOR, line, &connect->minor);
    }
    read_arguments(d, line);
}

static enum q2_qport_width width_of_qport(const struct connect *connect)
{
    if (connect->version < Q2_PROTOCOL_R1Q2)
        return Q2_QPORT_SHORT;
    return connect->qport ? Q2_QPORT_BYTE : Q2_QPORT_NONE;
}

/*
 * Stores the parameters of a connect. If a client reconnects without closing its old connection,
 * the new one begins when the server answers with client_connect; until then the old one continues,
 * and the parameters wait in the session.
 */
static void keep_connect(struct qs_decoder *d, const struct connect *connect)
{
    struct q2_session *session = q2_session_of(d->session);

    session->handshake.asked = true;
    session->handshake.wanted = (struct q2_wanted){
        .version = (int32_t)connect->version,
        .qport_width = width_of_qport(connect),
        .minor = (uint32_t)connect->minor,
        .new_netchan = connect->version == Q2_PROTOCOL_Q2REPRO ||
                       (q2_is_q2pro((int32_t)connect->version) && connect->netchan == 1),
    };
    /* In a cut packet the name may be cut, too. */
    qs_table_set(&session->texts, Q2_TEXT_WANTED_USERINFO,
                 qs_packet_is_cut(d->packet) ? (struct qs_view){0} : connect->userinfo);
}

static void read_connect(struct qs_decoder *d, struct text_line *line)
{
    struct connect connect = {0};
    struct qs_view challenge;

    qs_learn_direction(d, QS_C2S);
    read_number(d, Q2_CONNECT_VERSION, line, &connect.version);
    read_number(d, Q2_CONNECT_QPORT, line, &connect.qport);
    read_word(d, Q2_CONNECT_CHALLENGE, line, &challenge);
    read_userinfo(d, line, &connect);
    read_connect_tail(d, line, &connect);
    keep_connect(d, &connect);
}

static void read_client_connect(struct qs_decoder *d, struct text_line *line)
{
    struct q2_session *session = q2_session_of(d->session);
    struct qs_view word, map = {0};
    int netchan = -1;

    qs_learn_direction(d, QS_S2C);
    while (read_word(d, Q2_CLIENT_CONNECT_OPTION, line, &word)) {
        if (qs_view_begins(word, "map="))
            map = (struct qs_view){word.data + 4, word.size - 4};
        else if (qs_view_begins(word, "nc="))
            netchan = word.size > 3 && word.data[3] == '1';
    }
    qs_summary_quote(d, "map", map);
    q2_session_accept(session);
    /* The server selects the netchan. */
    if (netchan >= 0)
        q2_session_set_netchan(session, netchan == 1);
    if (!qs_packet_is_cut(d->packet))
        qs_table_set(&session->texts, Q2_TEXT_MAP, map);
}

/* --- Queries of servers --- */

static void read_status_player(struct qs_decoder *d, struct text_line *line, uint32_t end)
{
    struct text_line one = {{line->text.data, end}, line->base, line->pos};
    struct qs_view name;
    int64_t number;

    qs_open_at(d, Q2_STATUS_PLAYER, line->base + line->pos);
    read_number(d, Q2_STATUS_SCORE, &one, &number);
    read_number(d, Q2_STATUS_PING, &one, &number);
    if (read_word(d, Q2_STATUS_NAME, &one, &name))
        qs_label_text(d, ": ", name, "");
    read_arguments(d, &one);
    qs_close_at(d, line->base + end);
    line->pos = end;
}

static uint32_t end_of_line(const struct text_line *line)
{
    const struct qs_view rest = rest_of(line);
    const uint8_t *newline = rest.size ? memchr(rest.data, '\n', rest.size) : NULL;

    return newline ? line->pos + (uint32_t)(newline - rest.data) : line->text.size;
}

static void read_status(struct qs_decoder *d, struct text_line *line)
{
    const uint32_t end = end_of_line(line);
    const struct qs_view info = {line->text.data + line->pos, end - line->pos};
    unsigned players = 0;

    qs_emit_info(d, &rule_rows, info, line->base + line->pos);
    line->pos = end;
    skip_line_end(d, line);
    for (; line->pos < line->text.size && line->text.data[line->pos]; players++) {
        read_status_player(d, line, end_of_line(line));
        skip_line_end(d, line);
    }
    d->found.map = qs_info_value(info, "mapname");
    qs_summary_quote(d, "map", d->found.map);
    qs_summary(d, " players %u", players);
}

static bool is_status(const struct text_line *line)
{
    return qs_view_begins(rest_of(line), "\\");
}

static void read_print(struct qs_decoder *d, struct text_line *line)
{
    qs_learn_direction(d, QS_S2C);
    skip_line_end(d, line);
    if (is_status(line)) {
        qs_request_narrow(d, QS_ASK_STATUS);
        read_status(d, line);
    } else {
        qs_request_narrow(d, ~(uint32_t)QS_ASK_STATUS);
        read_text(d, line);
    }
}

static void read_heartbeat(struct qs_decoder *d, struct text_line *line)
{
    skip_line_end(d, line);
    if (is_status(line))
        read_status(d, line);
    else
        read_arguments(d, line);
}

/* Reads info: a client sends its version; the server's answer begins on the next line. */
static void read_info(struct qs_decoder *d, struct text_line *line)
{
    int64_t number;

    if (qs_view_begins(rest_of(line), "\n")) {
        qs_learn_direction(d, QS_S2C);
        skip_line_end(d, line);
        read_text(d, line);
        return;
    }
    qs_learn_direction(d, QS_C2S);
    read_number(d, Q2_INFO_VERSION, line, &number);
    read_arguments(d, line);
}

static void read_request(struct qs_decoder *d, struct text_line *line)
{
    qs_learn_direction(d, QS_C2S);
    read_arguments(d, line);
}

static void read_rcon(struct qs_decoder *d, struct text_line *line)
{
    struct qs_view password, rest;

    qs_learn_direction(d, QS_C2S);
    if (!read_word(d, Q2_RCON_PASSWORD, line, &password))
        return;
    qs_add_credential(d, Q2_RCON_PASSWORD, "rcon", (struct qs_view){0});
    rest = rest_of(line);
    while (rest.size && rest.data[rest.size - 1] <= ' ')
        rest.size--;
    if (rest.size)
        emit_view(d, Q2_RCON_COMMAND, line, rest.size);
}

static void read_servers(struct qs_decoder *d, struct text_line *line)
{
    unsigned count = 0;

    /* One blank follows the word; addresses may begin with any byte. */
    if (line->pos < line->text.size)
        emit_view(d, Q2_OOB_END, line, 1);
    for (; line->text.size - line->pos >= SERVER_SIZE; count++) {
        const uint32_t at = line->base + line->pos;
        const uint8_t *server = line->text.data + line->pos;

        qs_open_at(d, Q2_MASTER_SERVER, at);
        qs_emit_bytes(d, Q2_MASTER_SERVER_ADDRESS, at, 4, (struct qs_view){server, 4});
        qs_emit_uint(d, Q2_MASTER_SERVER_PORT, at + 4, 2, qs_be16(server + 4));
        qs_close_at(d, at + SERVER_SIZE);
        line->pos += SERVER_SIZE;
    }
    qs_summary(d, " %u", count);
}

/* --- Commands --- */

/* clang-format off */
static const struct text_command {
    const char *name;
    void (*read)(struct qs_decoder *d, struct text_line *line);
    uint32_t asks, answers; /* sets of QS_ASK_ bits */
} commands[] = {
#define OOB(name, read, asks, answers) {name, read, asks, answers},
#include "common/quake2/messages.def"
};
/* clang-format on */

static const struct text_command *find_command(struct qs_view name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++)
        if (qs_view_equal(name, commands[i].name))
            return &commands[i];
    return NULL;
}

static void read_command(struct qs_decoder *d, struct text_line *line)
{
    const struct text_command *command;
    struct qs_token word;

    if (!qs_token_next(line->text, &line->pos, &word))
        return;
    emit_token(d, Q2_OOB_COMMAND, line, &word);
    qs_label_text(d, ": ", word.text, "");
    qs_summary_text(d, "", word.text, "");
    command = find_command(word.text);
    if (!command) {
        read_arguments(d, line);
        return;
    }
    qs_add_requests(d, command->asks, command->answers);
    command->read(d, line);
}

static bool is_blank(struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (text.data[i] > ' ')
            return false;
    return true;
}

bool q2_is_connectionless(const struct qs_packet *packet)
{
    const struct qs_view all = {packet->data, packet->size};

    return (packet->size >= MARK_SIZE && qs_le32(packet->data) == UINT32_MAX) ||
           (packet->size <= 8 && qs_view_begins(all, "query"));
}

void q2_decode_connectionless(struct qs_decoder *d)
{
    const bool marked = qs_le32(d->in.data) == UINT32_MAX;
    struct text_line line = {.base = marked ? MARK_SIZE : 0};

    d->found.connectionless = true;
    qs_open(d, Q2_OOB);
    if (marked)
        qs_u32(d, Q2_OOB_MARK);
    line.text = (struct qs_view){d->in.data + line.base, d->in.size - line.base};
    read_command(d, &line);
    if (is_blank(rest_of(&line)) && line.pos < line.text.size)
        emit_view(d, Q2_OOB_END, &line, line.text.size - line.pos);
    d->in.pos = line.base + line.pos;
    qs_close(d);
    qs_undecoded(d);
}

bool q2_is_connectionless_text(struct qs_view text)
{
    struct qs_token word;
    uint32_t pos = 0;

    return qs_token_next(text, &pos, &word) && find_command(word.text);
}
