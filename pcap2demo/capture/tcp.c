/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/ip.h"

#include <glib.h>
#include <string.h>

#include "common/core/reader.h"
#include "common/sessions/flow.h"
#include "pcap2demo/capture/link.h"

enum {
    TCP_HEADER = 20,

    FLAG_FIN = 0x01,
    FLAG_SYN = 0x02,
    FLAG_RST = 0x04,
    FLAG_ACK = 0x10
};

/* Header of a segment. */
struct segment {
    uint32_t sequence, acknowledged;
    uint8_t flags;
    struct qs_packet payload;
};

/* Bytes that arrived early. */
struct early_bytes {
    uint64_t start, end; /* positions in the stream */
    uint8_t *data;
    uint64_t number; /* number of the bytes' packet */
    int64_t time;
};

/* Stream that one end sends. Positions count from the first captured byte. */
struct half {
    bool known;             /* `sequence` is valid */
    uint32_t sequence;      /* number of the byte at `position` */
    uint64_t position;      /* end of what was delivered */
    uint64_t acknowledged;  /* position up to which the other end acknowledged */
    bool finished;          /* a FIN was received; `end` is valid */
    uint64_t end;           /* position where the stream ends */
    GQueue waiting;         /* struct early_bytes, in order, without overlap */
    uint32_t waiting_bytes; /* number of bytes in `waiting` */
    unsigned patience;      /* number of segments since the other end acknowledged the gap */
    struct qs_address source, destination;
    int64_t time; /* time of the last segment */
    bool cut;     /* the capture cut a segment since the last hole */
};

struct connection {
    struct qs_flow flow;
    struct tcp_connection outside;
    struct half halves[2];
    bool begun; /* a SYN was received; `begin` is its number */
    uint32_t begin;
    bool closed; /* further segments are ignored */
};

struct tcp {
    struct qs_flow_table *flows;
    int64_t idle; /* see tcp_new() */
    tcp_receiver *receive;
    void *user;
    uint64_t waiting;       /* number of queued bytes of all connections */
    uint64_t number, frame; /* numbers of the current packet */
    int64_t time;           /* time of the latest segment; 0 before */
    const struct qs_capture_file *file;
    struct tcp_counts counts;
};

/* --- Delivery -------------------------------------------------------------------------------- */

/* Bytes of a half that can be delivered, possibly behind a gap. */
struct batch {
    const uint8_t *data;
    uint32_t size;
    uint32_t missing;
    uint64_t number; /* number of the bytes' packet */
    int64_t time;
};

static void deliver(struct tcp *tcp, struct connection *connection, struct half *half,
                    const struct batch *batch)
{
    const struct qs_packet packet = {
        .data = batch->data,
        .size = batch->size,
        .wire_size = batch->size,
        .number = tcp->number,
        .frame = tcp->frame,
        .file = tcp->file,
        .time = batch->time,
        .source = half->source,
        .destination = half->destination,
        .from = half == &connection->halves[QS_END_A] ? QS_END_A : QS_END_B,
        .missing = batch->missing,
        .missing_before = batch->missing ? batch->number : 0,
        .missing_is_cut = batch->missing && half->cut,
    };

    half->position += (uint64_t)batch->missing + batch->size;
    half->sequence += batch->missing + batch->size;
    half->patience = 0;
    half->cut &= !batch->missing;
    tcp->counts.holes += batch->missing != 0;
    tcp->counts.missing += batch->missing;
    if (!connection->outside.ignored && (batch->size || batch->missing))
        tcp->receive(tcp->user, &connection->outside, &packet);
}

/* --- Queue ----------------------------------------------------------------------------------- */

/* Delivers the first queued bytes, with the gap before them. */
static void release_first(struct tcp *tcp, struct connection *connection, struct half *half)
{
    struct early_bytes *first = g_queue_pop_head(&half->waiting);
    const struct batch batch = {.data = first->data,
                                .size = (uint32_t)(first->end - first->start),
                                .missing = (uint32_t)(first->start - half->position),
                                .number = first->number,
                                .time = first->time};

    deliver(tcp, connection, half, &batch);
    half->waiting_bytes -= batch.size;
    tcp->waiting -= batch.size;
    g_free(first->data);
    g_free(first);
}

