/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/parts.h"

#include "common/core/lists.h"
#include "common/core/numeric_text.h"
#include "common/core/writer.h"

static const char *const words[] = {
    [QS_DEMO_PART_START] = "start", [QS_DEMO_PART_BLOCK] = "block", [QS_DEMO_PART_MORE] = "more"};

char *qs_demo_part_text(const struct qs_demo_part *part)
{
    GString *text = g_string_new(NULL);

    g_string_printf(text, "demo %s %" G_GUINT64_FORMAT " %u ", words[part->kind], part->offset,
                    part->size);
    if (part->head.size)
        qs_append_bytes(text, part->head);
    else
        g_string_append_c(text, '-');
    if (part->has_payload)
        g_string_append_printf(text, " %u", part->from);
    else
        g_string_append(text, " -");
    return g_string_free(text, FALSE);
}

static bool read_kind(const char *word, enum qs_demo_part_kind *kind)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        if (strcmp(word, words[i]) == 0) {
            *kind = (enum qs_demo_part_kind)i;
            return true;
        }
    return false;
}

static bool read_u32(const char *word, uint32_t *value)
{
    guint64 number;

    if (!g_ascii_string_to_unsigned(word, 10, 0, UINT32_MAX, &number, NULL))
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

static bool read_words(char **word, struct qs_demo_part *part, GByteArray *head)
{
    enum { DEMO, WORD, OFFSET, SIZE, HEX, FROM, COUNT };

    if (g_strv_length(word) != COUNT || strcmp(word[DEMO], "demo") != 0)
        return false;
    part->has_payload = strcmp(word[FROM], "-") != 0;
    part->from = 0;
    return read_kind(word[WORD], &part->kind) &&
           g_ascii_string_to_unsigned(word[OFFSET], 10, 0, UINT64_MAX, &part->offset, NULL) &&
           read_u32(word[SIZE], &part->size) && read_head(word[HEX], head) &&
           (!part->has_payload || read_u32(word[FROM], &part->from));
}

bool qs_demo_part_read(const char *text, struct qs_demo_part *part, GByteArray *head)
{
    char **parts = g_strsplit(text, " ", 0);
    const bool good = read_words(parts, part, head);

    g_strfreev(parts);
    part->head = qs_view_of_bytes(head);
    return good;
}

/* `payload` is the packet's. False: the bytes are not as many as the part's size says. */
static bool append_part(const struct qs_demo_part *part, struct qs_view payload, GByteArray *out)
{
    const uint32_t from = MIN(part->from, payload.size);
    const uint32_t rest = part->has_payload ? payload.size - from : 0;

    if ((uint64_t)part->head.size + rest != part->size)
        return false;
    qs_write_view(out, part->head);
    if (rest)
        g_byte_array_append(out, payload.data + from, rest);
    return true;
}

/* --- Restoring a demo */

struct qs_demo_restorer {
    struct qs_demo_writer *out;
    uint64_t offset; /* in the demo, of what comes next */
    bool broken;     /* a part is missing: that was reported */
    GByteArray *head, *bytes;
};

struct qs_demo_restorer *qs_demo_restorer_new(struct qs_demo_writer *out, const char *comment)
{
    struct qs_demo_restorer *restorer;
    struct qs_demo_part part;
    GByteArray *head = g_byte_array_new();
    const bool made = comment && qs_demo_part_read(comment, &part, head);

    g_byte_array_free(head, TRUE);
    if (!made)
        return NULL;
    restorer = g_new0(struct qs_demo_restorer, 1);
    restorer->out = out;
    restorer->head = g_byte_array_new();
    restorer->bytes = g_byte_array_new();
    qs_demo_begin(out);
    return restorer;
}

void qs_demo_restorer_free(struct qs_demo_restorer *restorer)
{
    g_byte_array_free(restorer->head, TRUE);
    g_byte_array_free(restorer->bytes, TRUE);
    g_free(restorer);
}

static void report_missing(struct qs_demo_restorer *restorer, const struct qs_packet *packet)
{
    if (!restorer->broken)
        qs_demo_problem(restorer->out, packet,
                        "the capture lacks bytes of the demo that it was made of, from offset "
                        "%" G_GUINT64_FORMAT " on",
                        restorer->offset);
    restorer->out->counts.missing++;
    restorer->broken = true;
}

static void add_part(struct qs_demo_restorer *restorer, const struct qs_demo_part *part,
                     const struct qs_packet *packet)
{
    const struct qs_view payload = {packet->data, packet->size};

    qs_bytes_empty(restorer->bytes);
    if (part->offset != restorer->offset || !append_part(part, payload, restorer->bytes))
        report_missing(restorer, packet);
    if (restorer->broken)
        return;
    restorer->offset += part->size;
    qs_demo_write(restorer->out, qs_view_of_bytes(restorer->bytes));
    restorer->out->counts.blocks += part->kind == QS_DEMO_PART_BLOCK;
}

void qs_demo_restorer_packet(struct qs_demo_restorer *restorer, const struct qs_packet *packet,
                             const char *comment)
{
    struct qs_demo_part part;

    if (comment && qs_demo_part_read(comment, &part, restorer->head))
        add_part(restorer, &part, packet);
}
