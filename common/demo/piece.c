/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/piece.h"

#include "common/core/lists.h"
#include "common/core/writer.h"
#include "common/core/numeric_text.h"

static const char *const words[] = {[QS_DEMO_PIECE_START] = "start",
                                    [QS_DEMO_PIECE_BLOCK] = "block",
                                    [QS_DEMO_PIECE_MORE] = "more"};

/* --- Writing --- */

char *qs_demo_piece_text(const struct qs_demo_piece *piece)
{
    GString *text = g_string_new(NULL);

    g_string_printf(text, "demo %s %" G_GUINT64_FORMAT " %u ", words[piece->kind], piece->offset,
                    piece->size);
    if (piece->head.size)
        qs_append_bytes(text, piece->head);
    else
        g_string_append_c(text, '-');
    if (piece->has_payload)
        g_string_append_printf(text, " %u", piece->from);
    else
        g_string_append(text, " -");
    return g_string_free(text, FALSE);
}

/* --- Reading --- */

static bool read_kind(const char *word, enum qs_demo_piece_kind *kind)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        if (strcmp(word, words[i]) == 0) {
            *kind = (enum qs_demo_piece_kind)i;
            return true;
        }
    return false;
}

static bool read_number(const char *word, uint64_t max, uint64_t *number)
{
    return g_ascii_string_to_unsigned(word, 10, 0, max, number, NULL);
}

static bool read_u32(const char *word, uint32_t *value)
{
    uint64_t number;

    if (!read_number(word, UINT32_MAX, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool read_head(const char *word, GByteArray *head)
{
    qs_bytes_empty(head);
    if (strcmp(word, "-") == 0)
        return true;
    for (; *word; word += 2) {
        const int high = g_ascii_xdigit_value(word[0]);
        const int low = high < 0 ? -1 : g_ascii_xdigit_value(word[1]);

        if (low < 0)
            return false;
        qs_write_u8(head, (uint8_t)(high << 4 | low));
    }
    return true;
}

static bool read_words(char **word, struct qs_demo_piece *piece, GByteArray *head)
{
    enum { DEMO, WORD, OFFSET, SIZE, HEX, FROM, COUNT };

    if (g_strv_length(word) != COUNT || strcmp(word[DEMO], "demo") != 0)
        return false;
    piece->has_payload = strcmp(word[FROM], "-") != 0;
    piece->from = 0;
    return read_kind(word[WORD], &piece->kind) &&
           read_number(word[OFFSET], UINT64_MAX, &piece->offset) &&
           read_u32(word[SIZE], &piece->size) && read_head(word[HEX], head) &&
           (!piece->has_payload || read_u32(word[FROM], &piece->from));
}

bool qs_demo_piece_read(const char *text, struct qs_demo_piece *piece, GByteArray *head)
{
    char **parts = g_strsplit(text, " ", 0);
    const bool good = read_words(parts, piece, head);

    g_strfreev(parts);
    piece->head = qs_view_of_bytes(head);
    return good;
}

bool qs_demo_piece_append(const struct qs_demo_piece *piece, struct qs_view payload,
                          GByteArray *out)
{
    const uint32_t from = MIN(piece->from, payload.size);
    const uint32_t rest = piece->has_payload ? payload.size - from : 0;

    if ((uint64_t)piece->head.size + rest != piece->size)
        return false;
    qs_write_view(out, piece->head);
    if (rest)
        g_byte_array_append(out, payload.data + from, rest);
    return true;
}