static uint64_t first_waiting(const struct half *half)
{
    return ((const struct early_bytes *)half->waiting.head->data)->start;
}

/* Delivers the queued bytes that are in order now. */
static void release(struct tcp *tcp, struct connection *connection, struct half *half)
{
    while (half->waiting.head && first_waiting(half) == half->position)
        release_first(tcp, connection, half);
}

static bool queue_is_full(const struct tcp *tcp, const struct half *half)
{
    return half->waiting.length > TCP_WAITING_SEGMENTS || half->waiting_bytes > TCP_WAITING_BYTES ||
           tcp->waiting > TCP_WAITING_TOTAL;
}

/* Counts a segment that does not fill an acknowledged gap. True after TCP_PATIENCE of them. */
static bool count_patience(struct half *half)
{
    return half->acknowledged >= first_waiting(half) && half->patience++ >= TCP_PATIENCE;
}

/* Gives up gaps that are lost, or if the queue is full. */
static void skip_lost(struct tcp *tcp, struct connection *connection, struct half *half)
{
    while (half->waiting.head && (queue_is_full(tcp, half) || count_patience(half))) {
        release_first(tcp, connection, half);
        release(tcp, connection, half);
    }
}

/* Queues a copy of the bytes before `sibling`, or at the end if that is NULL. */
static void queue_before(struct tcp *tcp, struct half *half, GList *sibling, uint64_t start,
                         const struct batch *batch)
{
    struct early_bytes *waiting = g_new(struct early_bytes, 1);

    *waiting = (struct early_bytes){.start = start,
                                    .end = start + batch->size,
                                    .data = g_memdup2(batch->data, batch->size),
                                    .number = batch->number,
                                    .time = batch->time};
    g_queue_insert_before(&half->waiting, sibling, waiting);
    half->waiting_bytes += batch->size;
    tcp->waiting += batch->size;
}

static void skip(struct batch *batch, uint64_t *start, uint64_t count)
{
    *start += count;
    batch->data += count;
    batch->size -= (uint32_t)count;
}

/* Queues those of the bytes that are not queued yet. */
static void queue_bytes(struct tcp *tcp, struct half *half, uint64_t start, struct batch *batch)
{
    for (GList *link = half->waiting.head; link && batch->size; link = link->next) {
        const struct early_bytes *other = link->data;

        if (start < other->start) {
            struct batch part = *batch;

            part.size = (uint32_t)MIN(batch->size, other->start - start);
            queue_before(tcp, half, link, start, &part);
            skip(batch, &start, part.size);
        }
        if (start < other->end) {
            const uint64_t same = MIN(batch->size, other->end - start);

            tcp->counts.repeated += same;
            skip(batch, &start, same);
        }
    }
    if (batch->size)
        queue_before(tcp, half, NULL, start, batch);
}

/* --- One segment ----------------------------------------------------------------------------- */

static bool read_header(const struct qs_packet *packet, struct segment *segment)
{
    const uint8_t *header = packet->data;
    uint32_t size;

    segment->payload = *packet;
    if (packet->size < TCP_HEADER)
        return false;
    segment->sequence = qs_be32(header + 4);
    segment->acknowledged = qs_be32(header + 8);
    segment->flags = header[13];
    size = (header[12] >> 4) * 4u;
    return size >= TCP_HEADER && packet_skip(&segment->payload, size);
}

/* Returns the stream position of a sequence number; 0 if it precedes the stream. */
static uint64_t position_of(const struct half *half, uint32_t sequence)
{
    const int64_t location = (int64_t)half->position + (int32_t)(sequence - half->sequence);

    return location > 0 ? (uint64_t)location : 0;
}

