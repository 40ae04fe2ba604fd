/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/late_join/sign_on.h"

#include <string.h>

#include "common/core/writer.h"

enum {
    UNSORTED_MAX = 64 * 1024, /* bytes of what is told before it is put in order */
    SEARCHES_MAX = 64         /* through it */
};

/*
 * Most sign-ons are lent to nobody. So what is told is only written down as it comes, until
 * somebody asks for all of it, or until it is much; from then on each message goes to its place.
 */
struct qs_told_list {
    GByteArray *unsorted; /* struct entry, each with its bytes; NULL: all is in its place */
    uint32_t entries;     /* of them */
    uint32_t searches;    /* so far */
    GPtrArray *messages;  /* struct qs_sign_on_message, in order */
    GHashTable *places;   /* what a message is about -> its index */
    uint32_t bytes;       /* of the messages */
    bool too_large;       /* more was told than there is room for */
};

/* How a message was told. */
struct entry {
    int64_t about;
    uint32_t block;
    uint16_t size; /* bytes that follow, where it is written down */
    bool anew;     /* it takes an older one's place */
};

/* --- Messages in their places ---------------------------------------------------------------- */

static struct qs_sign_on_message *told_new(int64_t about, uint32_t block, struct qs_view bytes)
{
    struct qs_sign_on_message *told = g_malloc(sizeof *told + bytes.size);
    uint8_t *copy = (uint8_t *)(told + 1);

    memcpy(copy, bytes.data, bytes.size);
    *told = (struct qs_sign_on_message){about, block, 1, {copy, bytes.size}};
    return told;
}

static void told_unref(gpointer data)
{
    struct qs_sign_on_message *told = data;

    if (!--told->references)
        g_free(told);
}

static struct qs_sign_on_message *told_at(const struct qs_told_list *list, guint place)
{
    return g_ptr_array_index(list->messages, place);
}

static void note_place(struct qs_told_list *list, guint place)
{
    struct qs_sign_on_message *told = told_at(list, place);

    if (told->about != QS_SIGN_ON_ALONE)
        g_hash_table_replace(list->places, &told->about, GUINT_TO_POINTER(place));
}

/* Takes over the message. */
static void append(struct qs_told_list *list, struct qs_sign_on_message *told)
{
    g_ptr_array_add(list->messages, told);
    note_place(list, list->messages->len - 1);
}

static void insert_before_last(struct qs_told_list *list, int64_t about, struct qs_view bytes)
{
    const guint last = list->messages->len - 1;

    if (!list->messages->len)
        return;
    g_ptr_array_insert(list->messages, (gint)last,
                       told_new(about, told_at(list, last)->block, bytes));
    note_place(list, last);
    note_place(list, last + 1);
    list->bytes += bytes.size;
}

/* Where the message is that is about this; false: there is none. */
static bool find(const struct qs_told_list *list, int64_t about, guint *place)
{
    gpointer found;

    if (!g_hash_table_lookup_extended(list->places, &about, NULL, &found))
        return false;
    *place = GPOINTER_TO_UINT(found);
    return true;
}

static void replace(struct qs_told_list *list, int64_t about, struct qs_view bytes)
{
    struct qs_sign_on_message *old;
    guint place;

    if (!find(list, about, &place)) {
        insert_before_last(list, about, bytes);
        return;
    }
    old = told_at(list, place);
    list->bytes += bytes.size - old->bytes.size;
    g_ptr_array_index(list->messages, place) = told_new(about, old->block, bytes);
    note_place(list, place);
    told_unref(old);
}

static bool has_room(struct qs_told_list *list, uint32_t size)
{
    if (size > QS_SIGN_ON_BYTES_MAX - list->bytes || list->messages->len >= QS_SIGN_ON_MESSAGES_MAX)
        list->too_large = true;
    return !list->too_large;
}

static void put(struct qs_told_list *list, const struct entry *entry, struct qs_view bytes)
{
    if (!has_room(list, bytes.size))
        return;
    if (entry->anew) {
        replace(list, entry->about, bytes);
        return;
    }
    append(list, told_new(entry->about, entry->block, bytes));
    list->bytes += bytes.size;
}

/* --- Messages as they came ------------------------------------------------------------------- */

/* The entry at that offset, which is then behind it. False: there is none. */
static bool next_entry(const GByteArray *unsorted, guint *at, struct entry *entry,
                       struct qs_view *bytes)
{
    if (*at >= unsorted->len)
        return false;
    memcpy(entry, unsorted->data + *at, sizeof *entry);
    *bytes = (struct qs_view){unsorted->data + *at + sizeof *entry, entry->size};
    *at += (guint)sizeof *entry + entry->size;
    return true;
}

static void sort(struct qs_told_list *list)
{
    GByteArray *unsorted = g_steal_pointer(&list->unsorted);
    struct qs_view bytes;
    struct entry entry;
    guint at = 0;

    if (!unsorted)
        return;
    while (next_entry(unsorted, &at, &entry, &bytes))
        put(list, &entry, bytes);
    g_byte_array_free(unsorted, TRUE);
}

/* The last one about this, as if all were in their places: of what is told anew before anything
 * else nothing stays. */
static struct qs_view search(const GByteArray *unsorted, int64_t about)
{
    struct qs_view found = {0}, bytes;
    struct entry entry;
    bool any = false;
    guint at = 0;

    while (next_entry(unsorted, &at, &entry, &bytes)) {
        any |= !entry.anew;
        if (any && entry.about == about)
            found = bytes;
    }
    return found;
}

