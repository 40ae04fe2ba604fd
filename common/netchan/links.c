/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/links.h"

#include "common/core/numeric_text.h"
#include "common/netchan/links_state.h"

#include <string.h>

#include "common/core/emit.h"
#include "common/core/protocol.h"

#define TENTH (INT64_C(1000000000) / QS_TENTHS) /* ns */

struct qs_links *qs_links_new(uint32_t kept)
{
    struct qs_links *links = g_new0(struct qs_links, 1);

    qs_chunks_init(&links->records, sizeof(struct qs_link_record), kept);
    qs_chunks_init(&links->extras, sizeof(struct qs_link_extra), kept);
    qs_chunks_init(&links->messages, sizeof(struct qs_link_message), kept);
    for (int end = QS_END_A; end < QS_END_UNKNOWN; end++)
        links->directions[end].parts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    links->path = kept ? NULL : qs_path_new();
    links->qualities = g_array_new(FALSE, TRUE, sizeof(struct qs_path_quality));
    return links;
}

void qs_links_free(struct qs_links *links)
{
    for (int end = QS_END_A; end < QS_END_UNKNOWN; end++) {
        for (int i = 0; i < QS_STREAMS; i++)
            g_free(links->directions[end].streams[i]);
        g_array_free(links->directions[end].parts, TRUE);
    }
    qs_chunks_clear(&links->records);
    qs_chunks_clear(&links->extras);
    qs_chunks_clear(&links->messages);
    qs_path_free(links->path);
    g_array_free(links->qualities, TRUE);
    g_free(links);
}

/* --- Records of packets ---------------------------------------------------------------------- */

/* Returns the packet's number in the input, in which several files may be merged. */
static uint32_t number_of(const struct qs_packet *packet)
{
    return (uint32_t)(packet->frame ? packet->frame : packet->number);
}

static void count_bytes(struct qs_links *links, const struct qs_packet *packet, uint32_t record)
{
    struct qs_link_direction *direction = &links->directions[packet->from];
    struct qs_link_record *own = qs_link_record(links, record);
    const int64_t tenth = packet->time / TENTH;

    if (tenth + QS_TENTHS < direction->tenth) { /* the clock was set back */
        memset(direction->bytes, 0, sizeof direction->bytes);
        direction->tenth = tenth;
    }
    /* Zeroes the tenths of a second in which no packet came. */
    for (int i = 0; direction->tenth < tenth && i < QS_TENTHS; i++)
        direction->bytes[(uint64_t)++direction->tenth % QS_TENTHS] = 0;
    direction->tenth = MAX(direction->tenth, tenth);
    direction->bytes[(uint64_t)direction->tenth % QS_TENTHS] += packet->wire_size;
    for (int i = 0; i < QS_TENTHS; i++)
        own->rate += direction->bytes[i];
    own->has_rate = true;
}

/* Stores the packet that completes the message in the records of all its fragments. */
static void complete(struct qs_links *links, const struct qs_link_direction *direction,
                     uint32_t record, uint32_t fragments)
{
    for (guint i = 0; i < direction->parts->len; i++) {
        struct qs_link_extra *extra =
            qs_link_extra(links, g_array_index(direction->parts, uint32_t, i));

        extra->whole = record;
        extra->fragments = (uint16_t)fragments;
    }
}

/* Decoders report at most QS_FRAGMENTS_MAX fragments of a message. */
static void add_fragment(struct qs_links *links, const struct qs_decoder *d, uint32_t record)
{
    struct qs_link_direction *direction = &links->directions[d->packet->from];

    if (d->found.fragment <= direction->parts->len)
        g_array_set_size(direction->parts, d->found.fragment - 1);
    g_array_append_val(direction->parts, record);
    qs_link_extra(links, record)->fragment = (uint16_t)d->found.fragment;
    if (!d->found.fragments)
        return;
    complete(links, direction, record, d->found.fragments);
    g_array_set_size(direction->parts, 0);
}

/*
 * --- Requests and their responses
 *
 * Some responses repeat a key of their request. Any other response is linked to the latest request
 * of its kind from the other end, unless that is too old. Downloads are requests, too: for the
 * file, then for each piece.
 */

/* Maximum time between a request and its response (ns). */
#define RESPONSE_MAX (INT64_C(30) * 1000000000)

