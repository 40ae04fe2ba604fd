/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/redactions.h"

#include <string.h>
#include <zlib.h>

#include "common/core/protocol.h"
#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/dump/secret.h"

/* Limits. Beyond PLAYERS_MAX names, chat is no longer recognized by its player's name. */
enum { PLAYERS_MAX = 16384, RAW_DEFLATE = -15 };

static struct redactions *self(struct qs_sink *sink)
{
    return (struct redactions *)sink;
}

static unsigned source_in_force(const struct redactions *redactions)
{
    return redactions->open->len
               ? g_array_index(redactions->open, unsigned, redactions->open->len - 1)
               : 0;
}

static void add(struct redactions *redactions, enum redaction_kind kind, uint32_t offset,
                uint32_t length)
{
    const struct redaction redaction = {kind, source_in_force(redactions), offset, length};

    if (length)
        g_array_append_val(redactions->list, redaction);
}

/* --- Texts ----------------------------------------------------------------------------------- */

/* Commands with a chat text: of the games' servers, and of mods for messages to some players. */
static const char *const chat_commands[] = {
    "say", "say_team", "say_person", "say_group", "say_game", "tell", "s-p", "s-m", "s-t", NULL};
/* Commands with names of players, as Quake clients send "name bob". Remarks quote the names. */
static const char *const name_commands[] = {"name",  "team",        "auth", "register",
                                            "login", "//challenge", NULL};
/* Commands with a host, which servers send to clients. IP addresses are replaced separately. */
static const char *const host_commands[] = {"connect", "redirect", "join", "observe",
                                            "qtvplay", "packet",   NULL};
/* Keys whose values name a person, a team or a server. */
static const char *const name_keys[] = {"name",   "*realname*", "*nick*",    "*host*",
                                        "*auth",  "*team*",     "*clan*",    "*owner*",
                                        "*mail*", "*admin",     "*contact*", "*account*"};
static const char *const setters[] = {"set", "seta", "sets", "setu", "setinfo", NULL};
/* File name extensions; other words with a dot are host names. */
static const char *const extensions[] = {"bsp", "mdl", "md2", "md3", "iqm", "spr", "sp2",
                                         "wav", "ogg", "mp3", "pcx", "tga", "jpg", "png",
                                         "wal", "lmp", "cfg", "rc",  "dat", "pak", "pk3",
                                         "dem", "qwd", "dm2", "mvd", "gz",  NULL};
/* Default names of engines and teams, which identify no player or server. */
static const char *const default_names[] = {"player", "unnamed", "noname", "red",
                                            "blue",   "auto",    NULL};

static struct qs_view part(struct qs_view text, uint32_t from, uint32_t end)
{
    return (struct qs_view){text.data + from, end > from ? end - from : 0};
}

static void add_name(struct redactions *redactions, struct qs_view name, uint32_t offset)
{
    if (!qs_view_is_one_of(name, default_names))
        add(redactions, REDACT_NAME, offset, name.size);
    if (name.size && g_hash_table_size(redactions->players) < PLAYERS_MAX)
        g_hash_table_add(redactions->players, g_bytes_new(name.data, name.size));
}

static bool is_name_key(struct qs_view key)
{
    char name[64] = "";
    bool found = false;

    for (uint32_t i = 0; i < MIN(key.size, sizeof name - 1); i++)
        name[i] = g_ascii_tolower(qs_view_character(key, i));
    for (guint i = 0; i < G_N_ELEMENTS(name_keys) && !found; i++)
        found = g_pattern_match_simple(name_keys[i], name);
    return found;
}

/* Returns the start of a chat text after the name or command; 0: not found. */
static uint32_t chat_start(struct qs_view text)
{
    for (uint32_t at = 0; at + 1 < text.size; at++)
        if (text.data[at] == ':' && text.data[at + 1] == ' ')
            return at + 2;
    return 0;
}

/* True for "bob: hello", as Quake's servers print to a player, or "(bob): hello", to a team. */
static bool is_line_of_player(const struct redactions *redactions, struct qs_view text)
{
    const uint32_t end = chat_start(text);
    const bool team = end > 3 && text.data[0] == '(' && text.data[end - 3] == ')';
    struct qs_view name = part(text, team, end - 2 - team);
    g_autoptr(GBytes) bytes = NULL;

    if (end < 3)
        return false;
    bytes = g_bytes_new(name.data, name.size);
    return g_hash_table_contains(redactions->players, bytes);
}

