/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/ip.h"

#include <glib.h>
#include <pcap/dlt.h>
#include <string.h>

#include "common/core/reader.h"
#include "pcap2demo/capture/link.h"

enum {
    NO_PROTOCOL = -1, /* the packet cannot be read, or is incomplete */
    PROTOCOL_HOP_BY_HOP = 0,
    PROTOCOL_IPV4 = 4,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_IPV6 = 41,
    PROTOCOL_ROUTING = 43,
    PROTOCOL_FRAGMENT = 44,
    PROTOCOL_GRE = 47,
    PROTOCOL_AUTHENTICATION = 51,
    PROTOCOL_DESTINATION = 60,
    PROTOCOL_MOBILITY = 135,

    IPV4_HEADER = 20,
    IPV4_MORE_FRAGMENTS = 0x2000,
    IPV4_OFFSET_MASK = 0x1fff,
    IPV6_HEADER = 40,
    IPV6_FRAGMENT_HEADER = 8,
    IPV6_OFFSET_MASK = 0xfff8,
    IPV6_EXTENSIONS_MAX = 16,
    UDP_HEADER = 8,
    NESTED_MAX = 8, /* maximum depth of IP packets in IP packets */

    DATAGRAM_MAX = 65535,
    BLOCK = 8, /* fragment offsets are multiples of this */
    BLOCKS_MAX = (DATAGRAM_MAX + BLOCK) / BLOCK,
    DATAGRAM_ROOM = BLOCKS_MAX * BLOCK
};

/* Identity of a datagram that all of its fragments share. Compared as bytes: it has no padding. */
struct fragment_key {
    uint8_t family;
    uint8_t protocol; /* 0 in IPv6 */
    uint8_t source[16], destination[16];
    uint8_t id[4];
};

struct fragment {
    const uint8_t *id;
    uint32_t id_size, offset;
    bool more;
};

struct datagram {
    struct fragment_key key;
    GList link; /* link in `by_age` */
    int64_t started;
    bool contradictory;  /* fragments contradict each other: it is not reassembled */
    uint32_t total;      /* size; 0 until the last fragment arrives */
    uint32_t reach;      /* farthest end of a fragment */
    uint32_t cut;        /* offset from which on bytes were not captured */
    uint32_t blocks;     /* number of bits set in `have` */
    uint8_t next_header; /* protocol in the fragment at offset 0 */
    uint8_t *data;       /* DATAGRAM_ROOM bytes */
    GArray *fragments;   /* uint64_t: qs_packet.frame of each */
    uint8_t have[(BLOCKS_MAX + 7) / 8];
};

struct ip {
    GHashTable *datagrams; /* struct datagram by key */
    GQueue by_age;
    uint8_t *whole;           /* bytes of the last datagram returned */
    GArray *fragments;        /* uint64_t: qs_packet.frame of its fragments */
    struct fragment_key last; /* key of the last datagram made whole, and the frame that did so */
    uint64_t last_frame;
    uint64_t repeated; /* see ip_repeated() */
    struct ip_counts counts;
};

static bool read_udp(struct qs_packet *packet)
{
    const uint8_t *header = packet->data;
    uint16_t length;

    if (packet->size < UDP_HEADER)
        return false;
    packet->source.port = qs_be16(header);
    packet->destination.port = qs_be16(header + 2);
    length = qs_be16(header + 4);
    if (length ? length < UDP_HEADER : packet->wire_size > UINT16_MAX)
        return false;
    /* The length is 0 with segmentation offload; otherwise padding may follow the datagram. */
    if (length) {
        packet_limit(packet, length);
        packet->wire_size = length;
    }
    return packet_skip(packet, UDP_HEADER);
}

/* --- Reassembly ------------------------------------------------------------------------------ */

static guint key_hash(gconstpointer data)
{
    return (guint)qs_view_hash((struct qs_view){data, sizeof(struct fragment_key)});
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(struct fragment_key)) == 0;
}

static void datagram_free(gpointer data)
{
    struct datagram *datagram = data;

    g_array_free(datagram->fragments, TRUE);
    g_free(datagram->data);
    g_free(datagram);
}

struct ip *ip_new(void)
{
    struct ip *ip = g_new0(struct ip, 1);

    ip->datagrams = g_hash_table_new_full(key_hash, key_equal, NULL, datagram_free);
    g_queue_init(&ip->by_age);
    ip->fragments = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    return ip;
}

