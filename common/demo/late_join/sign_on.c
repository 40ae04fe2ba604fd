/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/late_join/sign_on.h"

#include "common/core/writer.h"

struct entry {
    uint32_t about, block;
    uint32_t at, size; /* its bytes */
};

static struct entry *entry_at(const struct qs_sign_on *sign_on, guint index)
{
    return &g_array_index(sign_on->entries, struct entry, index);
}

static struct qs_view bytes_of(const struct qs_sign_on *sign_on, const struct entry *entry)
{
    return (struct qs_view){sign_on->bytes->data + entry->at, entry->size};
}

static void note_index(const struct qs_sign_on *sign_on, guint index)
{
    const uint32_t about = entry_at(sign_on, index)->about;

    if (about != QS_SIGN_ON_ALONE)
        g_hash_table_insert(sign_on->index, GUINT_TO_POINTER(about), GUINT_TO_POINTER(index));
}

static struct entry *find(const struct qs_sign_on *sign_on, uint32_t about)
{
    gpointer index;

    if (!g_hash_table_lookup_extended(sign_on->index, GUINT_TO_POINTER(about), NULL, &index))
        return NULL;
    return entry_at(sign_on, GPOINTER_TO_UINT(index));
}

static void init(struct qs_sign_on *sign_on)
{
    *sign_on = (struct qs_sign_on){.entries = g_array_new(FALSE, FALSE, sizeof(struct entry)),
                                   .bytes = g_byte_array_new(),
                                   .index = g_hash_table_new(NULL, NULL)};
}

struct qs_sign_on *qs_sign_on_new(void)
{
    struct qs_sign_on *sign_on = g_new(struct qs_sign_on, 1);

    init(sign_on);
    return sign_on;
}

struct qs_sign_on *qs_sign_on_copy(const struct qs_sign_on *sign_on)
{
    struct qs_sign_on *copy = g_memdup2(sign_on, sizeof *sign_on);

    copy->entries = g_array_copy(sign_on->entries);
    copy->bytes =
        g_byte_array_append(g_byte_array_new(), sign_on->bytes->data, sign_on->bytes->len);
    copy->index = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < copy->entries->len; i++)
        note_index(copy, i);
    if (sign_on->extra)
        copy->extra = sign_on->extra->copy(sign_on->extra);
    return copy;
}

static void clear(struct qs_sign_on *sign_on)
{
    if (sign_on->extra)
        sign_on->extra->free(sign_on->extra);
    g_array_free(sign_on->entries, TRUE);
    g_byte_array_free(sign_on->bytes, TRUE);
    g_hash_table_destroy(sign_on->index);
}

void qs_sign_on_free(struct qs_sign_on *sign_on)
{
    clear(sign_on);
    g_free(sign_on);
}

void qs_sign_on_clear(struct qs_sign_on *sign_on)
{
    clear(sign_on);
    init(sign_on);
}

void qs_sign_on_leave(struct qs_sign_on *sign_on)
{
    struct qs_sign_on_extra *extra = sign_on->extra;

    if (!extra || !extra->follow)
        return;
    sign_on->extra = extra->copy(extra);
    extra->free(extra);
}

void qs_sign_on_follow(struct qs_sign_on *sign_on, struct qs_session *session)
{
    if (sign_on->extra && sign_on->extra->follow)
        sign_on->extra->follow(sign_on->extra, session);
}

static bool has_room(struct qs_sign_on *sign_on, uint32_t size)
{
    sign_on->broken |= size > QS_SIGN_ON_BYTES_MAX - sign_on->size ||
                       sign_on->entries->len >= QS_SIGN_ON_MESSAGES_MAX;
    return !sign_on->broken;
}

/* Those that were replaced leave gaps, which are closed when they are the greater part. */
static void close_gaps(struct qs_sign_on *sign_on)
{
    GByteArray *bytes = g_byte_array_sized_new(sign_on->size);

    for (guint i = 0; i < sign_on->entries->len; i++) {
        struct entry *entry = entry_at(sign_on, i);
        const uint32_t at = bytes->len;

        qs_write_view(bytes, bytes_of(sign_on, entry));
        entry->at = at;
    }
    g_byte_array_free(sign_on->bytes, TRUE);
    sign_on->bytes = bytes;
}