/* Each entry has a message at most: none is too much before it is put in its place. */
static bool fits(const struct qs_told_list *list, uint32_t size)
{
    return list->unsorted && size <= UINT16_MAX &&
           list->unsorted->len + sizeof(struct entry) + size <= UNSORTED_MAX &&
           list->entries < QS_SIGN_ON_MESSAGES_MAX;
}

static void write_down(struct qs_told_list *list, const struct entry *entry, struct qs_view bytes)
{
    const guint at = list->unsorted->len;

    g_byte_array_set_size(list->unsorted, at + (guint)sizeof *entry + bytes.size);
    memcpy(list->unsorted->data + at, entry, sizeof *entry);
    memcpy(list->unsorted->data + at + sizeof *entry, bytes.data, bytes.size);
    list->entries++;
}

static void tell(struct qs_sign_on *sign_on, const struct entry *entry, struct qs_view bytes)
{
    struct qs_told_list *list = sign_on->told;

    if (sign_on->broken)
        return;
    if (fits(list, bytes.size)) {
        write_down(list, entry, bytes);
        return;
    }
    sort(list);
    put(list, entry, bytes);
    sign_on->broken |= list->too_large;
}

/* --- The list -------------------------------------------------------------------------------- */

static struct qs_told_list *list_new(void)
{
    struct qs_told_list *list = g_new0(struct qs_told_list, 1);

    list->unsorted = g_byte_array_new();
    list->messages = g_ptr_array_new_with_free_func(told_unref);
    list->places = g_hash_table_new(g_int64_hash, g_int64_equal);
    return list;
}

static void list_free(struct qs_told_list *list)
{
    if (list->unsorted)
        g_byte_array_free(list->unsorted, TRUE);
    g_hash_table_destroy(list->places);
    g_ptr_array_free(list->messages, TRUE);
    g_free(list);
}

/* The messages are shared. */
static struct qs_told_list *list_copy(struct qs_told_list *list)
{
    struct qs_told_list *copy = list_new();

    sort(list);
    sort(copy);
    for (guint i = 0; i < list->messages->len; i++) {
        struct qs_sign_on_message *told = told_at(list, i);

        told->references++;
        append(copy, told);
    }
    copy->bytes = list->bytes;
    return copy;
}

/* --- Sign-ons -------------------------------------------------------------------------------- */

struct qs_sign_on *qs_sign_on_new(void)
{
    struct qs_sign_on *sign_on = g_new0(struct qs_sign_on, 1);

    sign_on->told = list_new();
    return sign_on;
}

struct qs_sign_on *qs_sign_on_copy(const struct qs_sign_on *sign_on)
{
    struct qs_sign_on *copy = g_memdup2(sign_on, sizeof *sign_on);

    copy->told = list_copy(sign_on->told);
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
    list_free(sign_on->told);
    g_free(sign_on);
}

/* Nothing more comes: room for it is not kept. */
static void shrink(struct qs_told_list *list)
{
    GByteArray *unsorted = list->unsorted;

    if (!unsorted)
        return;
    list->unsorted = g_byte_array_new_take(g_memdup2(unsorted->data, unsorted->len), unsorted->len);
    g_byte_array_free(unsorted, TRUE);
}

void qs_sign_on_leave(struct qs_sign_on *sign_on)
{
    struct qs_sign_on_extra *copy;

    shrink(sign_on->told);
    if (!sign_on->extra || !sign_on->extra->follows)
        return;
    copy = sign_on->extra->copy(sign_on->extra);
    free_extra(sign_on);
    sign_on->extra = copy;
}

void qs_sign_on_clear(struct qs_sign_on *sign_on)
{
    list_free(sign_on->told);
    free_extra(sign_on);
    *sign_on = (struct qs_sign_on){.told = list_new()};
}

void qs_sign_on_add(struct qs_sign_on *sign_on, int64_t about, struct qs_view bytes)
{
    tell(
        sign_on,
        &(struct entry){.about = about, .block = sign_on->blocks - 1, .size = (uint16_t)bytes.size},
        bytes);
}

void qs_sign_on_replace(struct qs_sign_on *sign_on, int64_t about, struct qs_view bytes)
{
    tell(sign_on, &(struct entry){.about = about, .size = (uint16_t)bytes.size, .anew = true},
         bytes);
}

const GPtrArray *qs_sign_on_messages(const struct qs_sign_on *sign_on)
{
    sort(sign_on->told);
    return sign_on->told->messages;
}

struct qs_view qs_sign_on_find(const struct qs_sign_on *sign_on, int64_t about)
{
    struct qs_told_list *list = sign_on->told;
    guint place;

    if (list->unsorted && ++list->searches <= SEARCHES_MAX)
        return search(list->unsorted, about);
    sort(list);
    return find(list, about, &place) ? told_at(list, place)->bytes : (struct qs_view){0};
}

/* --- Borrowing ------------------------------------------------------------------------------- */

bool qs_sign_on_applies(const struct qs_sign_on_message *told, enum qs_donor_kind kind,
                        bool (*is_of_players)(uint8_t id))
{
    return kind != QS_DONOR_OTHER || !is_of_players(told->bytes.data[0]);
}

void qs_sign_on_append(GByteArray *out, const struct qs_sign_on *sign_on, enum qs_donor_kind kind,
                       bool (*is_of_players)(uint8_t id))
{
    const GPtrArray *messages = qs_sign_on_messages(sign_on);

    for (guint i = 0; i < messages->len; i++) {
        const struct qs_sign_on_message *told = g_ptr_array_index(messages, i);

        if (qs_sign_on_applies(told, kind, is_of_players))
            qs_write_view(out, told->bytes);
    }
}
