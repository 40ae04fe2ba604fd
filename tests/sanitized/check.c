/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/sanitized/check.h"

#include <string.h>

#include "common/core/text.h"
#include "common/demo_formats.h"

enum { SHOWN = 80 };

struct check {
    struct qs_sink sink; /* first */
    const struct qs_protocol *protocol;
    struct sanitized_report *report;
    uint64_t block;
    uint32_t range; /* of the config string at hand */
    char *key;      /* of an info string, the last */
};

/* --- The rules: what a text must match --- */

/* No list has a byte that terminals obey, that some engines mask to one, or that ends texts; no
 * text has two bytes that are a control character in UTF-8, or become one with the next text.
 * Printed texts may begin with a color. */
#define NO_UTF8_CONTROLS "(?s)(?!.*\\xc2(?:[\\x80-\\x9f\\\\]|$))"
#define SHOWN_BYTES "[\\t\\n\\x20-\\x7e\\x80-\\x9a\\x9c-\\xfe"
#define FONT_BYTES SHOWN_BYTES "\\x10-\\x1a\\x1c-\\x1f"
/* A path of letters, digits and harmless marks, below the folders of the game. */
#define FILE_BYTES                                                                                 \
    "(?!.*[.][.])[^\\x01-\\x1f\"';$%:\\\\/\\x7f-\\xff][^\\x01-\\x1f\"';$%:\\\\\\x7f-\\xff]{0,62}"
#define INFO_BYTES "[^\\x01-\\x1f\";$%\\x7f\\x9b\\xff"

static const char model[] = "^(?i:|[*][0-9]{1,5}|" FILE_BYTES "[.][a-z0-9]{2,7})$";
static const char sound[] = "^(?:|(?:[^.]+|.*[.](?i:wav|ogg|opus|mp3|flac))(?<=.))$";
static const char file[] = "^(?:|/?" FILE_BYTES ")$";
static const char effect[] = "^(?:|(?!.*/)" FILE_BYTES ")$";
static const char folder[] = "^(?:|(?![.])(?!.*/)" FILE_BYTES ")$";
static const char text[] = "^" NO_UTF8_CONTROLS "[\\x01\\x02]?" FONT_BYTES "]{0,2046}$";
static const char plain[] = "^" NO_UTF8_CONTROLS SHOWN_BYTES "]{0,2046}$";
static const char name[] = "^" NO_UTF8_CONTROLS "[\\x01\\x02]?" FONT_BYTES "]{0,63}$";
static const char info[] = "^" NO_UTF8_CONTROLS INFO_BYTES "]*$";
static const char part[] = "^" NO_UTF8_CONTROLS INFO_BYTES "\\\\]*$";
static const char nothing[] = "^$";

/* Comments that ezQuake and FTE only show, with the arguments that cannot leave
 * their arrays: ezQuake hud_teaminfo.c, hud_weapon_stats.c, mvd_utils.c, cl_parse.c; fteqw
 * cl_parse.c. */
#define PLAYER " (1?[0-9]?[0-9]|2[0-4][0-9]|25[0-4])"
#define CLIENT " ([12]?[0-9]|3[0-2])(?<! 0)"
#define ENTITY " (1?[0-9]{1,3}|20[0-3][0-9]|204[0-7])"
#define NUMBER "(?: -?[0-9]{1,10}(?:[.][0-9]+)?)"
#define STATE NUMBER "{6}(?: (?:\"[^\"]*\"|[^ \"]+)" NUMBER "*)?"
#define FILES "(?: (?!/)(?!\\S*[.][.])[a-zA-Z0-9_+./-]{1,59})"
#define REMARKS                                                                                    \
    "//(?:at" NUMBER "|cainfo" PLAYER STATE "|demomark.*|ktx (?:bp" ENTITY CLIENT "|di" NUMBER     \
    "{7}|drop" ENTITY NUMBER CLIENT "|expire" ENTITY "|matchstart|race (?:cp|end)" NUMBER          \
    "{5}|race pm" ENTITY "|race start" NUMBER "{2} [a-z]+|timer" ENTITY NUMBER                     \
    "|took" ENTITY NUMBER CLIENT ")|qul" NUMBER "{2}(?: .*)?|sn" NUMBER PLAYER STATE               \
    "|tinfo" PLAYER STATE "|ucmd" NUMBER "{2,3}|vwep" FILES "{0,32}|wps" PLAYER " [a-z]+" NUMBER   \
    "{2})"
