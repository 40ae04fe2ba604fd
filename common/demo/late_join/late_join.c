/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "common/core/hash.h"
#include "common/core/protocol.h"
#include "common/core/writer.h"
#include "common/demo/late_join/late_join.h"

/* --- Sights: entities in view ---------------------------------------------------------------- */

enum { SIGHTS_MAX = 128, EVERY = 16 };

bool qs_numbers_has(const struct qs_numbers *numbers, uint32_t number)
{
    return number < QS_NUMBER_SET_MAX && numbers->bits[number / 32] >> number % 32 & 1;
}

void qs_numbers_set(struct qs_numbers *numbers, uint32_t number, bool there)
{
    const uint32_t bit = UINT32_C(1) << number % 32;

    if (number >= QS_NUMBER_SET_MAX)
        return;
    if (there)
        numbers->bits[number / 32] |= bit;
    else
        numbers->bits[number / 32] &= ~bit;
}

void qs_sights_init(struct qs_sights *sights)
{
    *sights = (struct qs_sights){.all = g_array_new(FALSE, TRUE, sizeof(struct qs_sight)),
                                 .every = EVERY};
}

void qs_sights_clear(struct qs_sights *sights)
{
    g_array_free(sights->all, TRUE);
}

struct qs_sight *qs_sights_add(struct qs_sights *sights, uint32_t now, const float origin[3])
{
    struct qs_sight *sight;

    if (sights->all->len == SIGHTS_MAX) {
        for (guint i = 1; i < sights->all->len; i++)
            g_array_remove_index(sights->all, i);
        sights->every *= 2;
    }
    sights->next = now + MIN(sights->every, UINT32_MAX - now);
    g_array_set_size(sights->all, sights->all->len + 1);
    sight = &g_array_index(sights->all, struct qs_sight, sights->all->len - 1);
    memcpy(sight->origin, origin, sizeof sight->origin);
    return sight;
}

/* Returns NULL if there is no sight. An origin may be NaN. */
static const struct qs_sight *nearest(const struct qs_sights *sights, const float origin[3])
{
    const struct qs_sight *best = NULL;
    double least = INFINITY;

    for (guint i = 0; i < sights->all->len; i++) {
        const struct qs_sight *sight = &g_array_index(sights->all, struct qs_sight, i);
        double distance = 0;

        for (unsigned axis = 0; axis < 3; axis++)
            distance += fabs((double)sight->origin[axis] - (double)origin[axis]);
        if (distance < least) {
            least = distance;
            best = sight;
        }
    }
    return best;
}

static void keep_common(struct qs_numbers *common, const struct qs_sight *sight)
{
    for (size_t i = 0; i < G_N_ELEMENTS(common->bits); i++)
        common->bits[i] &= sight->in_view.bits[i];
}

struct qs_numbers qs_sights_common(const struct qs_sights *others, const struct qs_sights *own,
                                   uint8_t player)
{
    struct qs_numbers common;
    bool any = false;

    memset(&common, others->all->len ? 0xff : 0, sizeof common);
    for (guint i = 0; others->all->len && i < own->all->len; i++) {
        const struct qs_sight *sight = &g_array_index(own->all, struct qs_sight, i);
        const struct qs_sight *other =
            sight->player == player ? nearest(others, sight->origin) : NULL;

        if (other)
            keep_common(&common, other);
        any |= other != NULL;
    }
    for (guint i = 0; !any && i < others->all->len; i++)
        keep_common(&common, &g_array_index(others->all, struct qs_sight, i));
    return common;
}

/* --- Sign-ons --------------------------------------------------------------------------------- */

struct sign_on_entry {
    uint32_t block;
    uint32_t at, size; /* range in qs_sign_on.bytes */
};

static void free_state(gpointer state)
{
    g_bytes_unref(state);
}

static void init(struct qs_sign_on *sign_on)
{
    *sign_on = (struct qs_sign_on){
        .entries = g_array_new(FALSE, FALSE, sizeof(struct sign_on_entry)),
        .bytes = g_byte_array_new(),
        .states = g_hash_table_new_full(qs_direct_hash, NULL, NULL, free_state),
    };
}

static void clear(struct qs_sign_on *sign_on)
{
    if (sign_on->extra)
        sign_on->extra_free(sign_on->extra);
    if (sign_on->session)
        sign_on->protocol->session_clear(sign_on->session);
    g_free(sign_on->session);
    g_array_free(sign_on->entries, TRUE);
    g_byte_array_free(sign_on->bytes, TRUE);
    g_hash_table_destroy(sign_on->states);
    if (sign_on->marks)
        g_array_free(sign_on->marks, TRUE);
}

