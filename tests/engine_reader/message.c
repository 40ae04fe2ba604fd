/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/engine_reader/message.h"

#include <string.h>

#define REPLACEMENTDELTAS 0x08u

/* --- The cursor --- */

static bool has(struct reading *r, int64_t size)
{
    if (size > (int64_t)(r->size - r->pos)) {
        r->pos = r->size;
        r->bad = true;
    }
    return !r->bad;
}

void skip(struct reading *r, int64_t size)
{
    if (has(r, size))
        r->pos += (uint32_t)size;
}

static uint32_t take(struct reading *r, unsigned size)
{
    uint32_t value = 0;

    if (!has(r, size))
        return 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint32_t)r->data[r->pos++] << 8 * i;
    return value;
}

uint32_t take_byte(struct reading *r)
{
    return take(r, 1);
}

uint32_t take_word(struct reading *r)
{
    return take(r, 2);
}

uint32_t take_long(struct reading *r)
{
    return take(r, 4);
}

/* --- Texts --- */

GString *take_text(struct reading *r)
{
    GString *text = g_string_new(NULL);

    while (text->len < r->engine->text_max) {
        const uint32_t byte = r->pos < r->size ? r->data[r->pos++] : 0;

        if (!byte || (byte == 0xff && r->engine->ff == FF_ENDS))
            break;
        if (byte != 0xff || r->engine->ff == FF_KEPT)
            g_string_append_c(text, (char)byte);
    }
    return text;
}

bool leads_out(const char *text)
{
    return strstr(text, "../") || strstr(text, "..\\");
}

/* Engines put the name behind their folder, or take it as it is. */
static void check_file(struct reading *r, const char *name)
{
    if (strlen(name) > 127 || leads_out(name) || strchr("/\\", name[0] ? name[0] : '.') ||
        (name[0] && name[1] == ':') || strpbrk(name, "\";\n"))
        finding(r, "file %s", name);
}

/* id common.c, COM_Gamedir. */
static void check_folder(struct reading *r, const char *name)
{
    if (strpbrk(name, "/\\:") || strstr(name, "..") || strlen(name) > 63)
        finding(r, "folder %s", name);
}

/* ezQuake cl_parse.c, CL_ProcessServerInfo; FTE cl_parse.c, CL_CheckOrEnqueDownloadFile. */
static void check_pair(struct reading *r, const char *key, const char *value)
{
    if (leads_out(value) || g_ascii_strncasecmp(key, "sv_dlURL", 8) == 0)
        finding(r, "pair %s = %s", key, value);
    else if (strcmp(key, "skin") == 0)
        check_file(r, value);
}

void check_info(struct reading *r, const char *info)
{
    g_auto(GStrv) parts = g_strsplit(info[0] == '\\' ? info + 1 : info, "\\", -1);

    for (unsigned i = 0; parts[i] && parts[i + 1]; i += 2)
        check_pair(r, parts[i], parts[i + 1]);
}

void take_another_static(struct reading *r, uint32_t limit)
{
    if (r->statics++ >= limit)
        finding(r, "more than %u static entities", limit);
}

uint32_t take_names(struct reading *r)
{
    uint32_t count = 0;
    bool more = true;

    while (more && !r->bad && r->pos < r->size) {
        g_autoptr(GString) name = take_text(r);

        more = name->len;
        count += more;
        check_file(r, name->str);
    }
    return count;
}

static void take_checked(struct reading *r, char part)
{
    GString *text = take_text(r), *value;

    if (part == 'f')
        check_file(r, text->str);
    else if (part == 'g')
        check_folder(r, text->str);
    else if (part == 'i')
        check_info(r, text->str);
    else if (part == 'p' && leads_out(text->str))
        finding(r, "path in %s", text->str);
    else if (part == 'n' && text->len > 63) /* FTE: MAX_SCOREBOARDNAME */
        finding(r, "a name of %u bytes", (unsigned)text->len);
    if (part == 'k') {
        value = take_text(r);
        check_pair(r, text->str, value->str);
        g_string_free(value, TRUE);
    }
    g_string_free(text, TRUE);
}

/* --- Shapes --- */

static void take_entity(struct reading *r)
{
    uint32_t number = take_word(r);

    if (number & 0x8000 && r->fte2 & REPLACEMENTDELTAS)
        number = (number & 0x7fff) << 8 | take_byte(r);
    if (number >= 0x8000)
        finding(r, "entity %u", number);
}

static void take_below(struct reading *r, uint32_t limit)
{
    const uint32_t number = take_byte(r);

    if (number >= limit)
        finding(r, "number %u, engines stop at %u", number, limit);
}

/* Where FTE and DarkPlaces alone play it, they have room for all that a byte can number. */
static void take_limited(struct reading *r, uint32_t limit)
{
    take_below(r, r->limited ? limit : UINT8_MAX + 1);
}