static unsigned kind_of(uint32_t asks)
{
    return (unsigned)__builtin_ctz(asks);
}

static bool fits(const struct qs_link_request *request, const struct qs_requests *response)
{
    return request->requests.asks & response->answers &&
           (!request->requests.keyed || !response->keyed || request->requests.key == response->key);
}

/* Returns the latest request that the response may be for, or NULL. */
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

static void add_request(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                        const struct qs_requests *requests)
{
    if (requests->asks && (!requests->answers || d->found.direction == QS_C2S)) {
        links->requests[links->request_count++ % QS_PENDING_REQUESTS_MAX] =
            (struct qs_link_request){*requests, record, d->packet->from, false};
        links->counts[kind_of(requests->asks)].requests++;
    } else if (requests->answers) {
        answer(links, d, record, requests);
    }
}

/* Adds a step of a download as a request or a response. */
static void add_transfer(struct qs_links *links, const struct qs_decoder *d, uint32_t record,
                         const struct qs_transfer *transfer)
{
    const struct qs_requests asks = {.asks = QS_ASK_DOWNLOAD};
    const struct qs_requests answers = {.answers = QS_ASK_DOWNLOAD};

    switch (transfer->event) {
    case QS_TRANSFER_REQUEST:
        links->download = record;
        add_request(links, d, record, &asks);
        return;
    case QS_TRANSFER_NEXT:
        add_request(links, d, record, &asks);
        return;
    case QS_TRANSFER_REFUSED:
    case QS_TRANSFER_BEGIN:
    case QS_TRANSFER_CHUNK:
    case QS_TRANSFER_PIECE:
        break;
    }
    add_request(links, d, record, &answers);
    if (links->download)
        qs_link_extra(links, record)->download = links->download;
}

/* --- Packets --------------------------------------------------------------------------------- */

static void begin_connection(struct qs_links *links)
{
    qs_links_restart(links, true);
    if (!links->path)
        return;
    for (uint32_t i = links->qualities->len; i <= links->connection; i++) {
        struct qs_path_quality quality;

        qs_path_quality(i == links->connection ? links->path : NULL, &quality);
        g_array_append_val(links->qualities, quality);
    }
    qs_path_free(links->path);
    links->path = qs_path_new();
}

/* Adds what the packet shows of the path, and marks the datagrams that it shows to be lost. */
static void add_path(struct qs_links *links, const struct qs_decoder *d, uint32_t record)
{
    struct qs_path_event event;
    struct qs_path_gap gap;
    struct qs_link_extra *extra;

    qs_path_add_event(links->path, d, record, &event);
    gap = qs_path_gap_of(links->path, d, &event);
    qs_link_record(links, record)->ping = (uint16_t)MIN(event.ping / 100, UINT16_MAX);
    for (unsigned i = 0; i < event.unread_count; i++)
        qs_link_extra(links, event.unread[i])->lost_in = record;
    if (!gap.lost && !gap.skipped && !gap.throttled && !event.choked && !event.unread_count)
        return;
    extra = qs_link_extra(links, record);
    extra->lost = (uint16_t)MIN(gap.lost + event.unread_count, UINT16_MAX);
    extra->skipped = gap.skipped;
    extra->choked = event.choked;
    extra->throttled = gap.throttled;
}

void qs_links_quality(const struct qs_links *links, uint32_t connection,
                      struct qs_path_quality *quality)
{
    if (links && connection < links->qualities->len)
        *quality = g_array_index(links->qualities, struct qs_path_quality, connection);
    else
        qs_path_quality(links && connection == links->connection ? links->path : NULL, quality);
}

