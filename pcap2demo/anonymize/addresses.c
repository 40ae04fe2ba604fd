/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/addresses.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "common/core/packet.h"

enum { IPV4_TEXT_MIN = 7 };

/* A range of addresses whose texts have the same length. */
static const struct range {
    uint8_t network[3];
    uint8_t first, last;
    unsigned length; /* of the text */
} ranges[] = {
    {{192, 0, 2}, 1, 9, 9},        {{192, 0, 2}, 10, 99, 10},    {{192, 0, 2}, 100, 254, 11},
    {{203, 0, 113}, 1, 9, 11},     {{203, 0, 113}, 10, 99, 12},  {{198, 51, 100}, 1, 9, 12},
    {{203, 0, 113}, 100, 254, 13}, {{198, 51, 100}, 10, 99, 13}, {{198, 51, 100}, 100, 254, 14},
};

/* The replacement of an address. */
struct replacement {
    struct qs_address address; /* without a port */
    unsigned index;            /* number among those of its family */
    char original[INET6_ADDRSTRLEN];
};

struct addresses {
    GHashTable *replacements; /* by struct qs_address without a port */
    GPtrArray *ipv6;          /* struct replacement: the IPv6 ones */
    unsigned used[G_N_ELEMENTS(ranges)];
    unsigned count, others; /* of IPv4; beyond the ranges */
};

static guint address_hash(gconstpointer address)
{
    return qs_address_hash(address);
}

static gboolean address_equal(gconstpointer a, gconstpointer b)
{
    return qs_address_equal(a, b);
}

struct addresses *addresses_new(void)
{
    struct addresses *addresses = g_new0(struct addresses, 1);

    addresses->replacements = g_hash_table_new_full(address_hash, address_equal, g_free, g_free);
    addresses->ipv6 = g_ptr_array_new();
    return addresses;
}

void addresses_free(struct addresses *addresses)
{
    g_ptr_array_free(addresses->ipv6, TRUE);
    g_hash_table_destroy(addresses->replacements);
    g_free(addresses);
}

unsigned addresses_count(const struct addresses *addresses)
{
    return g_hash_table_size(addresses->replacements);
}

/* --- Choosing -------------------------------------------------------------------------------- */

static bool has_room(const struct addresses *addresses, size_t range)
{
    return ranges[range].first + addresses->used[range] <= ranges[range].last;
}

/* The range whose texts are closest to this length, not longer if possible. */
static size_t choose_range(const struct addresses *addresses, unsigned length)
{
    size_t best = G_N_ELEMENTS(ranges);

    for (size_t i = 0; i < G_N_ELEMENTS(ranges); i++) {
        if (!has_room(addresses, i))
            continue;
        if (ranges[i].length == length)
            return i;
        if (best == G_N_ELEMENTS(ranges) || ranges[i].length < length)
            best = i;
    }
    return best;
}

static void choose_ipv4(struct addresses *addresses, struct replacement *replacement)
{
    const size_t range = choose_range(addresses, (unsigned)strlen(replacement->original));
    uint8_t *bytes = replacement->address.bytes;

    replacement->index = ++addresses->count;
    if (range < G_N_ELEMENTS(ranges)) {
        memcpy(bytes, ranges[range].network, 3);
        bytes[3] = (uint8_t)(ranges[range].first + addresses->used[range]++);
        return;
    }
    addresses->others++;
    bytes[0] = 198;
    bytes[1] = (uint8_t)(18 + (addresses->others >> 16) % 2);
    bytes[2] = (uint8_t)(addresses->others >> 8);
    bytes[3] = (uint8_t)addresses->others;
}

static void choose_ipv6(struct addresses *addresses, struct replacement *replacement)
{
    static const uint8_t network[] = {0x20, 0x01, 0x0d, 0xb8};

    replacement->index = addresses->ipv6->len + 1;
    memcpy(replacement->address.bytes, network, sizeof network);
    for (unsigned i = 0; i < 4; i++)
        replacement->address.bytes[15 - i] = (uint8_t)(replacement->index >> 8 * i);
    g_ptr_array_add(addresses->ipv6, replacement);
}

static const struct replacement *replacement_of(struct addresses *addresses,
                                                const struct qs_address *address)
{
    struct qs_address key = {.family = address->family};
    struct replacement *replacement;

    memcpy(key.bytes, address->bytes, address->family == 6 ? 16 : 4);
    replacement = g_hash_table_lookup(addresses->replacements, &key);
    if (replacement)
        return replacement;
    replacement = g_new0(struct replacement, 1);
    replacement->address.family = key.family;
    inet_ntop(key.family == 6 ? AF_INET6 : AF_INET, key.bytes, replacement->original,
              sizeof replacement->original);
    if (key.family == 6)
        choose_ipv6(addresses, replacement);
    else
        choose_ipv4(addresses, replacement);
    g_hash_table_insert(addresses->replacements, g_memdup2(&key, sizeof key), replacement);
    return replacement;
}

/* The unspecified addresses, and IPv4's broadcast address. */
static bool is_unspecified(const struct qs_address *address)
{
    static const uint8_t none[16], all[] = {255, 255, 255, 255};

    return !address->family || memcmp(address->bytes, none, address->family == 6 ? 16 : 4) == 0 ||
           (address->family == 4 && memcmp(address->bytes, all, 4) == 0);
}

struct qs_address addresses_replace(struct addresses *addresses, const struct qs_address *address)
{
    struct qs_address replaced;

    if (is_unspecified(address))
        return *address;
    replaced = replacement_of(addresses, address)->address;
    replaced.port = address->port;
    return replaced;
}

