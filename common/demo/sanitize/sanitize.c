/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/sanitize/sanitize.h"

#include "common/core/containers.h"
#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/demo/sanitize/rules.h"

#define NO_RANGE UINT32_MAX /* no config string */

/* A message of the current block, as its rule and limits judge it. */
struct checked_message {
    const char *name;
    const struct sanitize_message *rule; /* rule of the game's list; NULL: none */
    uint32_t offset;                     /* offset of the message's number in the block */
    unsigned kinds;                      /* kinds of the session before it */
    bool refused;                        /* true: it has a number or text that is not allowed */
    unsigned entities;                   /* number of its entities */
    guint edits;                         /* index of its first edit */
};

/* A text or number of a message that is replaced. */
struct edit {
    uint32_t offset, length; /* location in the block, without the NUL */
    guint at, size;          /* location of the replacement in `texts` */
};

/* Lookup tables for all demos of a game. */
struct tables {
    const struct sanitize_message **rules; /* rules by the row of a message's group */
    const struct sanitize_limit **limits;  /* limits by row: the first of the adjacent ones */
    guint count;                           /* number of rows of the game's list of messages */
};

struct qs_sanitizer {
    struct qs_sink sink; /* must be first */
    const struct qs_protocol *protocol;
    const struct sanitize_format *format;
    const struct sanitize_game *game;
    const struct tables *tables;
    struct qs_decoder decoder;
    struct qs_session *session;
    uint64_t blocks; /* number of blocks so far */
    struct qs_stufftext stufftext;
    struct qs_zip_watch watch;
    GByteArray *input; /* incomplete block */
    GByteArray *block; /* block to write */
    GByteArray *texts;
    GArray *edits;    /* struct edit */
    GArray *messages; /* struct checked_message */
    const struct qs_field *group;
    bool is_nested; /* the last message is nested in another one */
    bool in_source; /* offsets refer to bytes outside the block */
    bool has_other; /* the block has more than numbers outside messages */
    char *info_key; /* latest key of an info string */
    uint32_t range, number;
    bool in_level, in_game; /* state of the level: see enum sanitize_flags */
    bool is_over;           /* the rest of the demo is not written */
    GArray *counts;         /* guint: number in the level, by message of the list */
};

/* Returns the name without the protocol's prefix: "svc_print". */
static const char *stem_of(const struct qs_field *row)
{
    return strchr(row->name, '.') + 1;
}

/* --- What a decode reports --- */

static struct checked_message *current(const struct qs_sanitizer *sanitizer)
{
    const guint count = sanitizer->messages->len;

    return count ? &g_array_index(sanitizer->messages, struct checked_message, count - 1) : NULL;
}

static void on_open(struct qs_sink *sink, const struct qs_field *group, uint32_t offset)
{
    (void)offset;
    ((struct qs_sanitizer *)sink)->group = group;
}

static void begin_message(struct qs_sanitizer *sanitizer, uint32_t offset)
{
    const struct qs_field *fields = sanitizer->protocol->fields;
    const struct checked_message message = {
        .name = sanitizer->group ? stem_of(sanitizer->group) : "?",
        .rule = sanitizer->group ? sanitizer->tables->rules[sanitizer->group - fields] : NULL,
        .offset = offset,
        .kinds = sanitizer->game->kinds(sanitizer->session),
        .edits = sanitizer->edits->len};

    sanitizer->is_nested = false;
    sanitizer->number = 0;
    g_array_append_val(sanitizer->messages, message);
}

/* Refuses the outer message if a nested one is not allowed. */
static void begin_nested(struct qs_sanitizer *sanitizer)
{
    const struct qs_field *fields = sanitizer->protocol->fields;
    const struct sanitize_message *rule = sanitizer->tables->rules[sanitizer->group - fields];
    struct checked_message *message = current(sanitizer);

    sanitizer->is_nested = true;
    if (message)
        message->refused |= !rule || rule->flags & (SANITIZE_COMMANDS | SANITIZE_START);
}

