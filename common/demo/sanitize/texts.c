/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts written by --sanitize, by role: without control bytes for terminals, names of files outside
 * the game's folders, and characters that end the text or a command early.
 */
#include <string.h>

#include "common/core/text.h"
#include "common/core/writer.h"
#include "common/demo/sanitize/rules.h"

enum {
    TEXT_MAX = 2046, /* Source: id common.c, MSG_ReadString */
    NAME_MAX_BYTES = 63,
    ESCAPE = 0x1b,
    FONT_FIRST = 0x10, /* first glyph below 0x20 that texts use */
    MASKED_ESCAPE = 0x9b,
    CONTROLS_IN_UTF8 = 0xc2, /* first byte of a UTF-8 control character, such as OSC (0x9d) */
    TEXT_END = 0xff          /* ends a text for some readers */
};

/* Compares `text` with the bytes appended since `start`. If they are equal, removes them. */
static enum sanitize_result result_of(GByteArray *out, guint start, struct qs_view text)
{
    if (out->len - start != text.size ||
        (text.size && memcmp(out->data + start, text.data, text.size) != 0))
        return SANITIZE_NEW;
    g_byte_array_set_size(out, start);
    return SANITIZE_SAME;
}

/* Turns the last byte into the same letter of another color if, with the next byte or text, it
 * would make a UTF-8 control character. */
static void close_utf8(GByteArray *out, guint start)
{
    if (out->len > start && out->data[out->len - 1] == CONTROLS_IN_UTF8)
        out->data[out->len - 1] &= 0x7f;
}

static void append_byte(GByteArray *out, guint start, uint8_t byte)
{
    if ((byte >= 0x80 && byte < 0xa0) || byte == '\\')
        close_utf8(out, start);
    qs_write_u8(out, byte);
}

static bool is_shown(const struct sanitize_game *game, uint8_t byte)
{
    if (byte == '\n' || byte == '\t')
        return true;
    if (byte < ' ')
        return game->has_font && byte >= FONT_FIRST && byte != ESCAPE;
    return byte != MASKED_ESCAPE && byte != TEXT_END && byte != 0x7f;
}

/* True for a byte that only sets the sound or color of chat: id console.c, Con_Print. */
static bool is_color(const struct sanitize_game *game, struct qs_view text, uint32_t at)
{
    return game->has_font && at == 0 && (text.data[0] == 1 || text.data[0] == 2);
}

static enum sanitize_result append_shown(const struct sanitize_game *game, struct qs_view text,
                                         uint32_t most, GByteArray *out)
{
    const guint start = out->len;

    for (uint32_t i = 0; i < MIN(text.size, most); i++)
        if (is_shown(game, text.data[i]) || is_color(game, text, i))
            append_byte(out, start, text.data[i]);
    close_utf8(out, start);
    return result_of(out, start, text);
}

/* --- Names of files */

enum { FILE_NAME_LONGEST = 63 }; /* DarkPlaces and others allow 127: quakedef.h, MAX_QPATH */

bool sanitize_is_file(struct qs_view name)
{
    for (uint32_t i = 0; i < name.size; i++)
        if (name.data[i] < ' ' || name.data[i] >= 0x7f || strchr("\"';$%:\\", name.data[i]))
            return false;
    return name.size && name.size <= FILE_NAME_LONGEST && name.data[0] != '/' &&
           !qs_view_contains(name, "..");
}

static bool ends_as(struct qs_view name, const char *const *endings)
{
    for (; *endings; endings++) {
        const uint32_t size = (uint32_t)strlen(*endings);

        if (name.size > size &&
            g_ascii_strncasecmp((const char *)name.data + name.size - size, *endings, size) == 0)
            return true;
    }
    return false;
}

static bool is_model(struct qs_view name)
{
    static const char *const endings[] = {".bsp", ".mdl", ".spr", ".md2",   ".md3", ".sp2",
                                          ".iqm", ".dpm", ".zym", ".psk",   ".obj", ".md5mesh",
                                          ".mdx", ".ase", ".lwo", ".spr32", ".md5", NULL};
    int64_t part;

    if (name.size && name.data[0] == '*')
        return qs_view_number_within(qs_view_skip(name, 1), 1, UINT16_MAX, &part);
    return sanitize_is_file(name) && ends_as(name, endings);
}

static bool is_sound(struct qs_view name)
{
    static const char *const endings[] = {".wav", ".ogg", ".opus", ".mp3", ".flac", NULL};

    return sanitize_is_file(name) && (ends_as(name, endings) || !qs_view_contains(name, "."));
}

/* True for a picture, the prefix of the sky's six files, or a track. A slash before a picture means
 * outside the folder of pictures: id's Quake II gl_draw.c, Draw_FindPic. */
static bool is_file(struct qs_view name)
{
    static const char *const endings[] = {".lmp", ".pcx", ".tga", ".png", ".jpg", ".wal",
                                          ".dds", ".mdl", ".spr", ".bsp", ".wav", NULL};

    if (name.data[0] == '/')
        name = qs_view_skip(name, 1);
    return sanitize_is_file(name) && (ends_as(name, endings) || !qs_view_contains(name, "."));
}

/* True for a particle effect. FTE loads the file of its prefix: p_script.c, P_LoadParticleSet. */
static bool is_effect(struct qs_view name)
{
    return sanitize_is_file(name) && !qs_view_contains(name, "/");
}

static enum sanitize_result instead(GByteArray *out, const char *text)
{
    qs_write_view(out, qs_view_of(text));
    return SANITIZE_NEW;
}