static void set_bytes(struct qs_sign_on *sign_on, struct entry *entry, struct qs_view bytes)
{
    sign_on->size += bytes.size - entry->size;
    if (bytes.size > entry->size) {
        entry->at = sign_on->bytes->len;
        g_byte_array_set_size(sign_on->bytes, entry->at + bytes.size);
    }
    entry->size = bytes.size;
    memcpy(sign_on->bytes->data + entry->at, bytes.data, bytes.size);
    if (sign_on->bytes->len / 2 > sign_on->size)
        close_gaps(sign_on);
}

static void insert(struct qs_sign_on *sign_on, guint index, uint32_t about, uint32_t block,
                   struct qs_view bytes)
{
    const struct entry entry = {.about = about, .block = block};

    g_array_insert_val(sign_on->entries, index, entry);
    set_bytes(sign_on, entry_at(sign_on, index), bytes);
    note_index(sign_on, index);
}

void qs_sign_on_add(struct qs_sign_on *sign_on, uint32_t about, struct qs_view bytes)
{
    if (has_room(sign_on, bytes.size))
        insert(sign_on, sign_on->entries->len, about, sign_on->blocks - 1, bytes);
}

static void insert_before_last(struct qs_sign_on *sign_on, uint32_t about, struct qs_view bytes)
{
    const guint last = sign_on->entries->len - 1;

    if (!sign_on->entries->len)
        return;
    insert(sign_on, last, about, entry_at(sign_on, last)->block, bytes);
    note_index(sign_on, last + 1);
}

void qs_sign_on_replace(struct qs_sign_on *sign_on, uint32_t about, struct qs_view bytes)
{
    struct entry *entry;

    if (!has_room(sign_on, bytes.size))
        return;
    entry = find(sign_on, about);
    if (!entry) {
        insert_before_last(sign_on, about, bytes);
        return;
    }
    set_bytes(sign_on, entry, bytes);
}

guint qs_sign_on_count(const struct qs_sign_on *sign_on)
{
    return sign_on->entries->len;
}

struct qs_sign_on_message qs_sign_on_at(const struct qs_sign_on *sign_on, guint index)
{
    const struct entry *entry = entry_at(sign_on, index);

    return (struct qs_sign_on_message){entry->about, entry->block, bytes_of(sign_on, entry)};
}

struct qs_view qs_sign_on_find(const struct qs_sign_on *sign_on, uint32_t about)
{
    const struct entry *entry = find(sign_on, about);

    return entry ? bytes_of(sign_on, entry) : (struct qs_view){0};
}

/* --- Parts --- */

static uint32_t about_of(enum qs_sign_on_part part, uint8_t id, struct qs_view message)
{
    switch (part) {
    case QS_PART_NUMBERED:
        return qs_sign_on_about(id, message.data[1]);
    case QS_PART_NUMBERED16:
        return qs_sign_on_about(id, qs_le16(message.data + 1));
    default:
        return part == QS_PART_ONCE ? QS_SIGN_ON_ALONE : qs_sign_on_about(id, 0);
    }
}

void qs_sign_on_update(struct qs_sign_on *sign_on, enum qs_sign_on_part part, uint8_t id,
                       struct qs_view message)
{
    const uint32_t size_min = part == QS_PART_NUMBERED16 ? 3 : part == QS_PART_NUMBERED ? 2 : 1;

    if (part == QS_PART_NONE || part >= QS_PART_GAME || message.size < size_min)
        return;
    if (!sign_on->complete)
        qs_sign_on_add(sign_on, about_of(part, id, message), message);
    else if (part != QS_PART_ONCE)
        qs_sign_on_replace(sign_on, about_of(part, id, message), message);
}

/* --- What another session gets of it --- */

bool qs_sign_on_applies(struct qs_view message, enum qs_donor_kind kind,
                        bool (*is_of_players)(uint8_t id))
{
    return kind != QS_DONOR_OTHER || !is_of_players(message.data[0]);
}

void qs_sign_on_decode(const struct qs_sign_on *sign_on, enum qs_donor_kind kind,
                       bool (*is_of_players)(uint8_t id), struct qs_decoder *decoder,
                       struct qs_session *session, GByteArray *bytes)
{
    struct qs_packet packet = {.number = 1, .from = QS_END_UNKNOWN};

    for (guint i = 0; i < qs_sign_on_count(sign_on); i++) {
        const struct qs_view message = qs_sign_on_at(sign_on, i).bytes;

        if (qs_sign_on_applies(message, kind, is_of_players))
            qs_write_view(bytes, message);
    }
    packet.data = bytes->data;
    packet.size = packet.wire_size = bytes->len;
    qs_decode_server_messages(decoder, session, NULL, &packet);
}
