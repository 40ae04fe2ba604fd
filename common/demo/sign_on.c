/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/sign_on.h"

#include <string.h>

#include "common/core/writer.h"

static struct qs_told *told_new(int64_t about, uint32_t block, struct qs_view bytes)
{
    struct qs_told *told = g_malloc(sizeof *told + bytes.size);
    uint8_t *copy = (uint8_t *)(told + 1);

    memcpy(copy, bytes.data, bytes.size);
    *told = (struct qs_told){about, block, 1, {copy, bytes.size}};
    return told;
}

static void told_unref(gpointer data)
{
    struct qs_told *told = data;

    if (!--told->references)
        g_free(told);
}

static struct qs_sign_on *without_messages(void)
{
    struct qs_sign_on *sign_on = g_new0(struct qs_sign_on, 1);

    sign_on->messages = g_ptr_array_new_with_free_func(told_unref);
    sign_on->places = g_hash_table_new(g_int64_hash, g_int64_equal);
    return sign_on;
}

struct qs_sign_on *qs_sign_on_new(void)
{
    return without_messages();
}

static struct qs_told *told_at(const struct qs_sign_on *sign_on, guint place)
{
    return g_ptr_array_index(sign_on->messages, place);
}

static void note_place(struct qs_sign_on *sign_on, guint place)
{
    struct qs_told *told = told_at(sign_on, place);

    if (told->about != QS_TOLD_ALONE)
        g_hash_table_replace(sign_on->places, &told->about, GUINT_TO_POINTER(place));
}

/* Takes over the message. */
static void append(struct qs_sign_on *sign_on, struct qs_told *told)
{
    g_ptr_array_add(sign_on->messages, told);
    note_place(sign_on, sign_on->messages->len - 1);
}

struct qs_sign_on *qs_sign_on_copy(const struct qs_sign_on *sign_on)
{
    struct qs_sign_on *copy = without_messages();

    for (guint i = 0; i < sign_on->messages->len; i++) {
        struct qs_told *told = told_at(sign_on, i);

        told->references++;
        append(copy, told);
    }
    copy->blocks = sign_on->blocks;
    copy->bytes = sign_on->bytes;
    copy->complete = sign_on->complete;
    copy->broken = sign_on->broken;
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
    g_hash_table_destroy(sign_on->places);
    g_ptr_array_free(sign_on->messages, TRUE);
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
    g_hash_table_remove_all(sign_on->places);
    g_ptr_array_set_size(sign_on->messages, 0);
    sign_on->blocks = sign_on->bytes = 0;
    sign_on->complete = sign_on->broken = false;
    free_extra(sign_on);
}

/* --- Messages -------------------------------------------------------------------------------- */

static bool has_room(struct qs_sign_on *sign_on, uint32_t size)
{
    if (size > QS_SIGN_ON_BYTES_MAX - sign_on->bytes ||
        sign_on->messages->len >= QS_SIGN_ON_MESSAGES_MAX)
        sign_on->broken = true;
    return !sign_on->broken;
}

void qs_sign_on_add(struct qs_sign_on *sign_on, int64_t about, struct qs_view bytes)
{
    if (!has_room(sign_on, bytes.size))
        return;
    append(sign_on, told_new(about, sign_on->blocks - 1, bytes));
    sign_on->bytes += bytes.size;
}

static void insert_before_last(struct qs_sign_on *sign_on, int64_t about, struct qs_view bytes)
{
    const guint last = sign_on->messages->len - 1;

    if (!sign_on->messages->len)
        return;
    g_ptr_array_insert(sign_on->messages, (gint)last,
                       told_new(about, told_at(sign_on, last)->block, bytes));
    note_place(sign_on, last);
    note_place(sign_on, last + 1);
    sign_on->bytes += bytes.size;
}

/* Where the message is that is about this; false: there is none. */
static bool find(const struct qs_sign_on *sign_on, int64_t about, guint *place)
{
    gpointer found;

    if (!g_hash_table_lookup_extended(sign_on->places, &about, NULL, &found))
        return false;
    *place = GPOINTER_TO_UINT(found);
    return true;
}

void qs_sign_on_replace(struct qs_sign_on *sign_on, int64_t about, struct qs_view bytes)
{
    struct qs_told *old;
    guint place;

    if (!has_room(sign_on, bytes.size))
        return;
    if (!find(sign_on, about, &place)) {
        insert_before_last(sign_on, about, bytes);
        return;
    }
    old = told_at(sign_on, place);
    sign_on->bytes += bytes.size - old->bytes.size;
    g_ptr_array_index(sign_on->messages, place) = told_new(about, old->block, bytes);
    note_place(sign_on, place);
    told_unref(old);
}

struct qs_view qs_sign_on_find(const struct qs_sign_on *sign_on, int64_t about)
{
    guint place;

    return find(sign_on, about, &place) ? told_at(sign_on, place)->bytes : (struct qs_view){0};
}

/* --- Borrowing ------------------------------------------------------------------------------- */

bool qs_told_is_lent(const struct qs_told *told, enum qs_lender_kind kind,
                     bool (*is_of_players)(uint8_t id))
{
    return kind == QS_LENDER_PRESENT || !is_of_players(told->bytes.data[0]);
}

void qs_sign_on_join(GByteArray *out, const struct qs_sign_on *sign_on, enum qs_lender_kind kind,
                     bool (*is_of_players)(uint8_t id))
{
    for (guint i = 0; i < sign_on->messages->len; i++) {
        const struct qs_told *told = told_at(sign_on, i);

        if (qs_told_is_lent(told, kind, is_of_players))
            qs_write_view(out, told->bytes);
    }
}