static enum sanitize_result folder(const struct sanitize_game *game, struct qs_view name)
{
    const bool is_own = !name.size && game->without_folder;

    if (is_own ||
        (sanitize_is_file(name) && name.data[0] != '.' && !memchr(name.data, '/', name.size)))
        return SANITIZE_SAME;
    return game->without_folder ? SANITIZE_NEW : SANITIZE_REFUSED;
}

/* --- Info strings */

static uint8_t info_character(uint8_t c)
{
    return c < ' ' || c == 0x7f || c == MASKED_ESCAPE || c == TEXT_END || strchr("\";$%", c) ? '_'
                                                                                             : c;
}

/* True for keys whose values engines may use as file names. */
static bool names_file(struct qs_view key)
{
    static const char *const keys[] = {"skin", "map", "gamedir", "sky", "music", "dlurl", "cap"};

    if (key.size && key.data[0] == '*')
        key = qs_view_skip(key, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
        if (key.size >= strlen(keys[i]) &&
            g_ascii_strncasecmp((const char *)key.data, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

/*
 * True if engines only display the pair. FTE downloads missing files from the URL in sv_dlURL
 * (cl_parse.c, CL_CheckOrEnqueDownloadFile); the "*version" of MVDSV 0.30 makes ezQuake read
 * messages without extensions (cl_parse.c, CL_PEXT_Fix).
 */
static bool is_pair(struct qs_view key, struct qs_view value)
{
    static const char *const obeyed[] = {"sv_dlurl", "*version", NULL};
    const bool is_obeyed = qs_view_is_one_of((struct qs_view){key.data, MIN(key.size, 8)}, obeyed);

    return !qs_text_leads_out(key) && !qs_text_leads_out(value) &&
           !(names_file(key) && value.size && !sanitize_is_file(value)) &&
           !(is_obeyed && (key.data[0] != '*' || qs_view_begins(value, "MVDSV 0.30")));
}

void sanitize_append_info(struct qs_view info, GByteArray *out)
{
    struct qs_info_pair pair;
    uint32_t at = 0;

    while (qs_info_next(info, &at, &pair)) {
        const guint start = out->len;
        struct qs_info_pair made;
        uint32_t pos = 0;

        for (uint32_t i = 0; i < pair.length; i++)
            append_byte(out, start, info_character(info.data[pair.offset + i]));
        close_utf8(out, start);
        if (qs_info_next((struct qs_view){out->data + start, out->len - start}, &pos, &made) &&
            !is_pair(made.key, made.value))
            g_byte_array_set_size(out, start);
    }
}

static enum sanitize_result part_of_info(struct qs_view text, GByteArray *out)
{
    const guint start = out->len;

    for (uint32_t i = 0; i < text.size; i++)
        append_byte(out, start, text.data[i] == '\\' ? '_' : info_character(text.data[i]));
    close_utf8(out, start);
    return result_of(out, start, text);
}

/* --- All roles */

static enum sanitize_result layout(const struct sanitize_game *game,
                                   const struct qs_session *session, struct qs_view text,
                                   GByteArray *out)
{
    if (qs_text_leads_out(text) || text.size > TEXT_MAX || !game->is_layout(session, text))
        return SANITIZE_REFUSED;
    return append_shown(game, text, TEXT_MAX, out);
}

/* Checks Quake II's "name\\model/skin". */
static enum sanitize_result player(const struct sanitize_game *game, struct qs_view text,
                                   GByteArray *out)
{
    const struct qs_view skin = qs_view_skip(text, qs_view_up_to(text, "\\").size + 1);

    if (skin.size && !sanitize_is_file(skin))
        return SANITIZE_REFUSED;
    return append_shown(game, text, NAME_MAX_BYTES, out);
}

enum sanitize_result sanitize_text(const struct sanitize_game *game,
                                   const struct qs_session *session, enum qs_role role,
                                   struct qs_view text, struct qs_view info_key, GByteArray *out)
{
    const guint start = out->len;

    if (!text.size && role != QS_ROLE_FOLDER && role != QS_ROLE_VALUE) /* empty: ends a list */
        return SANITIZE_SAME;
    switch (role) {
    case QS_ROLE_MODEL:
        return is_model(text) ? SANITIZE_SAME : instead(out, "progs/eyes.mdl");
    case QS_ROLE_SOUND:
        return is_sound(text) ? SANITIZE_SAME : instead(out, "misc/null.wav");
    case QS_ROLE_FILE:
        return is_file(text) ? SANITIZE_SAME : SANITIZE_REFUSED;
    case QS_ROLE_EFFECT:
        return is_effect(text) ? SANITIZE_SAME : SANITIZE_REFUSED;
    case QS_ROLE_FOLDER:
        return folder(game, text);
    case QS_ROLE_INFO:
        sanitize_append_info(text, out);
        return result_of(out, start, text);
    case QS_ROLE_VALUE:
        return is_pair(info_key, text) ? part_of_info(text, out) : SANITIZE_REFUSED;
    case QS_ROLE_KEY:
        return part_of_info(text, out);
    case QS_ROLE_PLAYER:
        return player(game, text, out);
    case QS_ROLE_LAYOUT:
        return layout(game, session, text, out);
    case QS_ROLE_COMMAND:
    case QS_ROLE_PATH:
    case QS_ROLE_SECRET:
        return SANITIZE_REFUSED;
    case QS_ROLE_NAME:
    case QS_ROLE_PLAIN:
        return append_shown(game, text, NAME_MAX_BYTES, out);
    default:
        return append_shown(game, text, TEXT_MAX, out);
    }
}