void qs_links_update(struct qs_links *links, const struct qs_decoder *d)
{
    struct qs_link_record *own;
    uint32_t record;

    if (d->packet->pdu || d->packet->from == QS_END_UNKNOWN || links->records.count == UINT32_MAX)
        return;
    if (links->connection != d->session->connection)
        begin_connection(links);
    links->connection = d->session->connection;
    own = qs_chunks_add(&links->records);
    own->packet = number_of(d->packet);
    own->time = d->packet->time;
    record = links->records.count;
    if (!d->found.connectionless) {
        struct qs_seqinfo seqinfo;

        count_bytes(links, d->packet, record);
        if (d->protocol->seqinfo && d->protocol->seqinfo(d->session, d->packet, &seqinfo))
            qs_links_acknowledge(links, d, record, &seqinfo);
        if (d->found.fragment)
            add_fragment(links, d, record);
        if (links->path)
            add_path(links, d, record);
    }
    for (unsigned i = 0; i < d->found.request_count; i++)
        add_request(links, d, record, &d->found.requests[i]);
    for (guint i = 0; i < d->found.transfers->len; i++)
        add_transfer(links, d, record, &g_array_index(d->found.transfers, struct qs_transfer, i));
}

/* --- Links of a packet ----------------------------------------------------------------------- */

static bool is_of(const struct qs_link_record *record, const struct qs_packet *packet)
{
    return record->packet == number_of(packet) && record->time == packet->time;
}