/* One command, and its line feed. */
#define COMMANDS(commands) "^(?!.*[;$%\\r])(?:" commands ")\\n$"

static const struct {
    const char *protocol, *commands;
} commands[] = {
    {"qw",
     COMMANDS("fullserverinfo \"(?:[^\"\\\\]*|\\\\[^\"\\\\]*)*\"|skins|changing|bf|" REMARKS)},
    {"nq", COMMANDS("bf|v_cshift" NUMBER "{0,4}|play" FILES "*|playvol(?:" FILES NUMBER ")*")},
    {"q2", COMMANDS("play" FILES "*|precache")},
};

/* Keys that engines do more with than show them: the end of a whole info string, or a pair. */
static const char obeyed[] = "(?i)(?:^|\\\\)(?:sv_dlurl|[*]version\\\\mvdsv 0[.]30)|[.][.]/";

static bool matches(const char *rule, struct qs_view bytes)
{
    static GHashTable *compiled; /* by the rule's address */
    GRegex *regex;

    if (!compiled)
        compiled = g_hash_table_new(g_direct_hash, g_direct_equal);
    regex = g_hash_table_lookup(compiled, rule);
    if (!regex) {
        regex = g_regex_new(rule, G_REGEX_RAW | G_REGEX_OPTIMIZE | G_REGEX_DOLLAR_ENDONLY, 0, NULL);
        g_hash_table_insert(compiled, (gpointer)rule, regex);
    }
    return g_regex_match_full(regex, bytes.size ? (const char *)bytes.data : "", (gssize)bytes.size,
                              0, 0, NULL, NULL);
}

/* Ranges of Quake II's config strings, by the names that the field has for them. */
static const char *rule_of_config(const struct check *check, const struct qs_field *row)
{
    static const struct {
        const char *range, *rule;
    } rules[] = {{"CS_MODELS", model}, {"CS_SOUNDS", sound}, {"CS_IMAGES", file},
                 {"CS_SKY", file},     {"CS_CDTRACK", file}, {"CS_STATUSBAR", plain}};
    const char *range = NULL;

    for (; row >= check->protocol->fields && !range; row--)
        if (g_str_has_suffix(row->name, ".configstring.range"))
            range = qs_name_of(row->names, check->range);
    for (unsigned i = 0; i < G_N_ELEMENTS(rules); i++)
        if (g_strcmp0(range, rules[i].range) == 0)
            return rules[i].rule;
    return name;
}

static const char *rule_of(const struct check *check, const struct qs_field *row)
{
    static const struct {
        enum qs_role role;
        const char *rule;
    } rules[] = {{QS_ROLE_MODEL, model},   {QS_ROLE_SOUND, sound},   {QS_ROLE_FILE, file},
                 {QS_ROLE_EFFECT, effect}, {QS_ROLE_FOLDER, folder}, {QS_ROLE_INFO, info},
                 {QS_ROLE_KEY, part},      {QS_ROLE_VALUE, part},    {QS_ROLE_NAME, name},
                 {QS_ROLE_PLAIN, name}};

    if (row->role == QS_ROLE_CONFIG)
        return rule_of_config(check, row);
    for (unsigned i = 0; row->role == QS_ROLE_COMMAND && i < G_N_ELEMENTS(commands); i++)
        if (strcmp(commands[i].protocol, check->protocol->name) == 0)
            return commands[i].commands;
    for (unsigned i = 0; i < G_N_ELEMENTS(rules); i++)
        if (rules[i].role == row->role)
            return rules[i].rule;
    if (row->role == QS_ROLE_COMMAND)
        return nothing;
    return strcmp(check->protocol->name, "q2") != 0 ? text : plain;
}

