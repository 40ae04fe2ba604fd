/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/sign_on.h"

static void told_free(gpointer data)
{
    struct qs_told *told = data;

    g_bytes_unref(told->bytes);
    g_free(told);
}

static struct qs_sign_on *without_messages(void)
{
    struct qs_sign_on *sign_on = g_new0(struct qs_sign_on, 1);

    sign_on->messages = g_ptr_array_new_with_free_func(told_free);
    sign_on->by_about = g_hash_table_new(g_int64_hash, g_int64_equal);
    return sign_on;
}

struct qs_sign_on *qs_sign_on_new(void)
{
    return without_messages();
}

/* At place `at` of the messages. Takes over the bytes. */
static void insert(struct qs_sign_on *sign_on, guint at, int64_t about, uint32_t block,
                   GBytes *bytes)
{
    struct qs_told *told = g_new(struct qs_told, 1);

    *told = (struct qs_told){about, block, bytes};
    g_ptr_array_insert(sign_on->messages, (gint)at, told);
    if (about != QS_TOLD_ALONE)
        g_hash_table_replace(sign_on->by_about, &told->about, told);
}

struct qs_sign_on *qs_sign_on_copy(const struct qs_sign_on *sign_on)
{
    struct qs_sign_on *copy = without_messages();

    for (guint i = 0; i < sign_on->messages->len; i++) {
        const struct qs_told *told = g_ptr_array_index(sign_on->messages, i);

        insert(copy, i, told->about, told->block, g_bytes_ref(told->bytes));
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
    g_hash_table_destroy(sign_on->by_about);
    g_ptr_array_free(sign_on->messages, TRUE);
    g_free(sign_on);
}

void qs_sign_on_clear(struct qs_sign_on *sign_on)
{
    g_hash_table_remove_all(sign_on->by_about);
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
    insert(sign_on, sign_on->messages->len, about, sign_on->blocks - 1,
           g_bytes_new(bytes.data, bytes.size));
    sign_on->bytes += bytes.size;
}

static void insert_before_last(struct qs_sign_on *sign_on, int64_t about, struct qs_view bytes)
{
    const guint count = sign_on->messages->len;
    const struct qs_told *last;

    if (!count)
        return;
    last = g_ptr_array_index(sign_on->messages, count - 1);
    insert(sign_on, count - 1, about, last->block, g_bytes_new(bytes.data, bytes.size));
    sign_on->bytes += bytes.size;
}

void qs_sign_on_replace(struct qs_sign_on *sign_on, int64_t about, struct qs_view bytes)
{
    struct qs_told *told = g_hash_table_lookup(sign_on->by_about, &about);

    if (!has_room(sign_on, bytes.size))
        return;
    if (!told) {
        insert_before_last(sign_on, about, bytes);
        return;
    }
    sign_on->bytes += bytes.size - (uint32_t)g_bytes_get_size(told->bytes);
    g_bytes_unref(told->bytes);
    told->bytes = g_bytes_new(bytes.data, bytes.size);
}

struct qs_view qs_told_view(const struct qs_told *told)
{
    gsize size;
    const uint8_t *data = g_bytes_get_data(told->bytes, &size);

    return (struct qs_view){data, (uint32_t)size};
}

struct qs_view qs_sign_on_find(const struct qs_sign_on *sign_on, int64_t about)
{
    const struct qs_told *told = g_hash_table_lookup(sign_on->by_about, &about);

    return told ? qs_told_view(told) : (struct qs_view){0};
}