void ip_free(struct ip *ip)
{
    g_hash_table_destroy(ip->datagrams);
    g_array_free(ip->fragments, TRUE);
    g_free(ip->whole);
    g_free(ip);
}

const struct ip_counts *ip_counts(const struct ip *ip)
{
    return &ip->counts;
}

const GArray *ip_fragments(const struct ip *ip)
{
    return ip->fragments;
}

uint64_t ip_repeated(const struct ip *ip)
{
    return ip->repeated;
}

static void forget(struct ip *ip, struct datagram *datagram)
{
    g_queue_unlink(&ip->by_age, &datagram->link);
    g_hash_table_remove(ip->datagrams, &datagram->key);
}

static void drop_oldest(struct ip *ip)
{
    struct datagram *oldest = ip->by_age.head->data;

    if (!oldest->contradictory)
        ip->counts.incomplete++;
    forget(ip, oldest);
}

static void drop_old(struct ip *ip, int64_t now)
{
    while (ip->by_age.head) {
        const struct datagram *oldest = ip->by_age.head->data;

        if (now - oldest->started < IP_TIMEOUT)
            break;
        drop_oldest(ip);
    }
}

void ip_end(struct ip *ip)
{
    while (ip->by_age.head)
        drop_oldest(ip);
}

static struct fragment_key key_of(const struct qs_packet *packet, const struct fragment *fragment,
                                  uint8_t protocol)
{
    struct fragment_key key;

    memset(&key, 0, sizeof key);
    key.family = packet->source.family;
    if (key.family == 4)
        key.protocol = protocol;
    memcpy(key.source, packet->source.bytes, sizeof key.source);
    memcpy(key.destination, packet->destination.bytes, sizeof key.destination);
    memcpy(key.id, fragment->id, fragment->id_size);
    return key;
}

static struct datagram *find_datagram(struct ip *ip, const struct fragment_key *key, int64_t now)
{
    struct datagram *datagram = g_hash_table_lookup(ip->datagrams, key);

    if (datagram)
        return datagram;
    if (ip->by_age.length == IP_DATAGRAMS_MAX)
        drop_oldest(ip);
    datagram = g_new0(struct datagram, 1);
    datagram->key = *key;
    datagram->link.data = datagram;
    datagram->started = now;
    datagram->cut = UINT32_MAX;
    datagram->data = g_malloc(DATAGRAM_ROOM);
    datagram->fragments = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_queue_push_tail_link(&ip->by_age, &datagram->link);
    g_hash_table_insert(ip->datagrams, &datagram->key, datagram);
    return datagram;
}

static bool has_block(const struct datagram *datagram, uint32_t block)
{
    return datagram->have[block / 8] >> (block % 8) & 1;
}

/* Adds the `size` captured bytes of one block. False if other bytes were there before. */
static bool add_block(struct datagram *datagram, uint32_t block, const uint8_t *data, uint32_t size)
{
    uint8_t *location = datagram->data + block * BLOCK;

    if (has_block(datagram, block))
        return (block + 1) * BLOCK > datagram->cut || memcmp(location, data, size) == 0;
    memcpy(location, data, size);
    datagram->have[block / 8] |= (uint8_t)(1u << (block % 8));
    datagram->blocks++;
    return true;
}

/* False if the fragment contradicts the others about the datagram's end. */
static bool agree_on_end(struct datagram *datagram, const struct fragment *fragment, uint32_t end)
{
    if (end > datagram->reach)
        datagram->reach = end;
    if (fragment->more) {
        if (end % BLOCK)
            return false;
    } else {
        if (datagram->total && datagram->total != end)
            return false;
        datagram->total = end;
    }
    return !datagram->total || datagram->reach <= datagram->total;
}

/* Adds a fragment. False if it contradicts earlier ones. */
static bool add_fragment(struct datagram *datagram, const struct fragment *fragment,
                         const struct qs_packet *bytes)
{
    const uint32_t end = fragment->offset + bytes->wire_size;

    if (!bytes->wire_size || end > DATAGRAM_MAX || !agree_on_end(datagram, fragment, end))
        return false;
    if (bytes->size < bytes->wire_size)
        datagram->cut = MIN(datagram->cut, fragment->offset + bytes->size);
    for (uint32_t at = 0; at < bytes->wire_size; at += BLOCK) {
        const uint32_t captured = at < bytes->size ? MIN(BLOCK, bytes->size - at) : 0;

        if (!add_block(datagram, (fragment->offset + at) / BLOCK, bytes->data + at, captured))
            return false;
    }
    return true;
}

