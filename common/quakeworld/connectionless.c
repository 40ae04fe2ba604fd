/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connectionless packets: the mark ff ff ff ff, then a command. A client's command is a word; a
 * server's is usually a single letter, directly followed by its text. The text ends with a newline,
 * a NUL or the packet. Some replies, and all packets from servers to masters, lack the mark.
 * Source: qwd-format, section 4; qw28-protocol, "Connection Handshake" and "Master Server
 * Protocol"; PROTOCOL.md, section 1.
 */
#include "common/quakeworld/decode.h"

enum {
    FRAGMENT_MTU_MIN = 64, /* servers ignore a smaller MTU */
    MASTER_ENTRY_SIZE = 6,
    PING_ENTRY_SIZE = 8
};

/* Text of a packet. */
struct oob {
    struct qs_view text; /* whole text with its terminator */
    uint32_t offset;     /* offset of the text in the packet */
    struct qs_view line; /* first line of a text that begins with a word */
    uint32_t pos;        /* read position in the line */
};

bool qw_is_digits(struct qs_view text)
{
    for (uint32_t i = 0; i < text.size; i++)
        if (!g_ascii_isdigit(text.data[i]))
            return false;
    return text.size > 0;
}

bool qw_begins_number(struct qs_view text)
{
    return text.size > 1 &&
           (g_ascii_isdigit(text.data[1]) || text.data[1] == '-' || text.data[1] == ' ');
}

static struct qs_view line_of(struct qs_view text)
{
    return qs_view_up_to(text, "\n");
}

static struct qs_view string_of(struct qs_view text)
{
    return qs_view_up_to(text, "");
}

static void emit_token(struct qs_decoder *d, unsigned id, const struct oob *oob,
                       const struct qs_token *token)
{
    qs_emit_bytes(d, id, oob->offset + token->offset, token->length, token->text);
}

/* Emits a token as the number `id`, or as an argument if it is no number that fits the field. */
static void emit_number(struct qs_decoder *d, unsigned id, uint32_t offset,
                        const struct qs_token *token)
{
    int64_t number;

    if (qs_view_number_within(token->text, INT32_MIN, UINT32_MAX, &number) &&
        qs_type_holds(d->protocol->fields[id].type, (uint32_t)number))
        qs_emit_uint(d, id, offset + token->offset, token->length, (uint32_t)number);
    else
        qs_emit_bytes(d, QW_OOB_ARGUMENT, offset + token->offset, token->length, token->text);
}

static void learn_sender(struct qs_decoder *d, enum qs_direction direction)
{
    if (!d->probing)
        qs_learn_direction(d, direction);
}

/* --- Texts that begin with a word --- */

/* Emits the next word of the line. Returns false at the end of the line. */
static bool read_word(struct qs_decoder *d, unsigned id, struct oob *oob)
{
    struct qs_token word;

    if (!qs_token_next(oob->line, &oob->pos, &word))
        return false;
    emit_token(d, id, oob, &word);
    return true;
}

static void read_arguments(struct qs_decoder *d, struct oob *oob)
{
    while (read_word(d, QW_OOB_ARGUMENT, oob))
        ;
}

/* Emits and returns the rest of the line, without leading blanks. */
static struct qs_view read_rest(struct qs_decoder *d, unsigned id, struct oob *oob)
{
    struct qs_view rest;

    while (oob->pos < oob->line.size && oob->line.data[oob->pos] == ' ')
        oob->pos++;
    rest = qs_view_skip(oob->line, oob->pos);
    if (rest.size)
        qs_emit_bytes(d, id, oob->offset + oob->pos, rest.size, rest);
    return rest;
}

/* Stores the netchan format that a line of connect requests; fteqw sv_main.c SVC_DirectConnect. */
static void ask_for_netchan(struct qw_netchan_format *asked, uint32_t key, uint32_t value)
{
    if (key == EXTENSION_FTE2)
        asked->stunaware = value & FTE2_STUNAWARE;
    else if (key == EXTENSION_FRAG)
        asked->fragments = value >= FRAGMENT_MTU_MIN;
    else if (key == EXTENSION_HUFF)
        asked->huffman = true;
}

/* Reads an extension that the client requests, such as "0x58455446 0x2140f000". */
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
        const struct qs_view line = line_of(rest);
        const uint32_t step = line.size < rest.size ? line.size + 1 : line.size;

        read_connect_extension(d, line, offset);
        rest = qs_view_skip(rest, step);
        offset += step;
    }
}