struct qs_sign_on *qs_sign_on_new(void)
{
    struct qs_sign_on *sign_on = g_new(struct qs_sign_on, 1);

    init(sign_on);
    return sign_on;
}

void qs_sign_on_free(struct qs_sign_on *sign_on)
{
    if (!sign_on)
        return;
    clear(sign_on);
    g_free(sign_on);
}

void qs_sign_on_clear(struct qs_sign_on *sign_on)
{
    const bool marked = sign_on->marks;

    clear(sign_on);
    init(sign_on);
    if (marked)
        qs_sign_on_keep_marks(sign_on);
}

void qs_sign_on_keep_marks(struct qs_sign_on *sign_on)
{
    sign_on->marks = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

void qs_sign_on_add(struct qs_sign_on *sign_on, struct qs_view message)
{
    const struct sign_on_entry entry = {sign_on->blocks - 1, sign_on->bytes->len, message.size};

    sign_on->broken |= message.size > QS_SIGN_ON_BYTES_MAX - sign_on->bytes->len;
    if (sign_on->broken)
        return;
    g_array_append_val(sign_on->entries, entry);
    qs_write_view(sign_on->bytes, message);
}

void qs_sign_on_complete(struct qs_sign_on *sign_on, const struct qs_protocol *protocol,
                         const struct qs_session *session)
{
    sign_on->complete = true;
    sign_on->protocol = protocol;
    sign_on->session = g_malloc(protocol->session_size);
    protocol->session_copy(sign_on->session, session);
}

guint qs_sign_on_count(const struct qs_sign_on *sign_on)
{
    return sign_on->entries->len;
}

struct qs_view qs_sign_on_at(const struct qs_sign_on *sign_on, guint index, uint32_t *block)
{
    const struct sign_on_entry *entry =
        &g_array_index(sign_on->entries, struct sign_on_entry, index);

    if (block)
        *block = entry->block;
    return (struct qs_view){sign_on->bytes->data + entry->at, entry->size};
}

void qs_sign_on_set_state(struct qs_sign_on *sign_on, uint32_t number, struct qs_view state)
{
    g_hash_table_insert(sign_on->states, GUINT_TO_POINTER(number),
                        g_bytes_new(state.data, state.size));
}

struct qs_view qs_sign_on_state(const struct qs_sign_on *sign_on, uint32_t number)
{
    GBytes *state = g_hash_table_lookup(sign_on->states, GUINT_TO_POINTER(number));
    gsize size = 0;
    const uint8_t *data = state ? g_bytes_get_data(state, &size) : NULL;

    return (struct qs_view){data, (uint32_t)size};
}

/* --- Marks of a demo ------------------------------------------------------------------------- */

enum { MARK_MIN = 24 /* minimum number of bytes that are unique to a session */ };

void qs_sign_on_mark(struct qs_sign_on *sign_on, struct qs_view bytes)
{
    uint64_t mark;

    if (!sign_on->marks || bytes.size < MARK_MIN)
        return;
    mark = qs_view_hash(bytes);
    g_array_append_val(sign_on->marks, mark);
}

static int compare(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return (one > other) - (one < other);
}

void qs_sign_on_sort_marks(struct qs_sign_on *sign_on)
{
    if (sign_on->marks)
        g_array_sort(sign_on->marks, compare);
}

bool qs_sign_on_has_mark(const struct qs_sign_on *sign_on, struct qs_view bytes)
{
    uint64_t mark;

    if (!sign_on->marks || bytes.size < MARK_MIN)
        return false;
    mark = qs_view_hash(bytes);
    return g_array_binary_search(sign_on->marks, &mark, compare, NULL);
}

void qs_donor_match_init(struct qs_donor_match *match, const struct qs_sign_on *sign_on,
                         enum qs_donor_kind kind)
{
    match->sign_on = sign_on;
    match->kind = kind;
    match->unknown = g_string_new(NULL);
}

void qs_donor_match_clear(struct qs_donor_match *match)
{
    g_string_free(match->unknown, TRUE);
    g_free(match->contradiction);
}

void qs_donor_match_contradict(struct qs_donor_match *match, const char *format, ...)
{
    va_list arguments;

    if (match->contradiction)
        return;
    va_start(arguments, format);
    match->contradiction = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

void qs_donor_match_compare_mark(struct qs_donor_match *match, struct qs_view bytes)
{
    match->recorded = match->recorded || qs_sign_on_has_mark(match->sign_on, bytes);
}

void qs_donor_match_unknown(struct qs_donor_match *match, bool is_unknown, const char *what)
{
    if (is_unknown)
        g_string_append_printf(match->unknown, "%s%s", match->unknown->len ? "; " : "", what);
}