static void begin_half(struct half *half, uint32_t sequence)
{
    half->known = true;
    half->sequence = sequence;
}

/* Begins the streams at the handshake's sequence numbers, or else with their first bytes. */
static void find_beginnings(struct half *half, struct half *other, const struct segment *segment)
{
    const bool syn = segment->flags & FLAG_SYN;

    if (!half->known && (syn || segment->payload.size))
        begin_half(half, segment->sequence + syn);
    if (!other->known && syn && segment->flags & FLAG_ACK)
        begin_half(other, segment->acknowledged);
}

static void add_bytes(struct tcp *tcp, struct connection *connection, struct half *half,
                      const struct segment *segment)
{
    struct batch batch = {.data = segment->payload.data,
                          .size = segment->payload.size,
                          .number = tcp->number,
                          .time = half->time};
    const uint32_t sequence = segment->sequence + (segment->flags & FLAG_SYN ? 1 : 0);
    const int32_t ahead = (int32_t)(sequence - half->sequence);
    const uint32_t same = ahead < 0 ? (uint32_t)MIN(batch.size, -(int64_t)ahead) : 0;
    uint64_t start = half->position - same + (ahead > 0 ? (uint32_t)ahead : 0);

    half->cut |= qs_packet_is_cut(&segment->payload);
    tcp->counts.repeated += same;
    skip(&batch, &start, same);
    if (!batch.size)
        return;
    tcp->counts.reordered += ahead > 0;
    if (ahead <= 0 && (!half->waiting.head || first_waiting(half) >= start + batch.size))
        deliver(tcp, connection, half, &batch);
    else
        queue_bytes(tcp, half, start, &batch);
    release(tcp, connection, half);
}

static void update_acknowledged(struct half *half, const struct segment *segment)
{
    if (!half->known || !(segment->flags & FLAG_ACK))
        return;
    half->acknowledged = MAX(half->acknowledged, position_of(half, segment->acknowledged));
}

static void update_end(struct half *half, const struct segment *segment)
{
    if (!half->known || !(segment->flags & FLAG_FIN))
        return;
    half->finished = true;
    half->end = position_of(half, segment->sequence + segment->payload.wire_size);
}

/* --- Connections ----------------------------------------------------------------------------- */

/* Reports bytes at the stream's end that the capture lacks. */
static void deliver_end(struct tcp *tcp, struct connection *connection, struct half *half)
{
    const uint64_t end = half->finished ? half->end : half->acknowledged;
    const struct batch batch = {
        .missing = end > half->position ? (uint32_t)MIN(end - half->position, UINT32_MAX) : 0,
        .number = tcp->number,
        .time = half->time};

    /* An acknowledged FIN that was not captured counts as one byte. */
    if (half->finished || batch.missing > 1)
        deliver(tcp, connection, half, &batch);
}

/* Ends both streams, after delivering what is queued. */
static void finish(struct tcp *tcp, struct connection *connection)
{
    if (connection->closed)
        return;
    for (int i = 0; i < 2; i++) {
        struct half *half = &connection->halves[i];

        while (half->waiting.head)
            release_first(tcp, connection, half);
        deliver_end(tcp, connection, half);
    }
    connection->closed = true;
    if (!connection->outside.ignored)
        tcp->receive(tcp->user, &connection->outside, NULL);
}

static void connection_over(struct qs_flow *flow, void *user)
{
    struct tcp *tcp = user;
    struct connection *connection = (struct connection *)flow;

    finish(tcp, connection);
    g_free(connection);
}

static struct connection *connection_new(struct tcp *tcp, const struct qs_packet *packet)
{
    struct connection *connection = g_new0(struct connection, 1);

    for (int i = 0; i < 2; i++)
        g_queue_init(&connection->halves[i].waiting);
    connection->halves[QS_END_A].source = connection->halves[QS_END_B].destination = packet->source;
    connection->halves[QS_END_A].destination = connection->halves[QS_END_B].source =
        packet->destination;
    qs_flow_add(tcp->flows, &connection->flow, &packet->source, &packet->destination, packet->time);
    return connection;
}

