/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests and their responses. Nothing in a response says which request it answers, but for a key
 * in some: it is taken for the latest of its kind from the other end, unless that is long ago.
 * Downloads are requests, too: for the file, then for each piece.
 */
#include "common/netchan/links_state.h"
#include "common/netchan/transfer.h"

/* Nanoseconds. */
#define RESPONSE_MAX (INT64_C(30) * 1000000000)

static unsigned kind_of(uint32_t asks)
{
    return (unsigned)__builtin_ctz(asks);
}

static void ask(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                const struct qs_requests *requests)
{
    links->requests[links->request_count++ % QS_PENDING_REQUESTS_MAX] =
        (struct qs_link_request){*requests, record, d->packet->from, false};
    links->counts[kind_of(requests->asks)].requests++;
}

static bool fits(const struct qs_link_request *request, const struct qs_requests *response)
{
    return request->requests.asks & response->answers &&
           (!request->requests.keyed || !response->keyed || request->requests.key == response->key);
}

/* The latest request that it may be for, or NULL. */
static struct qs_link_request *find_request(struct qs_links *links, const struct qs_decoder *d,
                                            const struct qs_requests *response)
{
    const uint32_t oldest = links->request_count > QS_PENDING_REQUESTS_MAX
                                ? links->request_count - QS_PENDING_REQUESTS_MAX
                                : 0;

    for (uint32_t i = links->request_count; i-- > oldest;) {
        struct qs_link_request *request = &links->requests[i % QS_PENDING_REQUESTS_MAX];

        if (qs_link_elapsed(qs_link_record(links, request->record)->time, d->packet->time) >
            RESPONSE_MAX)
            return NULL;
        if (request->from != d->packet->from && fits(request, response))
            return request;
    }
    return NULL;
}

static void answer(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                   const struct qs_requests *response)
{
    struct qs_link_request *request = find_request(links, d, response);
    struct qs_link_extra *extra;

    if (!request)
        return;
    extra = qs_link_extra(links, record);
    extra->response_to = request->record;
    extra->kind = (uint8_t)kind_of(request->requests.asks);
    extra->first_response = !request->answered;
    if (request->answered)
        return;
    request->answered = true;
    links->counts[extra->kind].answered++;
    if (!qs_link_extra(links, request->record)->response_in)
        qs_link_extra(links, request->record)->response_in = record;
}

static void take(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                 const struct qs_requests *requests)
{
    if (requests->asks && (!requests->answers || d->direction == QS_C2S))
        ask(links, d, record, requests);
    else if (requests->answers)
        answer(links, d, record, requests);
}

/* --- Downloads --- */

/* Chunks are known by their offset; pieces come one after the other. */
static void take_transfer(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                          const struct qs_transfer *transfer)
{
    const struct qs_requests asks = {.asks = QS_ASK_DOWNLOAD};
    const struct qs_requests answers = {.answers = QS_ASK_DOWNLOAD};

    switch (transfer->event) {
    case QS_TRANSFER_REQUEST:
        links->download = record;
        take(links, d, record, &asks);
        return;
    case QS_TRANSFER_NEXT:
        take(links, d, record, &asks);
        return;
    case QS_TRANSFER_REFUSED:
    case QS_TRANSFER_BEGIN:
    case QS_TRANSFER_CHUNK:
    case QS_TRANSFER_PIECE:
        break;
    }
    take(links, d, record, &answers);
    if (links->download)
        qs_link_extra(links, record)->download = links->download;
}

void qs_links_take_requests(struct qs_links *links, const struct qs_decoder *d, uint32_t record)
{
    for (unsigned i = 0; i < d->request_count; i++)
        take(links, d, record, &d->requests[i]);
    for (guint i = 0; i < d->transfers->len; i++)
        take_transfer(links, d, record, &g_array_index(d->transfers, struct qs_transfer, i));
}

struct qs_request_count qs_links_requests(const struct qs_links *links, enum qs_request_kind kind)
{
    return links->counts[kind];
}