/* Returns the first record with at least this number; one past the last if there is none. */
static uint32_t lower_bound(const struct qs_links *links, uint32_t number)
{
    uint32_t low = 1, high = links->records.count + 1;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (qs_link_record(links, middle)->packet < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the packet's record, or NULL. If it has several datagrams (tunnels), the first one's. */
static const struct qs_link_record *find_record(const struct qs_links *links,
                                                const struct qs_packet *packet)
{
    const uint32_t number = number_of(packet), count = links->records.count;

    if (count && is_of(qs_link_record(links, count), packet))
        return qs_link_record(links, count);
    for (uint32_t i = lower_bound(links, number); i <= count; i++) {
        const struct qs_link_record *record = qs_link_record(links, i);

        if (record->packet != number)
            break;
        if (is_of(record, packet))
            return record;
    }
    return NULL;
}

static void set(struct qs_packet_links *found, enum qs_link link, uint64_t value)
{
    found->values[link] = value;
    found->known |= 1u << link;
}

/* Sets a link to the record's packet, unless the next record has the same number at another time:
 * then the number is that packet's. */
static void set_packet(const struct qs_links *links, struct qs_packet_links *found,
                       enum qs_link link, uint32_t record)
{
    const struct qs_link_record *own, *next;

    if (!record)
        return;
    own = qs_link_record(links, record);
    next = record < links->records.count ? qs_link_record(links, record + 1) : own;
    if (own->packet && (next->packet != own->packet || next->time == own->time))
        set(found, link, own->packet);
}

static int64_t time_since(const struct qs_links *links, uint32_t earlier,
                          const struct qs_link_record *record)
{
    return MAX(qs_link_elapsed(qs_link_record(links, earlier)->time, record->time), 0);
}

static void find_acknowledged(const struct qs_links *links, const struct qs_link_record *record,
                              struct qs_packet_links *found)
{
    const struct qs_link_record *sent = qs_link_record(links, record->acks);

    set_packet(links, found, QS_LINK_ACKED_IN, record->acked_by);
    if (!record->acks)
        return;
    if (!sent->sent_again && qs_link_record(links, sent->acked_by) == record) {
        found->ack_rtt = time_since(links, record->acks, record);
        set(found, QS_LINK_ACK_RTT, (uint64_t)found->ack_rtt);
    }
    set_packet(links, found, QS_LINK_ACKS_FRAME, record->acks);
}

static void find_messages(const struct qs_links *links, const struct qs_link_record *record,
                          const struct qs_link_extra *extra, struct qs_packet_links *found)
{
    const struct qs_link_message message = *qs_link_message(links, extra->message);
    const uint32_t confirms = qs_link_message(links, extra->confirms)->first;

    if (qs_link_record(links, message.first) != record)
        set_packet(links, found, QS_LINK_RELIABLE_FIRST_IN, message.first);
    set_packet(links, found, QS_LINK_RELIABLE_AGAIN_IN, extra->again);
    set_packet(links, found, QS_LINK_RELIABLE_CONFIRMED_IN, message.confirmed);
    set_packet(links, found, QS_LINK_RELIABLE_CONFIRMS, confirms);
    if (confirms)
        set(found, QS_LINK_RELIABLE_TIME, (uint64_t)time_since(links, confirms, record));
}

static void find_extra(const struct qs_links *links, const struct qs_link_record *record,
                       const struct qs_link_extra *extra, struct qs_packet_links *found)
{
    const uint16_t gaps[] = {extra->lost, extra->skipped, extra->choked, extra->throttled};

    find_messages(links, record, extra, found);
    if (extra->fragment != extra->fragments)
        set_packet(links, found, QS_LINK_REASSEMBLED_IN, extra->whole);
    found->fragment = extra->fragment;
    found->fragments = extra->fragments;
    set_packet(links, found, QS_LINK_RESPONSE_IN, extra->response_in);
    set_packet(links, found, QS_LINK_DOWNLOAD_FROM, extra->download);
    set_packet(links, found, QS_LINK_LOST_IN, extra->lost_in);
    for (unsigned i = 0; i < G_N_ELEMENTS(gaps); i++)
        if (gaps[i])
            set(found, QS_LINK_LOST + i, gaps[i]);
    if (!extra->response_to)
        return;
    found->response = (struct qs_response){.kind = (enum qs_request_kind)extra->kind,
                                           .known = true,
                                           .time = time_since(links, extra->response_to, record),
                                           .first = extra->first_response};
    set_packet(links, found, QS_LINK_RESPONSE_TO, extra->response_to);
    set(found, QS_LINK_RESPONSE_TIME, (uint64_t)found->response.time);
}

bool qs_links_find(const struct qs_links *links, const struct qs_packet *packet,
                   struct qs_packet_links *found)
{
    const struct qs_link_record *record = find_record(links, packet);

    *found = (struct qs_packet_links){.ack_rtt = -1};
    if (!record)
        return false;
    find_acknowledged(links, record, found);
    if (record->extra)
        find_extra(links, record, qs_chunks_at(&links->extras, record->extra), found);
    if (record->ping)
        set(found, QS_LINK_PING, record->ping);
    if (record->has_rate)
        set(found, QS_LINK_RATE, record->rate);
    return true;
}

/* --- Links as fields ------------------------------------------------------------------------- */

/* Adds " [lost 2]" to the summary, before other marks and the messages, and the fragment. */
static void summarize(struct qs_decoder *d, const struct qs_packet_links *links)
{
    static const char *const gaps[] = {"lost", "skipped", "choked", "throttled"};

    for (unsigned i = 0; i < G_N_ELEMENTS(gaps); i++) {
        const unsigned count = (unsigned)links->values[QS_LINK_LOST + i];
        size_t header;
        char *gap;

        if (!count)
            continue;
        header = strcspn(d->found.summary->str, "[:");
        gap = g_strdup_printf(" [%s %u]", gaps[i], count);
        g_string_insert(d->found.summary, (gssize)header - (d->found.summary->str[header] == '['),
                        gap);
        g_free(gap);
    }
    if (links->fragments)
        g_string_append_printf(d->found.summary, " [fragment %u of %u]", links->fragment,
                               links->fragments);
    else if (links->fragment)
        g_string_append_printf(d->found.summary, " [fragment %u]", links->fragment);
}

void qs_links_show(const struct qs_links *links, struct qs_decoder *d)
{
    struct qs_packet_links found;

    if (d->packet->pdu || !qs_links_find(links, d->packet, &found))
        return;
    d->in.overrun = false; /* these fields are not read from the packet, whose messages overran */
    for (uint32_t known = found.known; known; known &= known - 1) {
        const unsigned link = (unsigned)__builtin_ctz(known), row = d->protocol->links + link;

        if (link == QS_LINK_PING)
            qs_emit_generated_double(d, row, 0, 0, (double)found.values[link] / 10);
        else
            qs_emit_generated_uint(d, row, 0, 0, found.values[link]);
    }
    if (found.values[QS_LINK_LOST])
        qs_note(d, QS_NOTE_LOST, 0, 0, "%u packet%s lost before this one",
                (unsigned)found.values[QS_LINK_LOST],
                qs_plural((unsigned)found.values[QS_LINK_LOST]));
    if (found.known & 1u << QS_LINK_LOST_IN)
        qs_note(d, QS_NOTE_LOST, 0, 0, "This packet never arrived");
    if (d->want_summary)
        summarize(d, &found);
}

struct qs_request_count qs_links_requests(const struct qs_links *links, enum qs_request_kind kind)
{
    return links->counts[kind];
}
