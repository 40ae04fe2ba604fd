/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/marks.h"

#include "common/core/protocol.h"
#include "common/core/text.h"
#include "pcap2demo/anonymize/repack.h"

/* Names beyond these are not known as players'. */
enum { PLAYERS_MAX = 16384 };

static struct marks *self(struct qs_sink *sink)
{
    return (struct marks *)sink;
}

static unsigned source_in_force(const struct marks *marks)
{
    return marks->open->len ? g_array_index(marks->open, unsigned, marks->open->len - 1) : 0;
}

static void add(struct marks *marks, enum mark_kind kind, uint32_t offset, uint32_t length)
{
    const struct mark mark = {kind, source_in_force(marks), offset, length};

    if (length)
        g_array_append_val(marks->marks, mark);
}

/* --- Texts ----------------------------------------------------------------------------------- */

/* A word may stand in quotes, and a text ends with a NUL: they are not of it. */
static uint32_t text_offset(const struct qs_value *value)
{
    return value->offset + (value->length == value->bytes.size + 2);
}

/* Where what a player said begins: behind the name, or behind the command. */
static uint32_t chat_start(struct qs_view text)
{
    for (uint32_t at = 0; at + 1 < text.size; at++)
        if (text.data[at] == ':' && text.data[at + 1] == ' ')
            return at + 2;
    return 0;
}

/* Commands by which players talk. Sources: host_cmd.c of Quake; sv_user.c of QuakeWorld; g_cmds.c
 * of Quake II; KTX's commands for some of the players. */
static bool is_say(struct qs_view text, uint32_t *behind)
{
    static const char *const commands[] = {"say",  "say_team", "say_person", "say_game",
                                           "tell", "s-p",      "s-m",        "s-t"};
    struct qs_token word;
    bool found = false;

    *behind = 0;
    if (!qs_token_next(text, behind, &word))
        return false;
    for (gsize i = 0; i < G_N_ELEMENTS(commands) && !found; i++)
        found = qs_view_equal(word.text, commands[i]);
    return found;
}

static void remember_player(struct marks *marks, struct qs_view name)
{
    if (name.size && g_hash_table_size(marks->players) < PLAYERS_MAX)
        g_hash_table_add(marks->players, g_bytes_new(name.data, name.size));
}

/* "bob: hello", as Quake's servers pass on what is told to one player; "(bob): " to a team. */
static bool is_said_by_player(const struct marks *marks, struct qs_view text)
{
    uint32_t end = chat_start(text), start = 0;
    GBytes *name;
    bool found;

    if (end < 3)
        return false;
    end -= 2;
    if (text.data[0] == '(' && text.data[end - 1] == ')') {
        start++;
        end--;
    }
    name = g_bytes_new(text.data + start, end > start ? end - start : 0);
    found = g_hash_table_contains(marks->players, name);
    g_bytes_unref(name);
    return found;
}

static bool ends_with(const char *name, const char *end)
{
    return g_str_has_suffix(name, end);
}

static void take_chat(struct marks *marks, struct qs_view text, uint32_t offset)
{
    uint32_t behind;

    if (is_say(text, &behind))
        add(marks, MARK_CHAT, offset + behind, text.size - behind);
    else if (marks->is_chat || (text.size && text.data[0] == 1) || is_said_by_player(marks, text))
        add(marks, MARK_CHAT, offset + chat_start(text), text.size - chat_start(text));
}

/* What engines call players and servers that have no name says nothing of anybody. */
static bool is_nameless(struct qs_view name)
{
    static const char *const names[] = {"player", "unnamed", "noname"};
    bool found = false;

    for (gsize i = 0; i < G_N_ELEMENTS(names) && !found; i++)
        found = name.size == strlen(names[i]) &&
                g_ascii_strncasecmp((const char *)name.data, names[i], name.size) == 0;
    return found;
}

static void add_name(struct marks *marks, struct qs_view name, uint32_t offset)
{
    if (name.size && !is_nameless(name))
        add(marks, MARK_NAME, offset, name.size);
    remember_player(marks, name);
}

static bool is_name_row(const struct qs_field *row)
{
    static const char *const ends[] = {".updatename.name", ".status.player.name", ".control.name",
                                       ".gtv.name",        "acknex.player",       ".hostname"};
    bool found = false;

    for (gsize i = 0; i < G_N_ELEMENTS(ends) && !found; i++)
        found = ends_with(row->name, ends[i]);
    return found;
}

