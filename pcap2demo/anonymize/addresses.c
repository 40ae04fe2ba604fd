/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/anonymize/pseudonyms.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "common/core/packet.h"
#include "common/core/text.h"

enum { IPV4_TEXT_MIN = 7, RANGE_SIZE = 254 };

static const uint8_t ranges[][3] = {{192, 0, 2}, {198, 51, 100}, {203, 0, 113}};

/* The replacement of an address. */
struct address_replacement {
    struct qs_address address; /* without a port */
    unsigned index;            /* number among the addresses of its family */
};

struct addresses {
    GHashTable *replacements; /* struct address_replacement, by struct qs_address without a port */
    unsigned ipv4, ipv6;
};

struct addresses *addresses_new(void)
{
    struct addresses *addresses = g_new0(struct addresses, 1);

    addresses->replacements =
        g_hash_table_new_full(qs_address_hash, qs_address_equal, g_free, g_free);
    return addresses;
}

void addresses_free(struct addresses *addresses)
{
    g_hash_table_destroy(addresses->replacements);
    g_free(addresses);
}

unsigned addresses_count(const struct addresses *addresses)
{
    return g_hash_table_size(addresses->replacements);
}

/* --- Choosing -------------------------------------------------------------------------------- */

static void choose_ipv4(uint8_t *bytes, unsigned index)
{
    if (index / RANGE_SIZE < G_N_ELEMENTS(ranges)) {
        memcpy(bytes, ranges[index / RANGE_SIZE], 3);
        bytes[3] = (uint8_t)(1 + index % RANGE_SIZE);
        return;
    }
    bytes[0] = 198;
    bytes[1] = (uint8_t)(18 + (index >> 16) % 2);
    bytes[2] = (uint8_t)(index >> 8);
    bytes[3] = (uint8_t)index;
}

static void choose_ipv6(uint8_t *bytes, unsigned index)
{
    static const uint8_t network[] = {0x20, 0x01, 0x0d, 0xb8};

    memcpy(bytes, network, sizeof network);
    for (unsigned i = 0; i < 4; i++)
        bytes[15 - i] = (uint8_t)(index >> 8 * i);
}

static const struct address_replacement *replacement_of(struct addresses *addresses,
                                                        const struct qs_address *address)
{
    struct qs_address key = {.family = address->family};
    struct address_replacement *replacement;

    memcpy(key.bytes, address->bytes, address->family == 6 ? 16 : 4);
    replacement = g_hash_table_lookup(addresses->replacements, &key);
    if (replacement)
        return replacement;
    replacement = g_new0(struct address_replacement, 1);
    replacement->address.family = key.family;
    if (key.family == 6)
        choose_ipv6(replacement->address.bytes, replacement->index = ++addresses->ipv6);
    else
        choose_ipv4(replacement->address.bytes, replacement->index = addresses->ipv4++);
    g_hash_table_insert(addresses->replacements, g_memdup2(&key, sizeof key), replacement);
    return replacement;
}

/* True for unspecified addresses, and for IPv4's broadcast address. */
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

/* --- Addresses in texts ---------------------------------------------------------------------- */

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

/* Writes an address of the unassigned 0.0.0.0/8: few others have texts of 7 or 8 characters. */
static void short_text(char *text, unsigned index, uint32_t length)
{
    enum { EACH = 250 };
    const unsigned third = length > IPV4_TEXT_MIN + 2 ? 100 : 10;
    uint8_t bytes[4] = {0};

    if (length >= IPV4_TEXT_MIN + 2) {
        bytes[2] = (uint8_t)(index / EACH % third);
        bytes[3] = (uint8_t)(index % EACH);
    } else {
        bytes[3] = (uint8_t)(1 + index % (length == IPV4_TEXT_MIN ? 9 : 99));
    }
    pad_ipv4(text, bytes, length);
}

/* Writes the index in hexadecimal digits after the network and "::", or ":" if all groups fit. */
static void ipv6_text(char *text, const struct address_replacement *replacement, uint32_t length)
{
    enum { ALL_GROUPS = 38 };
    static const char digits[] = "0123456789abcdef";
    const char *network = length >= ALL_GROUPS ? (length > ALL_GROUPS ? "2001:0db8:" : "2001:db8:")
                          : length < 8         ? "0::"
                          : length < 11        ? "::"
                          : (length - 10) % 5  ? "2001:db8::"
                                               : "2001:0db8::";
    const uint32_t start = (uint32_t)strlen(network);
    unsigned number = replacement->index;

    g_strlcpy(text, network, ADDRESS_TEXT_MAX);
    for (uint32_t at = length, place = 1; at-- > start; place++) {
        text[at] = place % 5 ? digits[number % 16] : ':';
        number = place % 5 ? number / 16 : number;
    }
    text[length] = '\0';
}

static char character(struct qs_view bytes, uint32_t at)
{
    return at < bytes.size ? uncolored(bytes.data[at]) : '\0';
}

static bool is_digit_at(struct qs_view bytes, uint32_t at)
{
    return g_ascii_isdigit(character(bytes, at));
}

/* Reads an octet at `*at` and moves past it. Returns false if there is none. */
static bool read_octet(struct qs_view bytes, uint32_t *at, uint8_t *octet)
{
    const uint32_t start = *at;
    unsigned number = 0;

    while (*at < start + 3 && is_digit_at(bytes, *at))
        number = number * 10 + (unsigned)(character(bytes, (*at)++) - '0');
    *octet = (uint8_t)number;
    return *at > start && number <= UINT8_MAX;
}