static bool is_within(const struct qs_sanitizer *sanitizer, const struct sanitize_limit *limit,
                      int64_t number)
{
    const struct qs_field *row = &sanitizer->protocol->fields[limit->row];
    const int64_t more = limit->of_clients ? sanitizer->game->clients(sanitizer->session) : 0;

    return number >= limit->low && number <= limit->high + more && !(number & limit->forbidden) &&
           (number & limit->needed) == limit->needed &&
           (!limit->named || qs_name_of(row->names, (uint32_t)number));
}

static bool applies(const struct sanitize_limit *limit, const struct checked_message *message)
{
    return (!limit->kinds || limit->kinds & message->kinds) &&
           (!limit->message || strcmp(limit->message, message->name) == 0);
}

static void replace_u16(struct qs_sanitizer *sanitizer, uint32_t offset, uint16_t number)
{
    const struct edit edit = {offset, sizeof number, sanitizer->texts->len, sizeof number};

    qs_write_u16(sanitizer->texts, number);
    g_array_append_val(sanitizer->edits, edit);
}

static void check_number(struct qs_sanitizer *sanitizer, unsigned row, uint32_t offset,
                         int64_t number)
{
    struct checked_message *message = current(sanitizer);
    int64_t kept = number;

    if (row == sanitizer->game->number_row)
        sanitizer->number = (uint32_t)number;
    if (row == sanitizer->game->entity_row && sanitizer->game->most_entities)
        message->refused |=
            ++message->entities > sanitizer->game->most_entities(sanitizer->session);
    for (const struct sanitize_limit *limit = sanitizer->tables->limits[row];
         limit && limit->row == row; limit++) {
        if (!applies(limit, message))
            continue;
        message->refused |= !is_within(sanitizer, limit, number);
        if (number & limit->only_with)
            kept &= limit->only;
    }
    if (kept != number)
        replace_u16(sanitizer, offset, (uint16_t)kept);
}

/* True if a name cannot be replaced: the map's, or one whose message can be left out instead. */
static bool is_irreplaceable(const struct qs_sanitizer *sanitizer, const struct qs_field *row,
                             enum qs_role role)
{
    if (row->role == QS_ROLE_CONFIG)
        return role == QS_ROLE_MODEL || role == QS_ROLE_SOUND;
    return role == QS_ROLE_MODEL && sanitizer->number == 1;
}

/* True if a length before the text counts it: the text has no NUL, or is within another message. */
static bool has_length(const struct qs_sanitizer *sanitizer, const struct qs_value *value)
{
    return value->length == value->bytes.size || sanitizer->is_nested || sanitizer->in_source;
}

static void check_text(struct qs_sanitizer *sanitizer, const struct qs_field *row,
                       const struct qs_value *value)
{
    struct checked_message *message = current(sanitizer);
    struct edit edit = {
        .offset = value->offset, .length = value->bytes.size, .at = sanitizer->texts->len};
    const enum qs_role role =
        row->role == QS_ROLE_CONFIG
            ? sanitizer->protocol->config_role(sanitizer->range, sanitizer->number)
            : row->role;
    enum sanitize_result result;

    if (message->rule && message->rule->flags & SANITIZE_COMMANDS)
        return;
    result = sanitize_text(sanitizer->game, sanitizer->session, role, value->bytes,
                           qs_view_of(sanitizer->info_key), sanitizer->texts);
    edit.size = sanitizer->texts->len - edit.at;
    if (is_irreplaceable(sanitizer, row, role) &&
        (result == SANITIZE_NEW || (!value->bytes.size && row->role == QS_ROLE_CONFIG)))
        result = SANITIZE_REFUSED;
    if (row->role == QS_ROLE_KEY) {
        g_free(sanitizer->info_key);
        sanitizer->info_key = g_strndup((const char *)value->bytes.data, value->bytes.size);
    }
    if (result == SANITIZE_NEW)
        g_array_append_val(sanitizer->edits, edit);
    message->refused |=
        result == SANITIZE_REFUSED || (result == SANITIZE_NEW && has_length(sanitizer, value));
}

/* True if the text is part of the last one, which was checked as a whole. */
static bool is_part(const struct qs_sanitizer *sanitizer, const struct qs_value *value)
{
    const GArray *edits = sanitizer->edits;
    const struct edit *last =
        edits->len ? &g_array_index(edits, struct edit, edits->len - 1) : NULL;

    return last && value->offset < last->offset + last->length;
}