static void read_connect_number(struct qs_decoder *d, unsigned id, struct oob *oob)
{
    struct qs_token word;

    if (qs_token_next(oob->line, &oob->pos, &word))
        emit_number(d, id, oob->offset, &word);
}

static void read_connect_userinfo(struct qs_decoder *d, struct oob *oob)
{
    struct qs_token word;

    if (!qs_token_next(oob->line, &oob->pos, &word))
        return;
    emit_token(d, QW_CONNECT_USERINFO, oob, &word);
    qw_emit_info(d, word.text, oob->offset + word.offset + (word.text.size < word.length ? 1 : 0));
    qs_add_userinfo_credential(d, QW_CONNECT_USERINFO, word.text);
    /* If the packet was cut within this line, the name may be incomplete. */
    qs_info_replace(d, &qw_session_of(d)->texts, QW_TEXT_ASKED_USERINFO,
                    qs_packet_is_cut(d->packet) && oob->line.size == oob->text.size
                        ? (struct qs_view){0}
                        : word.text,
                    QW_INFO_STRING_MAX);
    qs_summary_quote(d, "name", qs_info_value(word.text, "name"));
}

/* Reads connect VERSION QPORT CHALLENGE "USERINFO", then one line per protocol extension. */
static void read_connect(struct qs_decoder *d, struct oob *oob)
{
    const uint32_t end = oob->line.size;

    /* Extensions may be in the part that was cut off. */
    qw_session_of(d)->asked = (struct qw_netchan_format){.known = !qs_packet_is_cut(d->packet)};
    qw_session_of(d)->asked_fte2 = 0;
    read_connect_number(d, QW_CONNECT_VERSION, oob);
    read_connect_number(d, QW_CONNECT_QPORT, oob);
    read_word(d, QW_CONNECT_CHALLENGE, oob);
    read_connect_userinfo(d, oob);
    read_arguments(d, oob);
    if (end < oob->text.size)
        read_connect_extensions(d, qs_view_skip(oob->text, end + 1), oob->offset + end + 1);
}

static void read_status(struct qs_decoder *d, struct oob *oob)
{
    read_word(d, QW_STATUS_FLAGS, oob);
    read_arguments(d, oob);
}

static void read_rcon(struct qs_decoder *d, struct oob *oob)
{
    if (read_word(d, QW_RCON_PASSWORD, oob))
        qs_add_credential(d, QW_RCON_PASSWORD, "rcon", (struct qs_view){0});
    read_rest(d, QW_RCON_COMMAND, oob);
}

/* Reads "broadcast" and an info string up to the newline, sent from server to server. Source: mvdsv
 * sv_broadcast.c, SV_BroadcastSend, SVC_Broadcast. */
static void read_broadcast(struct qs_decoder *d, struct oob *oob)
{
    const struct qs_view info = read_rest(d, QW_BROADCAST, oob);

    qw_emit_info(d, info, oob->offset + oob->pos);
    qs_summary_quote(d, "", qs_info_value(info, "message"));
}

