/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/late_join/sign_on.h"

#include <string.h>

#include "common/core/writer.h"

enum { WASTE_MAX = 16 * 1024 }; /* bytes of replaced messages, beside as many as are in use */

struct entry {
    uint32_t about, block;
    uint32_t offset, size;
};

/* Most sign-ons are never asked for: messages are only appended, until one replaces another. */
struct qs_sign_on_store {
    GByteArray *bytes;
    GArray *entries;   /* struct entry, in order */
    GHashTable *index; /* what a message is about -> where in `entries`; NULL: not made yet */
    uint32_t used;     /* of the bytes */
};

/* --- The store ---------------------------------------------------------------------------------
 */

static struct qs_sign_on_store *store_new(void)
{
    struct qs_sign_on_store *store = g_new0(struct qs_sign_on_store, 1);

    store->bytes = g_byte_array_new();
    store->entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
    return store;
}

static void store_free(struct qs_sign_on_store *store)
{
    g_byte_array_free(store->bytes, TRUE);
    g_array_free(store->entries, TRUE);
    if (store->index)
        g_hash_table_destroy(store->index);
    g_free(store);
}

static struct entry *entry_at(const struct qs_sign_on_store *store, guint index)
{
    return &g_array_index(store->entries, struct entry, index);
}

static struct qs_view bytes_of(const struct qs_sign_on_store *store, const struct entry *entry)
{
    return (struct qs_view){store->bytes->data + entry->offset, entry->size};
}

/* Copies the bytes that are in use. */
static struct qs_sign_on_store *store_copy(const struct qs_sign_on_store *store)
{
    struct qs_sign_on_store *copy = store_new();

    g_byte_array_set_size(copy->bytes, store->used);
    g_array_append_vals(copy->entries, store->entries->data, store->entries->len);
    for (guint i = 0; i < copy->entries->len; i++) {
        struct entry *entry = entry_at(copy, i);
        const struct qs_view bytes = bytes_of(store, entry);

        entry->offset = copy->used;
        if (bytes.size)
            memcpy(copy->bytes->data + copy->used, bytes.data, bytes.size);
        copy->used += bytes.size;
    }
    return copy;
}

static void note_index(const struct qs_sign_on_store *store, guint index)
{
    const uint32_t about = entry_at(store, index)->about;

    if (about != QS_SIGN_ON_ALONE)
        g_hash_table_insert(store->index, GUINT_TO_POINTER(about), GUINT_TO_POINTER(index));
}

static struct entry *find(struct qs_sign_on_store *store, uint32_t about)
{
    gpointer index;

    if (!store->index) {
        store->index = g_hash_table_new(NULL, NULL);
        for (guint i = 0; i < store->entries->len; i++)
            note_index(store, i);
    }
    if (!g_hash_table_lookup_extended(store->index, GUINT_TO_POINTER(about), NULL, &index))
        return NULL;
    return entry_at(store, GPOINTER_TO_UINT(index));
}

static uint32_t append_bytes(struct qs_sign_on_store *store, struct qs_view bytes)
{
    const uint32_t offset = store->bytes->len;

    g_byte_array_append(store->bytes, bytes.data, bytes.size);
    store->used += bytes.size;
    return offset;
}

static void remove_waste(struct qs_sign_on_store *store)
{
    struct qs_sign_on_store *copy;

    if (store->bytes->len - store->used <= store->used + WASTE_MAX)
        return;
    copy = store_copy(store);
    copy->index = g_steal_pointer(&store->index);
    g_byte_array_free(store->bytes, TRUE);
    g_array_free(store->entries, TRUE);
    *store = *copy;
    g_free(copy);
}

/* --- Sign-ons ----------------------------------------------------------------------------------
 */

struct qs_sign_on *qs_sign_on_new(void)
{
    struct qs_sign_on *sign_on = g_new0(struct qs_sign_on, 1);

    sign_on->store = store_new();
    return sign_on;
}