/* Sets `packet` to the complete datagram, and frees its record. */
static void deliver_datagram(struct ip *ip, struct datagram *datagram, struct qs_packet *packet)
{
    packet->size = MIN(datagram->total, datagram->cut);
    packet->wire_size = datagram->total;
    ip->counts.reassembled++;
    ip->last = datagram->key;
    ip->last_frame = packet->frame;
    g_free(ip->whole);
    packet->data = ip->whole = g_steal_pointer(&datagram->data);
    g_array_append_vals(ip->fragments, datagram->fragments->data, datagram->fragments->len);
    forget(ip, datagram);
}

/* Adds a fragment to its datagram. If that is complete, sets `packet` to it and returns its
 * protocol; else returns NO_PROTOCOL. */
static int reassemble(struct ip *ip, struct fragment fragment, struct qs_packet *packet,
                      uint8_t protocol)
{
    const struct fragment_key key = key_of(packet, &fragment, protocol);
    struct datagram *datagram;

    ip->counts.fragments++;
    ip->repeated = key_equal(&key, &ip->last) ? ip->last_frame : 0;
    drop_old(ip, packet->time);
    datagram = find_datagram(ip, &key, packet->time);
    if (datagram->contradictory)
        return NO_PROTOCOL;
    if (fragment.offset == 0)
        datagram->next_header = protocol;
    if (!add_fragment(datagram, &fragment, packet)) {
        ip->counts.contradictory++;
        datagram->contradictory = true;
        g_clear_pointer(&datagram->data, g_free);
        return NO_PROTOCOL;
    }
    if (!datagram->total || datagram->blocks != (datagram->total + BLOCK - 1) / BLOCK) {
        if (datagram->fragments->len < BLOCKS_MAX)
            g_array_append_val(datagram->fragments, packet->frame);
        /* If a fragment came in fragments of a tunnel, those count as well. */
        if (ip->fragments->len && datagram->fragments->len + ip->fragments->len < BLOCKS_MAX)
            g_array_append_vals(datagram->fragments, ip->fragments->data, ip->fragments->len);
        return NO_PROTOCOL;
    }
    protocol = datagram->next_header;
    deliver_datagram(ip, datagram, packet);
    return protocol;
}

/* --- IPv4 ------------------------------------------------------------------------------------ */

static bool is_read(uint8_t protocol)
{
    return protocol == PROTOCOL_UDP || protocol == PROTOCOL_TCP || protocol == PROTOCOL_GRE ||
           protocol == PROTOCOL_IPV4 || protocol == PROTOCOL_IPV6;
}

static int read_ipv4(struct ip *ip, struct qs_packet *packet)
{
    const uint8_t *header = packet->data;
    uint32_t header_size, total;
    uint16_t flags;

    if (packet->size < IPV4_HEADER)
        return NO_PROTOCOL;
    header_size = (header[0] & 15u) * 4;
    total = qs_be16(header + 2);
    /* The length is 0 with segmentation offload. */
    if (total)
        packet_limit(packet, total);
    if (header_size < IPV4_HEADER || !packet_skip(packet, header_size) || !is_read(header[9]))
        return NO_PROTOCOL;
    packet->source.family = packet->destination.family = 4;
    memcpy(packet->source.bytes, header + 12, 4);
    memcpy(packet->destination.bytes, header + 16, 4);
    packet->ip_id = qs_be16(header + 4);
    flags = qs_be16(header + 6);
    if (flags & (IPV4_MORE_FRAGMENTS | IPV4_OFFSET_MASK)) {
        const struct fragment fragment = {.id = header + 4,
                                          .id_size = 2,
                                          .offset = (flags & IPV4_OFFSET_MASK) * 8u,
                                          .more = flags & IPV4_MORE_FRAGMENTS};

        return reassemble(ip, fragment, packet, header[9]);
    }
    return header[9];
}

/* --- IPv6 ------------------------------------------------------------------------------------ */

/* The following functions return the protocol of the packet's rest, or NO_PROTOCOL. */

/* Skips an extension header: 8 bytes, and `unit` times its length field. */
static int skip_extension(struct qs_packet *packet, uint32_t unit)
{
    const uint8_t *header = packet->data;

    return packet->size >= 2 && packet_skip(packet, header[1] * unit + 8) ? header[0] : NO_PROTOCOL;
}

