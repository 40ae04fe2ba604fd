/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/findings.h"

#include "common/core/decoder.h"
#include "common/core/text.h"

/* --- Requests and responses */

const char *qs_request_name(enum qs_request_kind kind)
{
#define NAME(id, name) name,
    static const char *const names[] = {QS_REQUESTS(NAME)};
#undef NAME

    return names[kind];
}

void qs_add_requests(struct qs_decoder *d, uint32_t asks, uint32_t answers)
{
    const struct qs_requests requests = {.asks = asks & ~(uint32_t)QS_IMPLIES_DIRECTION,
                                         .answers = answers & ~(uint32_t)QS_IMPLIES_DIRECTION};

    if (d->found.direction == QS_DIRECTION_UNKNOWN && !asks != !answers)
        d->found.direction = asks ? QS_C2S : QS_S2C;
    if ((requests.asks || requests.answers) && d->found.request_count < QS_REQUESTS_MAX)
        d->found.requests[d->found.request_count++] = requests;
}

void qs_request_set_key(struct qs_decoder *d, uint32_t key)
{
    struct qs_requests *last;

    if (!d->found.request_count)
        return;
    last = &d->found.requests[d->found.request_count - 1];
    last->key = key;
    last->keyed = true;
}

void qs_request_narrow(struct qs_decoder *d, uint32_t answers)
{
    if (d->found.request_count)
        d->found.requests[d->found.request_count - 1].answers &= answers;
}

/* --- Passwords */

void qs_add_credential(struct qs_decoder *d, unsigned row, const char *purpose, struct qs_view user)
{
    struct qs_credential *credential;
    char *readable;

    if (d->in.overrun || d->found.credential_count == QS_CREDENTIALS_MAX)
        return;
    credential = &d->found.credentials[d->found.credential_count++];
    *credential = (struct qs_credential){.row = row, .purpose = purpose};
    readable = qs_text_utf8(user);
    if (g_utf8_strlen(readable, -1) <= QS_USER_CHARACTERS)
        g_strlcpy(credential->user, readable, sizeof credential->user);
    g_free(readable);
}

/* Engines treat the password "none" as no password. */
void qs_add_userinfo_credential(struct qs_decoder *d, unsigned row, struct qs_view userinfo)
{
    const struct qs_view password = qs_info_value(userinfo, "password");

    if (password.size && !qs_view_equal(password, "none"))
        qs_add_credential(d, row, "server password", qs_info_value(userinfo, "name"));
}

/* --- File transfers */

static struct qs_view copy_view(struct qs_view view, qs_memory_copy *copy, void *pool)
{
    view.data = view.data ? copy(pool, view.data, view.size) : NULL;
    return view;
}

struct qs_transfer qs_transfer_copy(const struct qs_transfer *transfer, qs_memory_copy *copy,
                                    void *pool)
{
    struct qs_transfer to = *transfer;

    to.name = copy_view(transfer->name, copy, pool);
    to.data = copy_view(transfer->data, copy, pool);
    return to;
}

static void *copy_to_heap(void *pool, const void *bytes, size_t size)
{
    (void)pool;
    return g_memdup2(bytes, size);
}

void qs_add_transfer(struct qs_decoder *d, const struct qs_transfer *transfer)
{
    struct qs_transfer copy;

    if (!d->want_transfers || d->in.overrun || !(d->found.accepted || d->found.connectionless))
        return;
    copy = qs_transfer_copy(transfer, copy_to_heap, NULL);
    g_array_append_val(d->found.transfers, copy);
}

void qs_add_player_event(struct qs_decoder *d, enum qs_player_event_kind kind, uint32_t slot,
                         int32_t value)
{
    const struct qs_player_event event = {kind, slot, value};

    if (d->found.accepted && !d->in.overrun && !d->probing && slot < QS_PLAYER_SLOTS)
        g_array_append_val(d->found.player_events, event);
}

void qs_transfer_clear(void *data)
{
    struct qs_transfer *transfer = data;

    g_free((void *)transfer->name.data);
    g_free((void *)transfer->data.data);
}