static void on_field(struct qs_sink *sink, const struct qs_field *row, const struct qs_value *value)
{
    struct qs_sanitizer *sanitizer = (struct qs_sanitizer *)sink;
    const unsigned id = (unsigned)(row - sanitizer->protocol->fields);
    const enum qs_kind kind = qs_type_kind(row->type);

    if (id == sanitizer->game->ids[0])
        begin_message(sanitizer, value->offset);
    else if (id == sanitizer->game->ids[1])
        begin_nested(sanitizer);
    else if (!current(sanitizer))
        sanitizer->has_other |= row->type == QS_BYTES || row->type == QS_TIME ||
                                (row->type == QS_TEXT && !value->generated);
    else if (row->type == QS_TEXT && !value->generated && !is_part(sanitizer, value))
        check_text(sanitizer, row, value);
    else if (row->type == QS_BYTES)
        current(sanitizer)->refused |= row->role != QS_ROLE_BITS && row->role != QS_ROLE_VOICE;
    else if (row->role == QS_ROLE_RANGE)
        sanitizer->range = (uint32_t)value->u;
    else if (kind == QS_KIND_UNSIGNED || kind == QS_KIND_BOOL)
        check_number(sanitizer, id, value->offset, (int64_t)value->u);
    else if (kind == QS_KIND_SIGNED)
        check_number(sanitizer, id, value->offset, value->i);
}

static void on_note(struct qs_sink *sink, enum qs_note kind, uint32_t offset, uint32_t length,
                    const char *text)
{
    struct checked_message *message = current((struct qs_sanitizer *)sink);

    (void)offset, (void)length, (void)text;
    if (message && qs_note_kinds[kind].problem)
        message->refused = true;
}

static void on_source(struct qs_sink *sink, const char *title, const uint8_t *data, uint32_t size)
{
    (void)title, (void)size;
    ((struct qs_sanitizer *)sink)->in_source = data != NULL;
}

static void on_close(struct qs_sink *sink, uint32_t end)
{
    struct qs_sanitizer *sanitizer = (struct qs_sanitizer *)sink;
    struct checked_message *message = current(sanitizer);

    (void)end;
    if (message && sanitizer->range != NO_RANGE && sanitizer->game->refuses)
        message->refused |=
            sanitizer->game->refuses(sanitizer->session, sanitizer->range, sanitizer->number);
    sanitizer->range = NO_RANGE;
}

/* --- Choosing messages --- */

/* True if the message stays. If one that begins a level does not, nothing of the level does. */
static bool stays(struct qs_sanitizer *sanitizer, const struct checked_message *message)
{
    const struct sanitize_message *rule = message->rule;
    const unsigned flags = rule ? rule->flags : 0;
    bool good = rule && !message->refused && (!rule->kinds || rule->kinds & message->kinds);
    guint *count;

    if (flags & SANITIZE_START) {
        sanitizer->in_level = good;
        sanitizer->in_game = false;
        memset(sanitizer->counts->data, 0, sanitizer->counts->len * sizeof(guint));
    }
    if (!good && flags & SANITIZE_NEEDED)
        sanitizer->in_level = false;
    if (!good || (flags & SANITIZE_SIGN_ON && sanitizer->in_game) ||
        !(flags & SANITIZE_ANYWHERE || sanitizer->in_level))
        return false;
    sanitizer->in_game |= (flags & SANITIZE_GAME) != 0;
    count = &g_array_index(sanitizer->counts, guint, rule - sanitizer->game->messages);
    return !rule->most || ++*count <= rule->most;
}

/* Refuses parts whose message is refused, and messages whose part is. */
static void join_parts(const struct qs_sanitizer *sanitizer)
{
    struct checked_message *all = (struct checked_message *)(void *)sanitizer->messages->data;

    for (guint i = sanitizer->messages->len; i > 1; i--)
        if (all[i - 1].rule && all[i - 1].rule->flags & SANITIZE_PART)
            all[i - 2].refused |= all[i - 1].refused;
    for (guint i = 1; i < sanitizer->messages->len; i++)
        if (all[i].rule && all[i].rule->flags & SANITIZE_PART)
            all[i].refused |= all[i - 1].refused;
}

/* --- Writing --- */