struct qs_sign_on *qs_sign_on_copy(const struct qs_sign_on *sign_on)
{
    struct qs_sign_on *copy = g_memdup2(sign_on, sizeof *sign_on);

    copy->store = store_copy(sign_on->store);
    if (sign_on->extra)
        copy->extra = sign_on->extra->copy(sign_on->extra);
    return copy;
}

static void free_extra(struct qs_sign_on *sign_on)
{
    if (sign_on->extra)
        sign_on->extra->free(sign_on->extra);
    sign_on->extra = NULL;
}

void qs_sign_on_free(struct qs_sign_on *sign_on)
{
    free_extra(sign_on);
    store_free(sign_on->store);
    g_free(sign_on);
}

void qs_sign_on_leave(struct qs_sign_on *sign_on)
{
    struct qs_sign_on_extra *copy;

    if (!sign_on->extra || !sign_on->extra->follows)
        return;
    copy = sign_on->extra->copy(sign_on->extra);
    free_extra(sign_on);
    sign_on->extra = copy;
}

void qs_sign_on_clear(struct qs_sign_on *sign_on)
{
    store_free(sign_on->store);
    free_extra(sign_on);
    *sign_on = (struct qs_sign_on){.store = store_new()};
}

static bool has_room(struct qs_sign_on *sign_on, uint32_t size)
{
    const struct qs_sign_on_store *store = sign_on->store;

    sign_on->broken |=
        size > QS_SIGN_ON_BYTES_MAX - store->used || store->entries->len >= QS_SIGN_ON_MESSAGES_MAX;
    return !sign_on->broken;
}

void qs_sign_on_add(struct qs_sign_on *sign_on, uint32_t about, struct qs_view bytes)
{
    struct qs_sign_on_store *store = sign_on->store;
    struct entry entry = {.about = about, .block = sign_on->blocks - 1, .size = bytes.size};

    if (!has_room(sign_on, bytes.size))
        return;
    entry.offset = append_bytes(store, bytes);
    g_array_append_val(store->entries, entry);
    if (store->index)
        note_index(store, store->entries->len - 1);
}

static void insert_before_last(struct qs_sign_on_store *store, uint32_t about, struct qs_view bytes)
{
    const guint last = store->entries->len - 1;
    struct entry entry = {.about = about, .size = bytes.size};

    if (!store->entries->len)
        return;
    entry.block = entry_at(store, last)->block;
    entry.offset = append_bytes(store, bytes);
    g_array_insert_val(store->entries, last, entry);
    note_index(store, last);
    note_index(store, last + 1);
}

void qs_sign_on_replace(struct qs_sign_on *sign_on, uint32_t about, struct qs_view bytes)
{
    struct qs_sign_on_store *store = sign_on->store;
    struct entry *entry;

    if (!has_room(sign_on, bytes.size))
        return;
    entry = find(store, about);
    if (!entry) {
        insert_before_last(store, about, bytes);
        return;
    }
    store->used -= entry->size;
    entry->size = bytes.size;
    entry->offset = append_bytes(store, bytes);
    remove_waste(store);
}

guint qs_sign_on_count(const struct qs_sign_on *sign_on)
{
    return sign_on->store->entries->len;
}

struct qs_sign_on_message qs_sign_on_at(const struct qs_sign_on *sign_on, guint index)
{
    const struct entry *entry = entry_at(sign_on->store, index);

    return (struct qs_sign_on_message){entry->about, entry->block, bytes_of(sign_on->store, entry)};
}

struct qs_view qs_sign_on_find(const struct qs_sign_on *sign_on, uint32_t about)
{
    const struct entry *entry = find(sign_on->store, about);

    return entry ? bytes_of(sign_on->store, entry) : (struct qs_view){0};
}

/* --- Parts -------------------------------------------------------------------------------------
 */

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

/* --- What another session gets of it -----------------------------------------------------------
 */

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