/* --- Texts ----------------------------------------------------------------------------------- */

/* Pads octets with leading zeros, from the last one, until the text is long enough. */
static void pad_ipv4(char *text, const uint8_t *bytes, uint32_t length)
{
    unsigned width[4], sum = 3;

    for (unsigned i = 0; i < 4; i++) {
        width[i] = bytes[i] > 99 ? 3 : bytes[i] > 9 ? 2 : 1;
        sum += width[i];
    }
    for (unsigned i = 4; i-- > 0;)
        for (; sum < length && width[i] < 3; sum++)
            width[i]++;
    snprintf(text, ADDRESS_TEXT_MAX, "%0*u.%0*u.%0*u.%0*u", (int)width[0], bytes[0], (int)width[1],
             bytes[1], (int)width[2], bytes[2], (int)width[3], bytes[3]);
}

/* Uses 0.0.0.0/8, which is not assigned: few addresses have texts of 7 or 8 characters. */
static void short_text(char *text, unsigned index, uint32_t length)
{
    enum { EACH = 250 };
    const unsigned third = length > IPV4_TEXT_MIN + 2 ? 100 : 10;
    uint8_t bytes[4] = {0};

    if (length >= IPV4_TEXT_MIN + 2) {
        bytes[2] = (uint8_t)(index / EACH % third);
        bytes[3] = (uint8_t)(index % EACH);
    } else {
        bytes[3] = (uint8_t)(index % (length == IPV4_TEXT_MIN ? 10 : 100));
    }
    pad_ipv4(text, bytes, length);
}

static void ipv4_text(char *text, const struct replacement *replacement, uint32_t length)
{
    pad_ipv4(text, replacement->address.bytes, length);
    if (strlen(text) > length)
        short_text(text, replacement->index, length);
}

/* The index in hexadecimal digits follows the network's "::". */
static void ipv6_text(char *text, const struct replacement *replacement, uint32_t length)
{
    static const char digits[] = "0123456789abcdef";
    const char *network = length < 11 ? "::" : (length - 10) % 5 ? "2001:db8::" : "2001:0db8::";
    const uint32_t start = (uint32_t)strlen(network);
    unsigned number = replacement->index;

    g_strlcpy(text, network, ADDRESS_TEXT_MAX);
    for (uint32_t at = length, place = 1; at-- > start; place++) {
        text[at] = place % 5 ? digits[number % 16] : ':';
        number = place % 5 ? number / 16 : number;
    }
    text[length] = '\0';
}

/* Reads an octet at `*at` and moves past it. */
static bool read_octet(struct qs_view bytes, uint32_t *at, uint8_t *octet)
{
    const uint32_t start = *at;
    unsigned number = 0;

    while (*at < bytes.size && *at < start + 3 && g_ascii_isdigit((char)bytes.data[*at]))
        number = number * 10 + (unsigned)(bytes.data[(*at)++] - '0');
    *octet = (uint8_t)number;
    return *at > start && number <= UINT8_MAX;
}

static bool is_digit_at(struct qs_view bytes, uint32_t at)
{
    return at < bytes.size && g_ascii_isdigit((char)bytes.data[at]);
}

static bool is_dot_at(struct qs_view bytes, uint32_t at)
{
    return at < bytes.size && bytes.data[at] == '.';
}

/* Reads four octets separated by dots, with no digits or further octets around them. */
static bool read_ipv4(struct qs_view bytes, uint32_t at, struct qs_address *address,
                      uint32_t *length)
{
    uint32_t end = at;

    if (at && (is_digit_at(bytes, at - 1) ||
               (is_dot_at(bytes, at - 1) && at > 1 && is_digit_at(bytes, at - 2))))
        return false;
    *address = (struct qs_address){.family = 4};
    for (unsigned i = 0; i < 4; i++) {
        if (i && !is_dot_at(bytes, end++))
            return false;
        if (!read_octet(bytes, &end, &address->bytes[i]))
            return false;
    }
    *length = end - at;
    return !is_digit_at(bytes, end) && !(is_dot_at(bytes, end) && is_digit_at(bytes, end + 1));
}

static const struct replacement *known_ipv6_at(const struct addresses *addresses,
                                               struct qs_view bytes, uint32_t at)
{
    for (guint i = 0; i < addresses->ipv6->len; i++) {
        const struct replacement *replacement = g_ptr_array_index(addresses->ipv6, i);
        const size_t length = strlen(replacement->original);

        if (length > 3 && bytes.size - at >= length &&
            memcmp(bytes.data + at, replacement->original, length) == 0)
            return replacement;
    }
    return NULL;
}

static bool replace_at(struct addresses *addresses, struct qs_view bytes, uint32_t at,
                       uint32_t *length, char *text)
{
    const struct replacement *ipv6 = known_ipv6_at(addresses, bytes, at);
    struct qs_address address;

    if (ipv6) {
        *length = (uint32_t)strlen(ipv6->original);
        ipv6_text(text, ipv6, *length);
        return true;
    }
    if (!is_digit_at(bytes, at) || !read_ipv4(bytes, at, &address, length) ||
        is_unspecified(&address))
        return false;
    ipv4_text(text, replacement_of(addresses, &address), *length);
    return true;
}

bool addresses_next_in(struct addresses *addresses, struct qs_view bytes, uint32_t *at,
                       uint32_t *length, char text[ADDRESS_TEXT_MAX])
{
    for (; *at < bytes.size; ++*at)
        if (replace_at(addresses, bytes, *at, length, text)) {
            *at += *length;
            return true;
        }
    return false;
}