/* clang-format off */
static const struct word_command {
    const char *name;
    void (*read)(struct qs_decoder *, struct oob *);
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

static void read_words(struct qs_decoder *d, struct oob *oob)
{
    const struct word_command *command;
    struct qs_token name;

    oob->line = line_of(oob->text);
    if (!qs_token_next(oob->line, &oob->pos, &name)) {
        qs_summary(d, "empty");
        return;
    }
    command = find_word(name.text);
    emit_token(d, QW_OOB_COMMAND, oob, &name);
    qs_label_text(d, ": ", name.text, "");
    qs_summary_text(d, "", name.text, "");
    if (command) {
        qs_add_requests(d, command->asks, command->answers);
        /* Requests come from clients; replies that are words are qwfwd's, to clients of other
         * games. */
        if (command->answers || command->asks != QS_IMPLIES_DIRECTION)
            learn_sender(d, command->answers ? QS_S2C : QS_C2S);
        command->read(d, oob);
        return;
    }
    read_arguments(d, oob);
    qs_note(d, QS_NOTE_UNUSUAL, oob->offset + name.offset, name.length,
            "Unknown connectionless command");
}

static bool begins_with_word(struct qs_view text)
{
    struct qs_token name;
    uint32_t pos = 0;

    return qs_token_next(line_of(text), &pos, &name) && find_word(name.text);
}

/* --- Texts that begin with a letter, directly followed by its text --- */

/* Reads c and a decimal number, then pairs of key and value for the extensions on offer. */
static void read_challenge(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view number = line_of(qs_view_skip(oob->text, 1));

    learn_sender(d, QS_S2C);
    qs_emit_bytes(d, QW_CHALLENGE, oob->offset + 1, number.size, number);
    d->in.pos = oob->offset + 1 + number.size;
    if (qs_reader_left(&d->in))
        d->in.pos++;
    while (qs_reader_left(&d->in) >= 8)
        fte_read_extension(d);
}

static void read_accept(struct qs_decoder *d, const struct oob *oob)
{
    (void)oob;
    learn_sender(d, QS_S2C);
    if (!d->probing)
        qw_session_of(d)->connecting = true;
}

static void read_client_command(struct qs_decoder *d, const struct oob *oob)
{
    learn_sender(d, QS_S2C);
    qw_emit_commands(d, string_of(qs_view_skip(oob->text, 1)), oob->offset + 1);
}

static void emit_player_token(struct qs_decoder *d, unsigned id, uint32_t offset,
                              const struct qs_token *token)
{
    int64_t number = 0;

    if (d->protocol->fields[id].type == QS_TEXT)
        qs_emit_bytes(d, id, offset + token->offset, token->length, token->text);
    else if (qs_view_number(token->text, &number) &&
             qs_type_holds(d->protocol->fields[id].type, number))
        qs_emit_int(d, id, offset + token->offset, token->length, number);
    else
        qs_emit_bytes(d, QW_OOB_ARGUMENT, offset + token->offset, token->length, token->text);
}

/* Reads a player: userid frags minutes ping "name" "skin" topcolor bottomcolor ["team"]. */
static void read_status_player(struct qs_decoder *d, struct qs_view line, uint32_t offset)
{
    static const unsigned columns[] = {
        QW_STATUS_USERID, QW_STATUS_FRAGS,    QW_STATUS_MINUTES,     QW_STATUS_PING, QW_STATUS_NAME,
        QW_STATUS_SKIN,   QW_STATUS_TOPCOLOR, QW_STATUS_BOTTOMCOLOR, QW_STATUS_TEAM,
    };
    struct qs_token token;
    uint32_t pos = 0;

    qs_open_at(d, QW_STATUS_PLAYER, offset);
    qs_label_text(d, ": ", line, "");
    for (unsigned i = 0; i < G_N_ELEMENTS(columns) && qs_token_next(line, &pos, &token); i++)
        emit_player_token(d, columns[i], offset, &token);
    while (qs_token_next(line, &pos, &token))
        qs_emit_bytes(d, QW_OOB_ARGUMENT, offset + token.offset, token.length, token.text);
    qs_close_at(d, offset + line.size);
}

/* Reads the reply to status, a print: rules as an info string, then one line per player. */
static void read_status_reply(struct qs_decoder *d, struct qs_view text, uint32_t offset)
{
    const struct qs_view rules = line_of(text);
    uint32_t at = rules.size + 1;
    unsigned players = 0;

    qs_emit_bytes(d, QW_STATUS_RULES, offset, rules.size, rules);
    qw_emit_info(d, rules, offset);
    while (at < text.size) {
        const struct qs_view line = line_of(qs_view_skip(text, at));

        if (line.size) {
            read_status_player(d, line, offset + at);
            players++;
        }
        at += line.size + 1;
    }
    d->found.map = qs_info_value(rules, "map");
    qs_summary_quote(d, "map", d->found.map);
    qs_summary(d, " players %u", players);
}

static void read_print(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view text = string_of(qs_view_skip(oob->text, 1));

    if (text.size && text.data[0] == '\\') {
        qs_request_narrow(d, QS_ASK_STATUS);
        read_status_reply(d, text, oob->offset + 1);
        return;
    }
    qs_request_narrow(d, ~(uint32_t)QS_ASK_STATUS);
    qs_emit_bytes(d, QW_OOB_TEXT, oob->offset + 1, text.size, text);
}

/* Reads d, a newline, and six bytes per server: address and port in network order. */
static void read_master_reply(struct qs_decoder *d, const struct oob *oob)
{
    unsigned count = 0;

    learn_sender(d, QS_S2C);
    d->in.pos = oob->offset + 2;
    for (; qs_reader_left(&d->in) >= MASTER_ENTRY_SIZE; count++) {
        qs_open(d, QW_MASTER_SERVER);
        qs_bytes(d, QW_MASTER_ADDRESS, 4);
        qs_u16be(d, QW_MASTER_PORT);
        qs_close(d);
    }
    qs_summary(d, " servers %u", count);
    if (qs_reader_left(&d->in))
        qs_note(d, QS_NOTE_MALFORMED, d->in.pos, qs_reader_left(&d->in),
                "Server list ends within an entry");
}

/* Reads n, then address, port and ping of each server; qwfwd query.c, SVC_QRY_PingStatus. */
static void read_ping_list(struct qs_decoder *d, const struct oob *oob)
{
    unsigned count = 0;

    learn_sender(d, QS_S2C);
    d->in.pos = oob->offset + 1;
    for (; qs_reader_left(&d->in) >= PING_ENTRY_SIZE; count++) {
        qs_open(d, QW_PINGSTATUS_SERVER);
        qs_bytes(d, QW_PINGSTATUS_ADDRESS, 4);
        qs_u16(d, QW_PINGSTATUS_PORT);
        qs_i16(d, QW_PINGSTATUS_PING);
        qs_close(d);
    }
    qs_summary(d, " servers %u", count);
}

/* Reads svc_disconnect as the end of a demo: qwd-format 4.1. Engines ignore it in the game. */
static void read_disconnect(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view text = string_of(qs_view_skip(oob->text, 1));

    qs_emit_bytes(d, QW_OOB_TEXT, oob->offset + 1, text.size, text);
    d->session->disconnected |= d->packet->from == QS_END_UNKNOWN;
}

static bool is_alone(struct qs_view text)
{
    return text.size == 1 || (text.size == 2 && (text.data[1] == '\n' || text.data[1] == '\0'));
}

static bool is_list(struct qs_view text)
{
    return text.size > 1 && text.data[1] == '\n';
}

/* True for pings: they are short, so some bytes are zero; a text has a zero only at its end. */
static bool is_ping_list(struct qs_view text)
{
    return text.size > 1 && (text.size - 1) % PING_ENTRY_SIZE == 0 &&
           string_of(text).size < text.size - 1;
}

static bool is_any(struct qs_view text)
{
    (void)text;
    return true;
}

/* True for a, a newline, a sequence number, a newline, the number of players, a newline. */
static bool is_heartbeat(struct qs_view text)
{
    struct qs_view sequence, players;

    if (text.size < 6 || text.data[0] != 'a' || text.data[1] != '\n')
        return false;
    sequence = line_of(qs_view_skip(text, 2));
    if (2 + sequence.size >= text.size)
        return false;
    players = line_of(qs_view_skip(text, 2 + sequence.size + 1));
    return qw_is_digits(sequence) && qw_is_digits(players) &&
           2 + sequence.size + 1 + players.size + 1 >= text.size;
}

static void read_heartbeat(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view body = qs_view_skip(oob->text, 2);
    struct qs_token token;
    uint32_t pos = 0;

    if (qs_token_next(body, &pos, &token))
        emit_number(d, QW_HEARTBEAT_SEQUENCE, oob->offset + 2, &token);
    if (qs_token_next(body, &pos, &token))
        emit_number(d, QW_HEARTBEAT_PLAYERS, oob->offset + 2, &token);
}

static bool is_log(struct qs_view text)
{
    return text.size > 7 && qs_view_begins(text, "stdlog ");
}

static void read_log(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view text = string_of(oob->text);

    qs_emit_bytes(d, QW_OOB_COMMAND, oob->offset, 6, (struct qs_view){text.data, 6});
    qs_summary(d, "frag log");
    qs_emit_bytes(d, QW_OOB_TEXT, oob->offset + 7, text.size - 7, qs_view_skip(text, 7));
}

static void read_master_query(struct qs_decoder *d, const struct oob *oob)
{
    (void)oob;
    learn_sender(d, QS_C2S);
}

/* True for c, usually with a newline and a NUL; masters check only the first byte. */
static bool is_master_query(struct qs_view text)
{
    return is_alone(text) || (text.size == 3 && text.data[1] == '\n' && text.data[2] == '\0');
}

/* clang-format off */
static const struct letter {
    uint8_t letter;
    bool (*fits)(struct qs_view text);
    const char *name;
    void (*read)(struct qs_decoder *, const struct oob *); /* or NULL */
    uint32_t asks, answers;                                   /* sets of QS_ASK_ bits */
} letters[] = {
#define OOB_LETTER(letter, fits, name, read, asks, answers) \
    {letter, fits, name, read, asks, answers},
#include "common/quakeworld/messages.def"
};

static const struct letter bare_letters[] = {
#define OOB_BARE(letter, fits, name, read, asks, answers) \
    {letter, fits, name, read, asks, answers},
#include "common/quakeworld/messages.def"
};
/* clang-format on */

static const struct letter *find_in(const struct letter *commands, size_t count,
                                    struct qs_view text)
{
    for (size_t i = 0; i < count && text.size; i++)
        if (commands[i].letter == text.data[0] && commands[i].fits(text))
            return &commands[i];
    return NULL;
}

static const struct letter *find_letter(struct qs_view text)
{
    return find_in(letters, G_N_ELEMENTS(letters), text);
}

static const struct letter *find_bare_letter(const struct qs_packet *packet)
{
    const struct qs_view text = {packet->data, packet->size};

    /* A quick check first, because every packet of a game passes here. */
    return text.size && g_ascii_isalpha(text.data[0])
               ? find_in(bare_letters, G_N_ELEMENTS(bare_letters), text)
               : NULL;
}

static void read_letter(struct qs_decoder *d, const struct oob *oob, const struct letter *command)
{
    if (command->name) {
        const struct qs_view letter = {oob->text.data, 1};

        qs_emit_bytes(d, QW_OOB_COMMAND, oob->offset, 1, letter);
        qs_emit_generated_text(d, QW_OOB_NAME, oob->offset, 1, command->name);
        qs_label(d, ": %s", command->name);
        qs_summary(d, "%s", command->name);
    }
    qs_add_requests(d, command->asks, command->answers);
    if (command->read)
        command->read(d, oob);
}

/* --- Packets --- */

#define CHUNK "n\\chunk" /* prefix of FTE's downloads */

static bool is_chunk(struct qs_view text)
{
    return text.size > strlen(CHUNK) && qs_view_begins(text, CHUNK);
}

/* Reads n\chunk, the transfer's number, then svc_download; ezquake CL_Parse_OOB_ChunkedDownload. */
static void read_chunk(struct qs_decoder *d, const struct oob *oob)
{
    const struct qs_view word = {oob->text.data, (uint32_t)strlen(CHUNK)};
    const guint before = d->found.transfers->len;
    uint32_t number;

    qs_emit_bytes(d, QW_OOB_COMMAND, oob->offset, word.size, word);
    qs_summary(d, "chunk");
    d->in.pos = oob->offset + word.size;
    number = qs_u32(d, QW_CHUNK_TRANSFER);
    qw_apply_extensions(d);
    if (qs_reader_left(&d->in) && d->in.data[d->in.pos] == SVC_DOWNLOAD)
        qs_read_message(d, QW_SVC, qw_server_message);
    if (d->found.transfers->len > before)
        g_array_index(d->found.transfers, struct qs_transfer, before).number = number;
    qs_undecoded(d);
}

bool qw_is_known_oob(struct qs_view text)
{
    return is_chunk(text) || find_letter(text) || begins_with_word(text);
}

static void read_text(struct qs_decoder *d)
{
    struct oob oob = {.text = qs_rest(d), .offset = d->in.pos};
    const struct letter *letter = find_letter(oob.text);

    if (is_chunk(oob.text))
        read_chunk(d, &oob);
    else if (letter && !begins_with_word(oob.text))
        read_letter(d, &oob, letter);
    else
        read_words(d, &oob);
}

bool qw_is_connectionless(const struct qs_decoder *d)
{
    return d->in.size > 4 && qs_le32(d->in.data) == UINT32_MAX;
}

void qw_decode_connectionless(struct qs_decoder *d)
{
    d->found.connectionless = true;
    qs_open(d, QW_OOB);
    qs_u32(d, QW_OOB_MARK);
    read_text(d);
    d->in.pos = d->in.size; /* only the text's terminator is left, which no field covers */
    qs_close(d);
}

/* --- Texts without the mark --- */

/*
 * True for a connection request in Quake's protocol, which FTE's client also sends to this port: a
 * control packet with its own length and the game's name; PROTOCOL.md, section 1.
 */
static bool is_quake_request(const struct qs_packet *packet)
{
    static const uint8_t name[] = {0x01, 'Q', 'U', 'A', 'K', 'E', 0};

    return packet->size >= 4 + sizeof name && qs_be16(packet->data) == 0x8000 &&
           qs_be16(packet->data + 2) == packet->wire_size &&
           memcmp(packet->data + 4, name, sizeof name) == 0;
}

bool qw_is_bare_text(const struct qs_packet *packet)
{
    return find_bare_letter(packet) || is_quake_request(packet);
}

void qw_decode_bare_text(struct qs_decoder *d)
{
    const struct letter *command = find_bare_letter(d->packet);
    const struct oob oob = {.text = {d->in.data, d->in.size}};

    d->found.connectionless = true;
    if (is_quake_request(d->packet)) {
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
    read_letter(d, &oob, command);
    d->in.pos = d->in.size;
    qs_close(d);
}