/* --- What a decode reports --- */

static void add_finding(struct check *check, const struct qs_field *row, struct qs_view bytes)
{
    g_autofree char *copy = g_strndup((const char *)bytes.data, MIN(bytes.size, SHOWN));
    g_autofree char *shown = g_strescape(copy, NULL);

    check->report->found++;
    g_string_append_printf(check->report->findings, "block %" G_GUINT64_FORMAT ": %s: %s\n",
                           check->block, row->name, shown);
}

/* Words of a command, and pairs of an info string, were checked as a whole. */
static bool is_part(const struct qs_field *row)
{
    return strstr(row->name, ".command.") || strstr(row->name, ".info.");
}

static void check_text(struct check *check, const struct qs_field *row, struct qs_view bytes)
{
    g_autofree char *pair = NULL;

    check->report->texts++;
    if (row->role == QS_ROLE_KEY) {
        g_free(check->key);
        check->key = g_strndup((const char *)bytes.data, bytes.size);
    }
    if (row->role == QS_ROLE_VALUE)
        pair = g_strdup_printf("%s\\%.*s", check->key ? check->key : "", (int)bytes.size,
                               bytes.size ? (const char *)bytes.data : "");
    if (!matches(rule_of(check, row), bytes) || (pair && matches(obeyed, qs_view_of(pair))) ||
        ((row->role == QS_ROLE_INFO || row->role == QS_ROLE_COMMAND) && matches(obeyed, bytes)))
        add_finding(check, row, bytes);
}

static void on_field(struct qs_sink *sink, const struct qs_field *row, const struct qs_value *value)
{
    struct check *check = (struct check *)sink;

    if (g_str_has_suffix(row->name, ".configstring.range"))
        check->range = (uint32_t)value->u;
    if (row->type == QS_TEXT && !value->generated && !is_part(row) &&
        !strstr(row->name, ".block.") && !strstr(row->name, ".mvd2.magic"))
        check_text(check, row, value->bytes);
}

/* --- Demos --- */

static void check_blocks(struct check *check, const struct qs_demo_format *format,
                         struct qs_view demo)
{
    struct qs_session *session = g_malloc(format->protocol->session_size);
    struct qs_demo_reader reader;
    struct qs_demo_block block;
    struct qs_decoder decoder;

    format->protocol->session_init(session);
    qs_decoder_init(&decoder, format->protocol);
    qs_demo_reader_init(&reader, format, demo);
    while (qs_demo_next(&reader, &block) == QS_DEMO_BLOCK) {
        const struct qs_packet packet = {.number = block.number,
                                         .data = block.bytes.data,
                                         .size = block.bytes.size,
                                         .wire_size = block.bytes.size};

        check->block = block.number;
        qs_decode_block(&decoder, format->file->decode_block, session, &check->sink, &packet, 0);
        check->report->unread += qs_decoder_problems(&decoder);
    }
    qs_decoder_clear(&decoder);
    format->protocol->session_clear(session);
    g_free(session);
}

struct sanitized_report sanitized_check(const char *file_name, struct qs_view demo)
{
    struct sanitized_report report = {.findings = g_string_new(NULL)};
    struct check check = {.sink = {.field = on_field}, .report = &report};

    for (const struct qs_demo_format *const *each = qs_demo_formats; *each; each++)
        if (g_str_has_suffix(file_name, (*each)->extension)) {
            check.protocol = (*each)->protocol;
            check_blocks(&check, *each, demo);
            break;
        }
    g_free(check.key);
    return report;
}