/* Reads four octets with dots, without adjacent digits or octets. Returns their length, or 0. */
static uint32_t read_ipv4(struct qs_view bytes, uint32_t at, struct qs_address *address)
{
    uint32_t end = at;

    if (at && (is_digit_at(bytes, at - 1) ||
               (character(bytes, at - 1) == '.' && at > 1 && is_digit_at(bytes, at - 2))))
        return 0;
    *address = (struct qs_address){.family = 4};
    for (unsigned i = 0; i < 4; i++)
        if ((i && character(bytes, end++) != '.') || !read_octet(bytes, &end, &address->bytes[i]))
            return 0;
    return is_digit_at(bytes, end) || (character(bytes, end) == '.' && is_digit_at(bytes, end + 1))
               ? 0
               : end - at;
}

/* Reads an IPv6 address that does not end with four octets, or 8 digits of a known IPv4 one in any
 * byte order. Returns its length. */
static uint32_t read_hexadecimal(const struct addresses *addresses, struct qs_view bytes,
                                 uint32_t at, struct qs_address *address)
{
    enum { DIGITS = 8 };
    char text[INET6_ADDRSTRLEN] = "", *end;
    const char before = at ? character(bytes, at - 1) : '\0';
    uint32_t size = 0, group = 0, number; /* `group` begins behind the last colon */

    while (size < sizeof text - 1 &&
           (g_ascii_isxdigit(character(bytes, at + size)) || character(bytes, at + size) == ':')) {
        text[size] = character(bytes, at + size);
        if (text[size++] == ':')
            group = size;
    }
    if (size > 1 && text[size - 1] == ':' && text[size - 2] != ':')
        text[--size] = '\0';
    if (size < DIGITS - 1 || g_ascii_isalnum(character(bytes, at + size)) ||
        (g_ascii_isalnum(before) && before != 'x') || read_ipv4(bytes, at + group, address))
        return 0;
    *address = (struct qs_address){.family = 6};
    if (inet_pton(AF_INET6, text, address->bytes) == 1)
        return size;
    number = (uint32_t)g_ascii_strtoull(text, &end, 16);
    *address = (struct qs_address){.family = 4};
    for (unsigned order = 0; order < 2 && size == DIGITS && !*end; order++) {
        number = GUINT32_SWAP_LE_BE(number);
        memcpy(address->bytes, &number, sizeof number);
        if (g_hash_table_contains(addresses->replacements, address))
            return size;
    }
    return 0;
}

/* Replaces a MAC address, such as 00:1b:63:84:45:e6 or with dashes, with one of those for
 * documentation (00-00-5E-00-53). Returns its length, or 0 if none begins at `at`. */
static uint32_t replace_mac(struct qs_view bytes, uint32_t at, char *text)
{
    enum { LENGTH = 17 };
    static const char network[] = "00:00:5e:00:53:";
    const char sign = character(bytes, at + 2);
    unsigned sum = 0;

    if ((sign != ':' && sign != '-') || (at && g_ascii_isxdigit(character(bytes, at - 1))))
        return 0;
    for (uint32_t i = 0; i < LENGTH; i++) {
        const char c = character(bytes, at + i);

        if (i % 3 == 2 ? c != sign : !g_ascii_isxdigit(c))
            return 0;
        if (i % 3 != 2)
            sum = sum * 31 + (unsigned)g_ascii_tolower(c);
    }
    if (character(bytes, at + LENGTH) == sign || g_ascii_isxdigit(character(bytes, at + LENGTH)))
        return 0;
    snprintf(text, ADDRESS_TEXT_MAX, "%s%02x", network, sum & 0xff);
    for (uint32_t i = 2; i < LENGTH; i += 3)
        text[i] = sign;
    return LENGTH;
}

/* Writes the replacement of the address that begins at `at`. Returns its length, or 0 for none. */
static uint32_t replace_at(struct addresses *addresses, struct qs_view bytes, uint32_t at,
                           char *text)
{
    struct qs_address address;
    uint32_t length = replace_mac(bytes, at, text);
    const struct address_replacement *replacement;
    bool dotted;

    if (length)
        return length;
    length = read_ipv4(bytes, at, &address);
    dotted = length;
    if (!dotted)
        length = read_hexadecimal(addresses, bytes, at, &address);
    if (!length || is_unspecified(&address))
        return 0;
    replacement = replacement_of(addresses, &address);
    if (address.family == 6) {
        ipv6_text(text, replacement, length);
    } else if (dotted) {
        pad_ipv4(text, replacement->address.bytes, length);
        if (strlen(text) > length)
            short_text(text, replacement->index, length);
    } else {
        snprintf(text, ADDRESS_TEXT_MAX, "%02x%02x%02x%02x", replacement->address.bytes[0],
                 replacement->address.bytes[1], replacement->address.bytes[2],
                 replacement->address.bytes[3]);
    }
    return length;
}

bool addresses_next_in(struct addresses *addresses, struct qs_view bytes, uint32_t *at,
                       uint32_t *length, char text[ADDRESS_TEXT_MAX])
{
    for (; *at < bytes.size; ++*at) {
        *length = replace_at(addresses, bytes, *at, text);
        if (*length) {
            *at += *length;
            return true;
        }
    }
    return false;
}