/* Returns the end of a key or value of an info string. */
static uint32_t part_end(struct qs_view text, uint32_t at)
{
    while (at < text.size && !strchr("\\\"\n", text.data[at]))
        at++;
    return at;
}

/* Adds quoted words except info strings: "3 40 \"bob\"". `last`: only the last one in a row. */
static void add_quoted(struct redactions *redactions, struct qs_view text, uint32_t pos, bool last,
                       uint32_t offset)
{
    struct qs_token word = {0}, next = {0};
    bool more = true;

    for (; more; word = next) {
        more = qs_token_next(text, &pos, &next);
        if (word.length > word.text.size && !qs_view_character(word.text, part_end(word.text, 0)) &&
            !(more && last && next.length > next.text.size))
            add_name(redactions, word.text, offset + word.offset + 1);
    }
}

/* Adds the name at the start of a reply of Quake II's servers: "      the server      dm4  3/16".
 * A maximum below 10 is a word of its own: "3/ 8". */
static void add_server_name(struct redactions *redactions, struct qs_view text, uint32_t offset)
{
    struct qs_token words[3] = {0}, word; /* the last words */
    const struct qs_token *map = &words[1];
    struct qs_view name, players;
    uint32_t pos = 0;

    while (qs_token_next(text, &pos, &word)) {
        words[0] = words[1];
        words[1] = words[2];
        words[2] = word;
    }
    players = words[1].text;
    if (words[2].text.size == 1 && players.size && players.data[players.size - 1] == '/')
        map = &words[0];
    else if (qs_view_up_to(words[2].text, "/").size == words[2].text.size)
        return;
    if (!map->offset)
        return;
    name = qs_text_trimmed(part(text, 0, map->offset), ' ');
    add_name(redactions, name, offset + (uint32_t)(name.data - text.data));
}

/* Adds names in info strings, also within commands: "fullserverinfo \"\hostname\...". A name ends
 * at a backslash, a quotation mark or the line's end. */
static void add_info_names(struct redactions *redactions, struct qs_view text, uint32_t offset)
{
    for (uint32_t at = 0; at < text.size; at = MAX(at + 1, part_end(text, at + 1))) {
        const uint32_t start = part_end(text, at + 1) + 1;

        if (text.data[at] == '\\' && start < text.size && text.data[start - 1] == '\\' &&
            is_name_key(part(text, at + 1, start - 1)))
            add_name(redactions, part(text, start, part_end(text, start)), offset + start);
    }
}

/* Adds hosts behind commands: "connect example". In an alias or binding the command is quoted. */
static void add_host_arguments(struct redactions *redactions, struct qs_view text, uint32_t offset)
{
    bool is_host = false;

    for (uint32_t at = 0, end; at < text.size; at = end + 1) {
        for (end = at; end < text.size && text.data[end] > ' ' && !strchr("\";", text.data[end]);)
            end++;
        if (end == at)
            continue;
        if (is_host && g_ascii_isalpha((char)text.data[at]))
            add_name(redactions, part(text, at, end), offset + at);
        is_host = qs_view_is_one_of(part(text, at, end), host_commands);
    }
}

/* Adds names in the command `text`. Returns the start of its chat text, or 0 for none. */
static uint32_t add_command(struct redactions *redactions, struct qs_view text, uint32_t offset)
{
    struct qs_token word;
    uint32_t pos = 0;
    bool is_name;

    if (!qs_token_next(text, &pos, &word) ||
        (qs_view_equal(word.text, "cmd") && !qs_token_next(text, &pos, &word)))
        return 0;
    if (qs_view_is_one_of(word.text, chat_commands))
        return MAX(pos, 1);
    is_name = qs_view_is_one_of(word.text, name_commands) ||
              (qs_view_is_one_of(word.text, setters) && qs_token_next(text, &pos, &word) &&
               is_name_key(word.text));
    if (!is_name && word.text.size > 2 && word.text.data[0] == '/' && word.text.data[1] == '/')
        add_quoted(redactions, text, pos, true, offset);
    while (is_name && qs_token_next(text, &pos, &word))
        add_name(redactions, word.text, offset + (uint32_t)(word.text.data - text.data));
    return 0;
}