static int read_fragment_header(struct ip *ip, struct qs_packet *packet)
{
    const uint8_t *header = packet->data;
    struct fragment fragment;
    uint16_t word;

    if (!packet_skip(packet, IPV6_FRAGMENT_HEADER))
        return NO_PROTOCOL;
    word = qs_be16(header + 2);
    fragment = (struct fragment){
        .id = header + 4, .id_size = 4, .offset = word & IPV6_OFFSET_MASK, .more = word & 1};
    /* An atomic fragment is the whole datagram. */
    if (!fragment.offset && !fragment.more)
        return header[0];
    return reassemble(ip, fragment, packet, header[0]);
}

/* Skips extension headers. */
static int read_extensions(struct ip *ip, struct qs_packet *packet, int protocol)
{
    for (unsigned i = 0; i < IPV6_EXTENSIONS_MAX; i++)
        switch (protocol) {
        case PROTOCOL_HOP_BY_HOP:
        case PROTOCOL_ROUTING:
        case PROTOCOL_DESTINATION:
        case PROTOCOL_MOBILITY:
            protocol = skip_extension(packet, 8);
            break;
        case PROTOCOL_AUTHENTICATION:
            protocol = skip_extension(packet, 4);
            break;
        case PROTOCOL_FRAGMENT:
            protocol = read_fragment_header(ip, packet);
            break;
        default:
            return protocol;
        }
    return NO_PROTOCOL;
}

static int read_ipv6(struct ip *ip, struct qs_packet *packet)
{
    const uint8_t *header = packet->data;
    uint16_t length;

    if (!packet_skip(packet, IPV6_HEADER))
        return NO_PROTOCOL;
    length = qs_be16(header + 4);
    if (length)
        packet_limit(packet, length);
    packet->source.family = packet->destination.family = 6;
    memcpy(packet->source.bytes, header + 8, 16);
    memcpy(packet->destination.bytes, header + 24, 16);
    return read_extensions(ip, packet, header[6]);
}

/* Reads the ports, unless the segment is cut before them. */
static void read_tcp(struct qs_packet *packet)
{
    enum { PORTS = 4 };

    if (packet->size < PORTS)
        return;
    packet->source.port = qs_be16(packet->data);
    packet->destination.port = qs_be16(packet->data + 2);
}

/* If the datagram is of a VXLAN tunnel, sets `packet` to the IP packet in it and returns true. */
static bool leave_vxlan(struct qs_packet *packet)
{
    struct qs_packet inner = *packet;
    const bool good = packet->destination.port == TUNNEL_VXLAN_PORT && tunnel_read_vxlan(&inner);

    if (good)
        *packet = inner;
    return good;
}

/* Reads one IP packet. If it contains another one, sets `packet` to that and returns true. */
static bool read_packet(struct ip *ip, struct qs_packet *packet, enum ip_found *found)
{
    const bool is_ipv6 = packet->size && packet->data[0] >> 4 == 6;

    *found = IP_NOTHING;
    switch (is_ipv6 ? read_ipv6(ip, packet) : read_ipv4(ip, packet)) {
    case PROTOCOL_UDP:
        if (!read_udp(packet))
            return false;
        *found = IP_UDP;
        return leave_vxlan(packet);
    case PROTOCOL_TCP:
        read_tcp(packet);
        *found = IP_TCP;
        return false;
    case PROTOCOL_GRE:
        return tunnel_read_gre(packet);
    case PROTOCOL_IPV4:
    case PROTOCOL_IPV6:
        return link_find(DLT_RAW)(packet);
    default:
        return false;
    }
}

enum ip_found ip_read(struct ip *ip, struct qs_packet *packet)
{
    enum ip_found found;

    ip->repeated = 0;
    if (ip->fragments->len)
        g_array_set_size(ip->fragments, 0);
    for (unsigned i = 0; read_packet(ip, packet, &found); i++) {
        if (i == NESTED_MAX)
            return IP_NOTHING;
        packet->source = packet->destination = (struct qs_address){0};
    }
    return found;
}

enum ip_found ip_read_frame(struct ip *ip, const struct input_frame *frame,
                            struct qs_packet *packet)
{
    link_reader *link = link_find(frame->link_type);

    *packet = frame->packet;
    return link && link(packet) ? ip_read(ip, packet) : IP_NOTHING;
}