static void take_name(struct marks *marks, const struct qs_field *row, struct qs_view text,
                      uint32_t offset)
{
    const uint8_t *skin = text.size ? memchr(text.data, '\\', text.size) : NULL;

    if (marks->is_skin && skin)
        text.size = (uint32_t)(skin - text.data);
    if (marks->is_skin || marks->after_name || is_name_row(row))
        add_name(marks, text, offset);
}

/* "3 40 \"bob\"", with frags and ping, as some servers of Quake list players. */
static void take_listed_name(struct marks *marks, const struct qs_field *row, struct qs_view text,
                             uint32_t offset)
{
    uint32_t start = 0, end = text.size;

    if (!ends_with(row->name, ".oob.player"))
        return;
    while (start < end && text.data[start] != '"')
        start++;
    while (end > start && text.data[end - 1] != '"')
        end--;
    if (end > start + 2)
        add_name(marks, (struct qs_view){text.data + start + 1, end - start - 2},
                 offset + start + 1);
}

/* In info strings, which may stand in commands: "fullserverinfo \"\hostname\..."; up to a
 * backslash, a quotation mark or the line's end. */
static void take_info_names(struct marks *marks, struct qs_view text, uint32_t offset)
{
    static const char *const keys[] = {"\\name\\", "\\hostname\\"};

    for (uint32_t at = 0; at < text.size; at++)
        for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
            const uint32_t start = at + (uint32_t)strlen(keys[i]);
            uint32_t end = start;

            if (start >= text.size || memcmp(text.data + at, keys[i], start - at) != 0)
                continue;
            while (end < text.size && !strchr("\\\"\n", text.data[end]))
                end++;
            add_name(marks, (struct qs_view){text.data + start, end - start}, offset + start);
        }
}

/* "name bob", by which a client of Quake tells its name, with "color" and others like it. */
static void take_name_command(struct marks *marks, struct qs_view text, uint32_t offset)
{
    struct qs_token word;
    uint32_t pos = 0;

    if (!qs_token_next(text, &pos, &word) || !qs_view_equal(word.text, "name") ||
        !qs_token_next(text, &pos, &word))
        return;
    add_name(marks, word.text, offset + (uint32_t)(word.text.data - text.data));
}

static void take_text(struct marks *marks, const struct qs_field *row, const struct qs_value *value)
{
    const uint32_t offset = text_offset(value);
    const struct qs_view text = value->bytes;

    take_name(marks, row, text, offset);
    take_listed_name(marks, row, text, offset);
    take_name_command(marks, text, offset);
    take_info_names(marks, text, offset);
    take_chat(marks, text, offset);
    add(marks, MARK_TEXT, offset, text.size);
    marks->after_name = qs_view_equal(text, "name") || qs_view_equal(text, "hostname");
    marks->is_chat = marks->is_skin = false;
}

/* --- The sink -------------------------------------------------------------------------------- */

static void take_number(struct marks *marks, const struct qs_field *row,
                        const struct qs_value *value)
{
    const char *name = row->names ? qs_name_of(row->names, (uint32_t)value->u) : NULL;

    if (row->type == QS_FRAMENUM)
        g_array_append_val(marks->fragments, value->u);
    if (!name)
        return;
    marks->is_chat = marks->is_chat || strcmp(name, "PRINT_CHAT") == 0;
    marks->is_skin = strcmp(name, "CS_PLAYERSKINS") == 0 || (marks->is_skin && value->generated);
}

/* They may be compressed, and what they inflate to comes next. */
static void take_bytes(struct marks *marks, const struct qs_field *row,
                       const struct qs_value *value)
{
    marks->packed = (struct packed){.bytes = value->bytes,
                                    .source = source_in_force(marks),
                                    .offset = value->offset,
                                    .count = marks->count,
                                    .is_stream = ends_with(row->name, ".gtv.deflated")};
    marks->is_deflated =
        marks->is_deflated || marks->packed.is_stream || ends_with(row->name, ".gtv.adler32");
}