static void append_with_edits(struct qs_sanitizer *sanitizer, const struct checked_message *message,
                              guint edits_end, struct qs_view block, uint32_t length,
                              GByteArray *out)
{
    uint32_t done = message->offset;

    if (!length) /* the block may have no bytes */
        return;
    for (guint i = message->edits; i < edits_end; i++) {
        const struct edit *edit = &g_array_index(sanitizer->edits, struct edit, i);

        if (edit->offset < done)
            continue;
        g_byte_array_append(out, block.data + done, edit->offset - done);
        if (edit->size) /* `data` is NULL if all texts are empty */
            g_byte_array_append(out, sanitizer->texts->data + edit->at, edit->size);
        done = edit->offset + edit->length;
    }
    g_byte_array_append(out, block.data + done, message->offset + length - done);
}

static void append_message(struct qs_sanitizer *sanitizer, guint index, struct qs_view block,
                           uint32_t length)
{
    const struct checked_message *message =
        &g_array_index(sanitizer->messages, struct checked_message, index);
    const guint edits_end =
        index + 1 < sanitizer->messages->len
            ? g_array_index(sanitizer->messages, struct checked_message, index + 1).edits
            : sanitizer->edits->len;
    const struct qs_view bytes = {block.data + message->offset, length};
    GByteArray *out = sanitizer->block;
    const guint start = out->len;

    if (message->rule->flags & SANITIZE_COMMANDS) {
        qs_stufftext_filter(&sanitizer->stufftext, bytes, out);
        return;
    }
    append_with_edits(sanitizer, message, edits_end, block, length, out);
    if (message->rule->flags & SANITIZE_START && sanitizer->game->append_start) {
        g_autofree uint8_t *copy = g_memdup2(out->data + start, out->len - start);
        const struct qs_view made = {copy, out->len - start};

        g_byte_array_set_size(out, start);
        sanitizer->game->append_start(sanitizer->session, made, out);
    }
}

/* Appends an update without entities. A delta keeps the byte that numbers its base. */
static void append_emptied(struct qs_sanitizer *sanitizer, struct qs_view block,
                           const struct checked_message *message, uint32_t length)
{
    const uint32_t head = message->rule->flags & SANITIZE_DELTA ? 2 : 1;

    if (length < head)
        return;
    g_byte_array_append(sanitizer->block, block.data + message->offset, head);
    qs_write_u16(sanitizer->block, 0);
}

static gint compare_offsets(gconstpointer a, gconstpointer b)
{
    const uint32_t x = ((const struct checked_message *)a)->offset;
    const uint32_t y = ((const struct checked_message *)b)->offset;

    return (x > y) - (x < y);
}

/* Appends the messages that stay. Those that were not decoded to their end do not. */
static void append_messages(struct qs_sanitizer *sanitizer, struct qs_demo_writer *out,
                            struct qs_view block)
{
    const struct qs_decoder *decoder = &sanitizer->decoder;
    const uint32_t payload = (uint32_t)(decoder->payload.data - block.data);
    const GArray *decoded = decoder->found.messages;

    for (guint i = 0; i < decoded->len; i++) {
        const struct qs_message *message = qs_message_at(decoder, i);
        const struct checked_message key = {.offset = payload + message->offset};
        guint index;
        struct checked_message *checked;

        /* The others are nested in one of these. */
        if (message->source ||
            !g_array_binary_search(sanitizer->messages, &key, compare_offsets, &index))
            continue;
        checked = &g_array_index(sanitizer->messages, struct checked_message, index);
        checked->refused |= message->is_unlisted;
        if (stays(sanitizer, checked)) {
            append_message(sanitizer, index, block, message->length);
            continue;
        }
        if (sanitizer->in_level && checked->rule && checked->rule->flags & SANITIZE_EMPTIED)
            append_emptied(sanitizer, block, checked, message->length);
        qs_demo_left_out(out, checked->name);
    }
    if (qs_decoder_problems(decoder))
        out->counts.stripped++;
}