static void take_part(struct reading *r, char part)
{
    switch (part) {
    case '3':
        take_limited(r, 32);
        break;
    case '6':
        take_limited(r, 64);
        break;
    case 'm':
        take_limited(r, r->models + 1);
        break;
    case 'x':
        if (take_byte(r) - 1 >= r->models)
            finding(r, "an effect without a model");
        break;
    case 'u':
        take_below(r, r->clients);
        break;
    case 'v':
        take_limited(r, r->clients + 1u);
        break;
    case 'b':
        skip(r, 1);
        break;
    case 'w':
        skip(r, 2);
        break;
    case 'l':
        skip(r, 4);
        break;
    case 'c':
        skip(r, r->coord_size);
        break;
    case 'C':
        skip(r, 3u * r->coord_size);
        break;
    case 'a':
        skip(r, r->angle_size);
        break;
    case 'A':
        skip(r, 3u * r->angle_size);
        break;
    case 's':
        g_string_free(take_text(r), TRUE);
        break;
    case 'e':
        take_entity(r);
        break;
    case 'f':
    case 'g':
    case 'i':
    case 'k':
    case 'n':
    case 'p':
        take_checked(r, part);
        break;
    default:
        g_assert_not_reached();
    }
}

void take_shape(struct reading *r, const char *shape)
{
    for (; *shape && !r->bad; shape++)
        take_part(r, *shape);
}

void take_shapes(struct reading *r, const char *shape, uint32_t count)
{
    while (count-- && !r->bad)
        take_shape(r, shape);
}

/* --- Messages --- */

static void note_unread(struct reading *r, uint32_t start)
{
    if (!r->first)
        return;
    r->report->unread += r->size - start;
    g_string_append_printf(r->report->unknown, "block %u: message %u at %u of %u bytes\n", r->block,
                           r->data[start], start, r->size);
}

static bool is_allowed(const struct reading *r, uint32_t id)
{
    return id < r->game->extensions || id >= r->game->extensions_end || r->fte || r->fte2 ||
           r->mvd1;
}

/* Quake's ids from 128 on are entity updates. */
static bool take_message(struct reading *r)
{
    const uint32_t id = take_byte(r) & r->engine->id_mask;
    const uint32_t row = id > 128 && r->game->readers[128] ? 128 : id;

    if (!is_allowed(r, id))
        r->bad = true;
    else if (r->game->readers[row])
        r->game->readers[row](r);
    else if (r->game->shapes[row])
        take_shape(r, r->game->shapes[row]);
    else
        r->bad = true;
    return !r->bad;
}

void take_messages(struct reading *r, const uint8_t *data, uint32_t size)
{
    uint32_t start = 0;

    r->data = data;
    r->size = size;
    r->pos = 0;
    r->bad = false;
    r->report->bytes += r->first ? size : 0;
    while (r->pos < r->size) {
        start = r->pos;
        if (!take_message(r)) {
            note_unread(r, start);
            return;
        }
    }
}

void take_stufftext(struct reading *r)
{
    g_autoptr(GString) text = take_text(r);

    console_text(r, text);
}

/* --- The demo --- */

void finding(struct reading *r, const char *format, ...)
{
    va_list arguments;
    g_autofree char *text = NULL;

    va_start(arguments, format);
    text = g_strdelimit(g_strdup_vprintf(format, arguments), "\r\n", ' ');
    va_end(arguments);
    r->report->found++;
    g_string_append_printf(r->report->findings, "%s: block %u: %s\n", r->engine->name, r->block,
                           text);
}

void engine_report_init(struct engine_report *report)
{
    *report = (struct engine_report){.findings = g_string_new(NULL), .unknown = g_string_new(NULL)};
}

void engine_report_clear(struct engine_report *report)
{
    g_string_free(report->findings, TRUE);
    g_string_free(report->unknown, TRUE);
}

static const struct game *game_of(const char *extension)
{
    static const struct {
        const char *extension;
        const struct game *game;
    } games[] = {
        {"qwd", &engine_qwd}, {"mvd", &engine_mvd}, {"dem", &engine_dem}, {"dm2", &engine_dm2}};

    for (size_t i = 0; i < G_N_ELEMENTS(games); i++)
        if (strcmp(games[i].extension, extension) == 0)
            return games[i].game;
    return NULL;
}

void engine_reader_read(const char *extension, const uint8_t *demo, size_t size,
                        struct engine_report *report)
{
    const struct game *game = game_of(extension);

    for (const struct engine *engine = game ? game->engines : NULL; engine && engine->name;
         engine++) {
        struct reading r = {.game = game,
                            .engine = engine,
                            .report = report,
                            .first = engine == game->engines,
                            .coord_size = 2,
                            .angle_size = 1,
                            .pending = g_string_new(NULL),
                            .strings = g_string_new(NULL),
                            .coarse = g_byte_array_new()};

        game->read_demo(&r, demo, size);
        g_string_free(r.pending, TRUE);
        g_string_free(r.strings, TRUE);
        g_byte_array_free(r.coarse, TRUE);
    }
}
