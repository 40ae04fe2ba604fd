/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/flow.h"

#include "common/core/reader.h"
#include "common/netchan/seqinfo.h"

struct qport_key {
    struct qs_address server, client; /* the client has no port; it is zeroed if any host fits */
    uint32_t qport;
};

struct qs_qport {
    struct qport_key keys[2]; /* for any host, and for the same host */
    void *owner;
    struct host *host;
    GList link; /* in host->qports */
};

/* The qports of one client's host at one server. */
struct host {
    struct qport_key key; /* with qport 0 */
    GQueue qports;
};

struct qs_qports {
    GHashTable *by_key, *by_host;
};

enum { HOST_MAX = 16 /* maximum number of a host's clients that are tried */ };

static guint key_hash(gconstpointer data)
{
    const struct qport_key *key = data;

    return qs_hash_number((uint64_t)qs_address_hash(&key->server) << 32 |
                          qs_address_hash(&key->client)) +
           qs_hash_number(key->qport);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const struct qport_key *x = a, *y = b;

    return x->qport == y->qport && qs_address_equal(&x->server, &y->server) &&
           qs_address_equal(&x->client, &y->client);
}

static struct qport_key key_of(const struct qs_address *server, const struct qs_address *client,
                               uint32_t qport, bool same_host)
{
    struct qport_key key = {.server = *server, .qport = qport};

    if (same_host) {
        key.client = *client;
        key.client.port = 0;
    }
    return key;
}

struct qs_qports *qs_qports_new(void)
{
    struct qs_qports *qports = g_new(struct qs_qports, 1);

    qports->by_key = g_hash_table_new(key_hash, key_equal);
    qports->by_host = g_hash_table_new_full(key_hash, key_equal, NULL, g_free);
    return qports;
}

void qs_qports_free(struct qs_qports *qports)
{
    g_hash_table_destroy(qports->by_key);
    g_hash_table_destroy(qports->by_host);
    g_free(qports);
}

static struct host *host_of(struct qs_qports *qports, const struct qs_address *server,
                            const struct qs_address *client)
{
    const struct qport_key key = key_of(server, client, 0, true);
    struct host *host = g_hash_table_lookup(qports->by_host, &key);

    if (host)
        return host;
    host = g_new0(struct host, 1);
    host->key = key;
    g_hash_table_insert(qports->by_host, &host->key, host);
    return host;
}

struct qs_qport *qs_qports_add(struct qs_qports *qports, const struct qs_address *server,
                               const struct qs_address *client, uint32_t value, void *owner)
{
    struct qs_qport *qport = g_new0(struct qs_qport, 1);

    qport->owner = owner;
    qport->link.data = qport;
    qport->host = host_of(qports, server, client);
    g_queue_push_head_link(&qport->host->qports, &qport->link);
    for (int same_host = 0; same_host <= 1; same_host++) {
        qport->keys[same_host] = key_of(server, client, value, same_host);
        g_hash_table_replace(qports->by_key, &qport->keys[same_host], qport);
    }
    return qport;
}

void qs_qports_remove(struct qs_qports *qports, struct qs_qport *qport)
{
    if (!qport)
        return;
    for (int same_host = 0; same_host <= 1; same_host++)
        if (g_hash_table_lookup(qports->by_key, &qport->keys[same_host]) == qport)
            g_hash_table_remove(qports->by_key, &qport->keys[same_host]);
    g_queue_unlink(&qport->host->qports, &qport->link);
    if (!qport->host->qports.length)
        g_hash_table_remove(qports->by_host, &qport->host->key);
    g_free(qport);
}

uint32_t qs_qport_of(const struct qs_packet *packet, unsigned width)
{
    const uint8_t *at = packet->data + QS_QPORT_END - 2;

    return qs_seqinfo_qport(width, width == 1 ? *at : qs_le16(at));
}

void *qs_qports_find(struct qs_qports *qports, const struct qs_packet *packet,
                     bool (*continues)(void *owner, const struct qs_packet *packet, bool same_host))
{
    if (packet->size < QS_QPORT_END || !g_hash_table_size(qports->by_key))
        return NULL;
    for (unsigned width = 2; width; width--) {
        const uint32_t value = qs_qport_of(packet, width);

        for (int same_host = 1; same_host >= 0; same_host--) {
            const struct qport_key key =
                key_of(&packet->destination, &packet->source, value, same_host);
            const struct qs_qport *qport = g_hash_table_lookup(qports->by_key, &key);

            if (qport && continues(qport->owner, packet, same_host))
                return qport->owner;
        }
    }
    return NULL;
}

void *qs_qports_find_host(struct qs_qports *qports, const struct qs_address *server,
                          const struct qs_address *client, const struct qs_packet *packet,
                          bool (*continues)(void *owner, const struct qs_packet *packet,
                                            bool same_host))
{
    const struct qport_key key = key_of(server, client, 0, true);
    const struct host *host = g_hash_table_lookup(qports->by_host, &key);
    unsigned asked = 0;

    for (const GList *link = host ? host->qports.head : NULL; link && asked < HOST_MAX;
         link = link->next, asked++) {
        const struct qs_qport *qport = link->data;

        if (continues(qport->owner, packet, true))
            return qport->owner;
    }
    return NULL;
}

bool qs_session_continues(const struct qs_protocol *protocol, const struct qs_session *session,
                          const struct qs_packet *packet, uint32_t qport, bool same_host)
{
    enum { LATE_MAX = 64, AHEAD_MAX = 2048, AHEAD_MAX_BYTE = 64 /* one-byte qports are few */ };
    struct qs_packet sent = *packet;
    struct qs_seqinfo seqinfo;
    int64_t ahead;

    sent.from = qs_other_end(session->server);
    if (session->server == QS_END_UNKNOWN || session->disconnected || !session->to_server.started ||
        !protocol->seqinfo(session, &sent, &seqinfo) || seqinfo.qport != qport)
        return false;
    ahead = (int64_t)(seqinfo.number >> QS_SEQINFO_SHIFT) - session->to_server.sequence;
    return ahead > (same_host ? -LATE_MAX : 0) &&
           ahead <= (qport >= qs_seqinfo_qport(2, 0) ? AHEAD_MAX : AHEAD_MAX_BYTE);
}