static void decode_block(struct qs_sanitizer *sanitizer, struct qs_view block)
{
    const struct qs_packet packet = {.number = sanitizer->blocks++ + sanitizer->format->first,
                                     .data = block.data,
                                     .size = block.size,
                                     .wire_size = block.size};

    g_array_set_size(sanitizer->messages, 0);
    g_array_set_size(sanitizer->edits, 0);
    g_byte_array_set_size(sanitizer->texts, 0);
    sanitizer->group = NULL;
    sanitizer->is_nested = sanitizer->in_source = sanitizer->has_other = false;
    sanitizer->range = NO_RANGE;
    qs_decode_block(&sanitizer->decoder, sanitizer->format->decode, sanitizer->session,
                    &sanitizer->sink, &packet, 0);
}

/* True if the level cannot be shown. During the game an unsafe map name is only refused. */
static bool is_broken(const struct qs_sanitizer *sanitizer)
{
    bool signs_on = !sanitizer->in_game;

    for (guint i = 0; i < sanitizer->messages->len && !signs_on; i++) {
        const struct checked_message *message =
            &g_array_index(sanitizer->messages, struct checked_message, i);

        signs_on = message->rule && message->rule->flags & SANITIZE_START;
    }
    return signs_on && sanitizer->game->is_broken && sanitizer->game->is_broken(sanitizer->session);
}

static void sanitize_block(struct qs_sanitizer *sanitizer, struct qs_demo_writer *out,
                           struct qs_view bytes)
{
    const struct qs_decoder *decoder = &sanitizer->decoder;
    struct sanitize_block block = {.out = out,
                                   .watch = &sanitizer->watch,
                                   .decoder = decoder,
                                   .block = bytes,
                                   .made = sanitizer->block};
    uint32_t head;

    decode_block(sanitizer, bytes);
    block.has_other = sanitizer->has_other;
    if (is_broken(sanitizer)) {
        qs_demo_problem(out, NULL, "a level is left out: the name of its map is unsafe");
        qs_demo_discard(out);
        sanitizer->is_over = true;
        return;
    }
    block.payload = (uint32_t)(decoder->payload.data - bytes.data);
    head = block.payload ? MIN(block.payload + sanitizer->format->header, bytes.size) : bytes.size;
    qs_bytes_empty(sanitizer->block);
    g_byte_array_append(sanitizer->block, bytes.data, head);
    join_parts(sanitizer);
    append_messages(sanitizer, out, bytes);
    sanitizer->format->write(&block);
}

/* --- Interface --- */

void qs_sanitizer_write(struct qs_sanitizer *sanitizer, struct qs_demo_writer *out,
                        struct qs_view bytes)
{
    GByteArray *input = sanitizer->input;
    struct qs_reader in;
    uint32_t start = 0;

    if (sanitizer->is_over || !bytes.size)
        return;
    sanitizer->stufftext.out = out;
    g_byte_array_append(input, bytes.data, bytes.size);
    in = qs_reader_over(input->data, input->len);
    while (!sanitizer->is_over && qs_reader_left(&in)) {
        const enum qs_demo_status status =
            sanitizer->format->next(&in, out, sanitizer->blocks == 0);

        if (status != QS_DEMO_BLOCK && status != QS_DEMO_LINE)
            break;
        sanitize_block(sanitizer, out, (struct qs_view){input->data + start, in.pos - start});
        start = in.pos;
    }
    g_byte_array_remove_range(input, 0, start);
}

static const struct sanitize_format *format_of(const char *extension)
{
    static const struct sanitize_format *const formats[] = {
        &sanitize_dem, &sanitize_qwd, &sanitize_mvd, &sanitize_dm2, &sanitize_mvd2};
    unsigned i = 0;

    while (strcmp(formats[i]->extension, extension) != 0)
        i++;
    return formats[i];
}

/* True if the list `names` contains the word. */
static bool has_name(const char *names, const char *name)
{
    const size_t size = strlen(name);

    for (const char *at = strstr(names, name); at; at = strstr(at + size, name))
        if ((at == names || at[-1] == ' ') && (!at[size] || at[size] == ' '))
            return true;
    return false;
}

static const struct sanitize_message *rule_of(const struct sanitize_game *game, const char *name)
{
    const struct sanitize_message *rule = game->messages;

    while (rule->names && !has_name(rule->names, name))
        rule++;
    return rule->names ? rule : NULL;
}