/* Adds names and chat. Chat is all of the text after its command. */
static void add_commands(struct redactions *redactions, struct qs_view text, uint32_t offset)
{
    uint32_t chat = 0;

    for (uint32_t at = 0, end; at < text.size && !chat; at = end + 1) {
        end = qs_command_end(text, at);
        chat = add_command(redactions, part(text, at, end), offset + at);
        chat += chat ? at : 0;
    }
    if (!chat && (redactions->is_chat || (text.size && text.data[0] == 1) ||
                  is_line_of_player(redactions, text)))
        chat = MAX(chat_start(text), 1);
    if (chat)
        add(redactions, REDACT_CHAT, offset + chat - (chat == 1), text.size - chat + (chat == 1));
}

/* Adds passwords in commands of clients and in aliases of servers. */
static void add_passwords(struct redactions *redactions, struct qs_view text, uint32_t offset)
{
    struct qs_view password;
    uint32_t pos = 0;

    while (qs_secret_next(text, true, &pos, &password))
        add(redactions, REDACT_PASSWORD, offset + (uint32_t)(password.data - text.data),
            password.size);
}

/* Adds mail addresses and hosts (bob@example.org, example.org:27500), but no file names. */
static void add_hosts(struct redactions *redactions, struct qs_view text, uint32_t offset)
{
    for (uint32_t at = 0, end; at < text.size; at = end + 1) {
        uint32_t dot = 0, stop = at; /* behind the last letter or digit: a full stop may follow */
        bool is_mail = false, is_word = true;

        for (end = at;; end++) {
            const char c = qs_view_character(text, end);
            const bool is_dot = c == '.' && g_ascii_isalnum(qs_view_character(text, end + 1));

            if (!g_ascii_isalnum(c) && (!c || !strchr("._-+@", c)))
                break;
            if (is_dot)
                dot = end;
            if (g_ascii_isalnum(c))
                stop = end + 1;
            is_word = is_dot || (is_word && (c == '.' || g_ascii_isalpha(c)));
            is_mail |= c == '@' && end > at;
        }
        is_word = is_word || qs_view_begins(part(text, dot + 1, stop), "xn--");
        if (is_mail || (dot > at && is_word && stop > dot + 2 &&
                        !qs_view_is_one_of(part(text, dot + 1, stop), extensions)))
            add(redactions, REDACT_NAME, offset + at, stop - at);
    }
}

static bool is_free_text(enum qs_role role)
{
    return role == QS_ROLE_CHAT || role == QS_ROLE_ANSWER || role == QS_ROLE_COMMAND ||
           role == QS_ROLE_VALUE || role == QS_ROLE_INFO || role == QS_ROLE_CONFIG ||
           role == QS_ROLE_HOST;
}

/* Adds what a text contains: by its role, and what any text may contain. */
static void add_text(struct redactions *redactions, const struct qs_field *row,
                     const struct qs_value *value)
{
    /* Skips the opening quote of a word, whose length includes both quotes. A NUL adds one only. */
    const uint32_t offset = value->offset + (value->length == value->bytes.size + 2);
    const struct qs_view text = value->bytes;

    if (redactions->is_player && row->role == QS_ROLE_CONFIG) /* "name\\model/skin" */
        add_name(redactions, qs_view_up_to(text, "\\"), offset);
    else if (qs_is_name(row) || row->role == QS_ROLE_HOST ||
             (redactions->after_name && row->role == QS_ROLE_VALUE))
        add_name(redactions, text, offset);
    else if (row->role == QS_ROLE_NAMES)
        add_quoted(redactions, text, 0, false, offset);
    else if (row->role == QS_ROLE_ANSWER)
        add_server_name(redactions, text, offset);
    if (row->role == QS_ROLE_COMMAND) {
        add_passwords(redactions, text, offset);
        add_host_arguments(redactions, text, offset);
    }
    add_info_names(redactions, text, offset);
    if (is_free_text(row->role))
        add_hosts(redactions, text, offset);
    add_commands(redactions, text, offset);
    if (row->role != QS_ROLE_PLAIN && row->role != QS_ROLE_KEY &&
        (row->role < QS_ROLE_EFFECT || row->role == QS_ROLE_INFO || row->role == QS_ROLE_LAYOUT ||
         row->role == QS_ROLE_PLAYER))
        add(redactions, REDACT_TEXT, offset, text.size);
    redactions->after_name =
        is_name_key(text) && (row->role == QS_ROLE_KEY || row->role == QS_ROLE_COMMAND);
    redactions->is_chat = redactions->is_player = false;
}