static void marks_field(struct qs_sink *sink, const struct qs_field *row,
                        const struct qs_value *value)
{
    struct marks *marks = self(sink);

    if (row->type == QS_BYTES)
        take_bytes(marks, row, value);
    if (ends_with(row->name, ".zpacket.size"))
        marks->count = value->offset;
    if (row->type == QS_TEXT && !value->generated)
        take_text(marks, row, value);
    else if (row->type == QS_IPV4 && value->bytes.size == 4)
        add(marks, MARK_ADDRESS, value->offset, 4);
    else if (row->type == QS_BYTES && ends_with(row->name, ".fragment.data") &&
             !source_in_force(marks)) {
        marks->fragment = value->offset;
        marks->fragment_size = value->bytes.size;
    } else if (qs_type_bits(row->type) || row->type == QS_FRAMENUM)
        take_number(marks, row, value);
}

static void marks_secret(struct qs_sink *sink, uint32_t offset, uint32_t length)
{
    add(self(sink), MARK_PASSWORD, offset, length);
}

/* Such packets are not decoded again. */
static void marks_note(struct qs_sink *sink, enum qs_note kind, uint32_t offset, uint32_t length,
                       const char *text)
{
    (void)offset, (void)length, (void)text;
    if (kind == QS_NOTE_SEQUENCE_DUPLICATE || kind == QS_NOTE_SEQUENCE_STALE ||
        kind == QS_NOTE_RETRANSMISSION)
        self(sink)->is_repeated = true;
}

struct qs_view marked_source_bytes(const struct marked_source *source)
{
    gsize size;
    const uint8_t *data = g_bytes_get_data(source->bytes, &size);

    return (struct qs_view){data, (uint32_t)size};
}

static void free_source(gpointer data)
{
    struct marked_source *source = data;

    g_bytes_unref(source->bytes);
    if (source->changed)
        g_byte_array_free(source->changed, TRUE);
    g_array_free(source->packets, TRUE);
    g_free(source);
}

/* What was compressed was told just before. */
static void find_packed(const struct marks *marks, struct marked_source *source)
{
    const struct packed *packed = &marks->packed;

    source->parent = source_in_force(marks);
    if (source->packets->len || packed->source != source->parent || !packed->bytes.size ||
        (!packed->is_stream && !repack_understands(packed->bytes, marked_source_bytes(source))))
        return;
    source->is_stream = packed->is_stream;
    source->packed = packed->offset;
    source->packed_size = packed->bytes.size;
    source->count = packed->count;
}

/* The fragments that were told before are the source's. */
static void marks_source(struct qs_sink *sink, const char *title, const uint8_t *data,
                         uint32_t size)
{
    struct marks *marks = self(sink);
    struct marked_source *source;
    unsigned number;

    (void)title;
    if (!data) {
        g_array_set_size(marks->open, marks->open->len - 1);
        return;
    }
    source = g_new0(struct marked_source, 1);
    source->bytes = g_bytes_new(data, size);
    source->packets = marks->fragments;
    marks->fragments = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    find_packed(marks, source);
    g_ptr_array_add(marks->sources, source);
    number = marks->sources->len;
    g_array_append_val(marks->open, number);
}

struct marks *marks_new(void)
{
    struct marks *marks = g_new0(struct marks, 1);

    marks->sink = (struct qs_sink){
        .field = marks_field, .note = marks_note, .secret = marks_secret, .source = marks_source};
    marks->marks = g_array_new(FALSE, FALSE, sizeof(struct mark));
    marks->sources = g_ptr_array_new_with_free_func(free_source);
    marks->open = g_array_new(FALSE, FALSE, sizeof(unsigned));
    marks->fragments = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    marks->players =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    return marks;
}

void marks_free(struct marks *marks)
{
    g_array_free(marks->marks, TRUE);
    g_ptr_array_free(marks->sources, TRUE);
    g_array_free(marks->open, TRUE);
    g_array_free(marks->fragments, TRUE);
    g_hash_table_destroy(marks->players);
    g_free(marks);
}

void marks_clear(struct marks *marks)
{
    g_array_set_size(marks->marks, 0);
    g_ptr_array_set_size(marks->sources, 0);
    g_array_set_size(marks->open, 0);
    g_array_set_size(marks->fragments, 0);
    marks->fragment = marks->fragment_size = 0;
    marks->packed = (struct packed){0};
    marks->count = 0;
    marks->after_name = marks->is_chat = marks->is_skin = false;
    marks->is_deflated = marks->is_repeated = false;
}