static const struct tables *tables_new(const struct sanitize_game *game,
                                       const struct qs_protocol *protocol)
{
    const struct sanitize_limit *limits = game->limits;
    struct tables *tables = g_new0(struct tables, 1);

    tables->rules = g_new0(const struct sanitize_message *, protocol->field_count);
    tables->limits = g_new0(const struct sanitize_limit *, protocol->field_count);
    while (game->messages[tables->count].names)
        tables->count++;
    for (unsigned i = 0; i < protocol->field_count; i++)
        if (protocol->fields[i].type == QS_GROUP)
            tables->rules[i] = rule_of(game, stem_of(&protocol->fields[i]));
    for (unsigned i = 0; limits[i].row; i++) {
        g_assert(!tables->limits[limits[i].row] || limits[i - 1].row == limits[i].row);
        if (!tables->limits[limits[i].row])
            tables->limits[limits[i].row] = &limits[i];
    }
    return tables;
}

/* Returns the tables of a game, which are created once and never freed. */
static const struct tables *tables_of(const struct sanitize_game *game,
                                      const struct qs_protocol *protocol)
{
    static GMutex lock;
    static GHashTable *all;
    const struct tables *tables;

    g_mutex_lock(&lock);
    if (!all)
        all = g_hash_table_new(g_direct_hash, g_direct_equal);
    tables = g_hash_table_lookup(all, game);
    if (!tables)
        g_hash_table_insert(all, (gpointer)game, (gpointer)(tables = tables_new(game, protocol)));
    g_mutex_unlock(&lock);
    return tables;
}

struct qs_sanitizer *qs_sanitizer_new(const struct qs_demo_format *format)
{
    struct qs_sanitizer *sanitizer = g_new0(struct qs_sanitizer, 1);

    sanitizer->protocol = format->protocol;
    sanitizer->format = format_of(format->extension);
    sanitizer->game = sanitizer->format->game;
    sanitizer->sink = (struct qs_sink){.open = on_open,
                                       .close = on_close,
                                       .field = on_field,
                                       .note = on_note,
                                       .source = on_source};
    sanitizer->tables = tables_of(sanitizer->game, format->protocol);
    qs_decoder_init(&sanitizer->decoder, format->protocol);
    qs_stufftext_init(&sanitizer->stufftext, NULL, sanitizer->game->stufftext,
                      sanitizer->game->commands, NULL);
    sanitizer->input = g_byte_array_new();
    sanitizer->block = g_byte_array_new();
    sanitizer->texts = g_byte_array_new();
    sanitizer->edits = g_array_new(FALSE, FALSE, sizeof(struct edit));
    sanitizer->messages = g_array_new(FALSE, FALSE, sizeof(struct checked_message));
    sanitizer->counts =
        g_array_set_size(g_array_new(FALSE, TRUE, sizeof(guint)), sanitizer->tables->count);
    return sanitizer;
}

static void forget_session(struct qs_sanitizer *sanitizer)
{
    if (sanitizer->session)
        sanitizer->protocol->session_clear(sanitizer->session);
    g_clear_pointer(&sanitizer->session, g_free);
}

void qs_sanitizer_begin(struct qs_sanitizer *sanitizer)
{
    const struct qs_protocol *protocol = sanitizer->protocol;

    forget_session(sanitizer);
    sanitizer->session = g_malloc(protocol->session_size);
    protocol->session_init(sanitizer->session);
    sanitizer->blocks = 0;
    sanitizer->watch = (struct qs_zip_watch){0};
    g_byte_array_set_size(sanitizer->input, 0);
    g_string_truncate(sanitizer->stufftext.pending, 0);
    sanitizer->in_level = sanitizer->in_game = sanitizer->is_over = false;
}

void qs_sanitizer_free(struct qs_sanitizer *sanitizer)
{
    if (!sanitizer)
        return;
    forget_session(sanitizer);
    qs_decoder_clear(&sanitizer->decoder);
    qs_stufftext_clear(&sanitizer->stufftext);
    g_byte_array_unref(sanitizer->input);
    g_byte_array_unref(sanitizer->block);
    g_byte_array_unref(sanitizer->texts);
    g_array_unref(sanitizer->edits);
    g_array_unref(sanitizer->messages);
    g_array_unref(sanitizer->counts);
    g_free(sanitizer->info_key);
    g_free(sanitizer);
}