/* --- The sink -------------------------------------------------------------------------------- */

/* Stores numbers that define the meaning of the text after them. */
static void add_number(struct redactions *redactions, const struct qs_field *row,
                       const struct qs_value *value)
{
    if (row->type == QS_FRAMENUM)
        g_array_append_val(redactions->fragments, value->u);
    if (value->length == sizeof(uint16_t)) {
        redactions->sizes[1] = redactions->sizes[0];
        redactions->sizes[0] = (struct short_field){value->offset, (uint32_t)value->u};
    }
    if (row->role == QS_ROLE_PRINT_LEVEL)
        redactions->is_chat = value->u == QS_PRINT_CHAT;
    else if (row->role == QS_ROLE_RANGE)
        redactions->is_player =
            redactions->sink.protocol->config_role((uint32_t)value->u, 0) == QS_ROLE_PLAYER;
}

/* Adds a fragment or undecoded bytes. They may be compressed: then their inflated source follows,
 * and one of the numbers before is their size. */
static void add_bytes(struct redactions *redactions, const struct qs_field *row,
                      const struct qs_value *value)
{
    redactions->packed = (struct packed){.bytes = value->bytes,
                                         .source = source_in_force(redactions),
                                         .offset = value->offset,
                                         .redaction = redactions->list->len};
    for (guint i = 0; i < G_N_ELEMENTS(redactions->sizes); i++)
        if (redactions->sizes[i].value == value->bytes.size)
            redactions->packed.count = redactions->sizes[i].offset;
    if (row->role == QS_ROLE_FRAGMENT && !source_in_force(redactions)) {
        redactions->fragment = value->offset;
        redactions->fragment_size = value->bytes.size;
    } else if (row->role != QS_ROLE_FRAGMENT && row->role != QS_ROLE_BITS) {
        add(redactions, REDACT_UNDECODED, value->offset, value->bytes.size);
    }
}

static void redactions_field(struct qs_sink *sink, const struct qs_field *row,
                             const struct qs_value *value)
{
    struct redactions *redactions = self(sink);

    if (row == &sink->protocol->fields[sink->protocol->undecoded])
        add(redactions, REDACT_UNDECODED, value->offset, value->length);
    else if (row->type == QS_BYTES)
        add_bytes(redactions, row, value);
    else if (row->type == QS_TEXT && !value->generated)
        add_text(redactions, row, value);
    else if (row->type == QS_IPV4 && value->bytes.size == 4)
        add(redactions, REDACT_ADDRESS, value->offset, 4);
    else if (qs_type_bits(row->type) || row->type == QS_FRAMENUM)
        add_number(redactions, row, value);
}

static void redactions_secret(struct qs_sink *sink, uint32_t offset, uint32_t length)
{
    add(self(sink), REDACT_PASSWORD, offset, length);
}

struct qs_view redaction_source_bytes(const struct redaction_source *source)
{
    gsize size;
    const uint8_t *data = g_bytes_get_data(source->bytes, &size);

    return (struct qs_view){data, (uint32_t)size};
}

static void free_source(gpointer data)
{
    struct redaction_source *source = data;

    g_bytes_unref(source->bytes);
    if (source->changed)
        g_byte_array_free(source->changed, TRUE);
    g_array_free(source->packets, TRUE);
    g_free(source);
}