/* True if a client connects again from the same port. */
static bool is_reconnect(const struct connection *connection, const struct segment *segment)
{
    if (!(segment->flags & FLAG_SYN) || segment->flags & FLAG_ACK)
        return false;
    return connection->closed || !connection->begun || connection->begin != segment->sequence;
}

/* Returns NULL if the connection is closed or ignored. Creates it if it is new. */
static struct connection *find_connection(struct tcp *tcp, struct qs_packet *packet,
                                          const struct segment *segment)
{
    struct connection *connection = (struct connection *)qs_flow_find(tcp->flows, packet);

    if (connection && is_reconnect(connection, segment)) {
        qs_flow_end(tcp->flows, &connection->flow);
        connection = NULL;
    }
    if (!connection) {
        packet->from = QS_END_A;
        connection = connection_new(tcp, packet);
    }
    if (segment->flags & FLAG_SYN && !(segment->flags & FLAG_ACK)) {
        connection->begun = true;
        connection->begin = segment->sequence;
    }
    return connection->closed ? NULL : connection;
}

static bool is_complete(const struct half *half)
{
    return half->finished && half->position >= half->end;
}

static void process_segment(struct tcp *tcp, struct connection *connection,
                            const struct segment *segment, const struct qs_packet *packet)
{
    struct half *half = &connection->halves[packet->from];
    struct half *other = &connection->halves[qs_other_end(packet->from)];

    half->time = packet->time;
    find_beginnings(half, other, segment);
    if (half->known)
        add_bytes(tcp, connection, half, segment);
    update_end(half, segment);
    update_acknowledged(other, segment);
    skip_lost(tcp, connection, half);
    skip_lost(tcp, connection, other);
    if (segment->flags & FLAG_RST || connection->outside.ignored ||
        (is_complete(half) && is_complete(other)))
        finish(tcp, connection);
}

/* --- Interface ----------------------------------------------------------------------------- */

struct tcp *tcp_new(int64_t idle, tcp_receiver *receive, void *user)
{
    struct tcp *tcp = g_new0(struct tcp, 1);

    tcp->idle = idle;
    tcp->receive = receive;
    tcp->user = user;
    tcp->flows = qs_flow_table_new(idle, connection_over, tcp);
    return tcp;
}

static void ignore(void *user, struct tcp_connection *connection, const struct qs_packet *packet)
{
    (void)user;
    (void)connection;
    (void)packet;
}

void tcp_free(struct tcp *tcp)
{
    tcp->receive = ignore;
    qs_flow_table_free(tcp->flows);
    g_free(tcp);
}

void tcp_add_segment(struct tcp *tcp, const struct qs_packet *segment)
{
    struct qs_packet packet = *segment;
    struct connection *connection;
    struct segment header;

    /* A pause of all connections ends none: the clock may have been set. */
    if (tcp->time && packet.time - tcp->time >= QS_FLOW_IDLE)
        qs_flow_table_shift(tcp->flows, packet.time - tcp->time);
    tcp->number = packet.number;
    tcp->frame = packet.frame;
    tcp->time = packet.time;
    tcp->file = packet.file;
    if (!read_header(segment, &header))
        return;
    tcp->counts.segments++;
    connection = find_connection(tcp, &packet, &header);
    if (connection)
        process_segment(tcp, connection, &header, &packet);
}

void tcp_end(struct tcp *tcp, uint64_t number)
{
    tcp->number = number;
    qs_flow_table_free(tcp->flows);
    tcp->flows = qs_flow_table_new(tcp->idle, connection_over, tcp);
}

void tcp_expire(struct tcp *tcp, int64_t now)
{
    qs_flow_table_expire(tcp->flows, now);
}

const struct tcp_counts *tcp_counts(const struct tcp *tcp)
{
    return &tcp->counts;
}