/* True if `packed` inflates to `bytes`, as raw deflate. */
static bool inflates_to(struct qs_view packed, struct qs_view bytes)
{
    z_stream stream = {.next_in = (Bytef *)packed.data, .avail_in = packed.size};
    uint8_t *out = g_malloc(bytes.size + 1);
    bool same = false;

    if (inflateInit2(&stream, RAW_DEFLATE) == Z_OK) {
        stream.next_out = out;
        stream.avail_out = bytes.size + 1;
        same = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == bytes.size &&
               memcmp(out, bytes.data, bytes.size) == 0;
        inflateEnd(&stream);
    }
    g_free(out);
    return same;
}

/* Connects a source with its compressed bytes: the last opaque field, which is now decoded. */
static void find_packed(const struct redactions *redactions, struct redaction_source *source)
{
    const struct packed *packed = &redactions->packed;

    source->parent = source_in_force(redactions);
    if (source->packets->len || packed->source != source->parent || !packed->bytes.size)
        return;
    if (packed->redaction < redactions->list->len)
        g_array_index(redactions->list, struct redaction, packed->redaction).length = 0;
    if (!inflates_to(packed->bytes, redaction_source_bytes(source)))
        return;
    source->packed = packed->offset;
    source->packed_size = packed->bytes.size;
    source->count = packed->count;
}

/* Adds a source. The fragments reported before belong to it. */
static void redactions_source(struct qs_sink *sink, const char *title, const uint8_t *data,
                              uint32_t size)
{
    struct redactions *redactions = self(sink);
    struct redaction_source *source;
    unsigned number;

    (void)title;
    if (!data) {
        g_array_set_size(redactions->open, redactions->open->len - 1);
        return;
    }
    source = g_new0(struct redaction_source, 1);
    source->bytes = g_bytes_new(data, size);
    source->packets = redactions->fragments;
    redactions->fragments = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    find_packed(redactions, source);
    g_ptr_array_add(redactions->sources, source);
    number = redactions->sources->len;
    g_array_append_val(redactions->open, number);
}

struct redactions *redactions_new(void)
{
    struct redactions *redactions = g_new0(struct redactions, 1);

    redactions->sink = (struct qs_sink){
        .field = redactions_field, .secret = redactions_secret, .source = redactions_source};
    redactions->list = g_array_new(FALSE, FALSE, sizeof(struct redaction));
    redactions->sources = g_ptr_array_new_with_free_func(free_source);
    redactions->open = g_array_new(FALSE, FALSE, sizeof(unsigned));
    redactions->fragments = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    redactions->players =
        g_hash_table_new_full(qs_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    return redactions;
}

void redactions_free(struct redactions *redactions)
{
    g_array_free(redactions->list, TRUE);
    g_ptr_array_free(redactions->sources, TRUE);
    g_array_free(redactions->open, TRUE);
    g_array_free(redactions->fragments, TRUE);
    g_hash_table_destroy(redactions->players);
    g_free(redactions);
}

void redactions_clear(struct redactions *redactions)
{
    g_array_set_size(redactions->list, 0);
    g_ptr_array_set_size(redactions->sources, 0);
    g_array_set_size(redactions->open, 0);
    g_array_set_size(redactions->fragments, 0);
    redactions->fragment = redactions->fragment_size = 0;
    redactions->packed = (struct packed){0};
    memset(redactions->sizes, 0, sizeof redactions->sizes);
    redactions->after_name = redactions->is_chat = redactions->is_player = false;
}

/* --- Replacement ----------------------------------------------------------------------------- */

static void put(GByteArray *payload, uint32_t offset, const void *bytes, uint32_t size)
{
    if (offset <= payload->len && size <= payload->len - offset)
        memcpy(payload->data + offset, bytes, size);
}

struct redaction_source *location_source(const struct redactions *redactions, unsigned number)
{
    return number ? g_ptr_array_index(redactions->sources, number - 1) : NULL;
}

bool location_is_opaque(const struct redaction_source *source)
{
    return source && !source->packets->len && !source->packed_size;
}

bool location_select(struct location *location, unsigned source)
{
    location->source = location_source(location->redactions, source);
    location->bytes =
        location->source ? redaction_source_bytes(location->source) : location->payload;
    return !location_is_opaque(location->source);
}

/* Returns the copy of the source's bytes that location_write() writes back. */
static GByteArray *changed(struct redaction_source *source)
{
    const struct qs_view bytes = redaction_source_bytes(source);

    if (!source->changed)
        source->changed = g_byte_array_append(g_byte_array_new(), bytes.data, bytes.size);
    return source->changed;
}

void location_replace(const struct location *location, uint32_t offset, const void *bytes,
                      uint32_t size)
{
    if (location->source)
        put(changed(location->source), offset, bytes, size);
    else
        put(location->packet->payload, offset, bytes, size);
}

/* --- Writing back ---------------------------------------------------------------------------- */

/* Writes a joined message into its packets. The last one may grow if nothing follows its fragment.
 * Returns false if a packet is not held any more, or cannot grow. */
static bool write_fragments(const struct location *location, const struct redaction_source *source)
{
    const struct qs_view bytes =
        source->changed ? qs_view_of_bytes(source->changed) : redaction_source_bytes(source);
    uint32_t done = 0;

    for (guint i = 0; i < source->packets->len; i++) {
        struct held_packet *packet = anonymous_writer_find(
            location->writer, location->packet, g_array_index(source->packets, uint64_t, i));

        if (!packet || done > bytes.size)
            return false;
        if (i + 1 == source->packets->len && bytes.size - done != packet->fragment_size) {
            if (packet->fragment + packet->fragment_size != packet->payload->len)
                return false;
            packet->fragment_size = bytes.size - done;
            g_byte_array_set_size(packet->payload, packet->fragment + packet->fragment_size);
        }
        put(packet->payload, packet->fragment, bytes.data + done,
            MIN(packet->fragment_size, bytes.size - done));
        done += packet->fragment_size;
    }
    return true;
}

/*
 * Deflates to `size` bytes or more. Pads shorter data with zeros, which decoders ignore, so that
 * only longer data moves what follows. The result is empty if memory is exhausted.
 */
static GByteArray *deflate_raw(const GByteArray *bytes, uint32_t size)
{
    enum { MEMORY_LEVEL = 9 };
    z_stream stream = {.next_in = bytes->data, .avail_in = bytes->len};
    GByteArray *packed = g_byte_array_new();

    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, RAW_DEFLATE, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return packed;
    g_byte_array_set_size(packed, (guint)deflateBound(&stream, bytes->len) + size);
    memset(packed->data, 0, packed->len);
    stream.next_out = packed->data;
    stream.avail_out = packed->len;
    deflate(&stream, Z_FINISH);
    g_byte_array_set_size(packed, MAX(size, (guint)stream.total_out));
    deflateEnd(&stream);
    return packed;
}

/* Replaces the compressed bytes. If they are longer, updates their size field and moves what
 * follows. Returns false if that is impossible. */
static bool splice(GByteArray *bytes, const struct redaction_source *source,
                   const GByteArray *packed)
{
    const uint32_t more = packed->len - source->packed_size, length = bytes->len;
    const uint32_t end = source->packed + source->packed_size;
    const uint8_t count[] = {(uint8_t)packed->len, (uint8_t)(packed->len >> 8)};

    if (packed->len < source->packed_size || end > length ||
        (more && (!source->count || packed->len > UINT16_MAX)))
        return false;
    if (more) {
        g_byte_array_set_size(bytes, length + more);
        memmove(bytes->data + end + more, bytes->data + end, length - end);
        put(bytes, source->count, count, sizeof count);
    }
    put(bytes, source->packed, packed->data, packed->len);
    return true;
}

static bool write_inflated(const struct location *location, const struct redaction_source *source)
{
    struct redaction_source *parent = location_source(location->redactions, source->parent);
    GByteArray *packed = deflate_raw(source->changed, source->packed_size);
    const bool done = !location_is_opaque(parent) &&
                      splice(parent ? changed(parent) : location->packet->payload, source, packed);

    g_byte_array_unref(packed);
    return done;
}

/* Starts with the last source, because longer data moves what follows. */
bool location_write(const struct location *location)
{
    bool done = true;

    for (guint i = location->redactions->sources->len; i > 0 && done; i--) {
        const struct redaction_source *source = location_source(location->redactions, i);

        if (source->packets->len)
            done = write_fragments(location, source);
        else if (source->changed)
            done = write_inflated(location, source);
    }
    return done;
}
