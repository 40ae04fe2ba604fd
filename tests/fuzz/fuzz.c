/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/fuzz.h"

#include <glib.h>
#include <inttypes.h>
#include <pcap/dlt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/core/hash.h"
#include "common/core/reader.h"
#include "common/protocols.h"

enum { SESSIONS_MAX = 4 }; /* few, so that some are evicted */

/* CPU time (s) of any input and for each byte of it, in a build with sanitizers on a busy machine:
 * one of 3,007 bytes took 1.1 s. */
static const double time_base = 2, time_per_byte = 20e-6;

/* Memory (bytes), likewise: the dump of a datagram with inflated messages is many times its size.
 * Larger blocks are not counted: xz allocates them and uses little of them, and libFuzzer's limit
 * forbids them in other targets. */
enum { MEMORY_BASE = 48 << 20, MEMORY_PER_BYTE = 500, BLOCK_MAX = 64 << 20 };

const int fuzz_links[FUZZ_LINKS] = {DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_RAW, DLT_NULL,
                                    DLT_LOOP,   DLT_PPP,       DLT_PPP_ETHER,  DLT_IPV4};

const struct qs_protocol *fuzz_protocol(uint8_t byte)
{
    unsigned count = 0;

    while (qs_protocols[count])
        count++;
    return qs_protocols[byte % count];
}

/* With a random key, findings could not be repeated. */
__attribute__((constructor(65535))) static void set_hash_key(void)
{
    qs_hash_set_key(1);
}

void fuzz_broken(const char *what, const char *text)
{
    fprintf(stderr, "%s: %.2000s\n", what, text);
    abort();
}

/* Controls of ASCII and, as UTF-8, those of C1. */
static bool is_control(const char *at)
{
    const uint8_t c = (uint8_t)at[0], next = (uint8_t)at[1];

    return (c < ' ' && c != '\n') || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
}

void fuzz_check_printed(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (is_control(text + i))
            fuzz_broken("a control character in", text);
    if (!g_utf8_validate(text, (gssize)size, NULL))
        fuzz_broken("not UTF-8", text);
}

int fuzz_file(const void *data, size_t size, char name[FUZZ_NAME_MAX])
{
    const int file = memfd_create("input", 0);

    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    g_snprintf(name, FUZZ_NAME_MAX, "/proc/self/fd/%d", file);
    return file;
}

uint8_t fuzz_stream_number(unsigned protocol)
{
    uint8_t number = 0;

    for (unsigned i = 0; i < protocol; i++)
        if (qs_protocols[i]->decode_pdu)
            number++;
    return number;
}

bool fuzz_next(const uint8_t *data, size_t size, size_t *at, struct fuzz_piece *piece)
{
    enum { HEADER = 3 };
    size_t length;

    if (size - *at < HEADER)
        return false;
    piece->bits = data[*at];
    length = MIN(qs_le16(data + *at + 1), size - *at - HEADER);
    piece->bytes = g_memdup2(data + *at + HEADER, length);
    piece->size = (uint32_t)length;
    *at += HEADER + length;
    return true;
}

struct qs_packet fuzz_packet(const struct fuzz_piece *piece, uint16_t server_port,
                             uint16_t client_port, uint64_t number)
{
    enum { WIRE_SIZE_MAX = 65507, INTERVAL = 50000000 };
    const struct qs_address client = {4, {10, 0, 0, 2}, client_port};
    const struct qs_address server = {4, {10, 0, 0, 1}, server_port};
    const bool from_server = piece->bits & FUZZ_PACKET_FROM_SERVER;
    const bool cut = piece->bits & FUZZ_PACKET_CUT && piece->size < WIRE_SIZE_MAX;

    return (struct qs_packet){.data = piece->bytes,
                              .size = piece->size,
                              .wire_size = cut ? WIRE_SIZE_MAX : piece->size,
                              .number = number,
                              .time = (int64_t)number * INTERVAL,
                              .source = from_server ? server : client,
                              .destination = from_server ? client : server};
}

struct qs_sessions_options fuzz_session_options(void)
{
    static struct qs_protocol_selection *selection;

    if (!selection)
        selection = qs_protocol_selection_new();
    return (struct qs_sessions_options){.selection = selection,
                                        .chosen = g_array_new(FALSE, FALSE, sizeof(unsigned)),
                                        .sessions_max = SESSIONS_MAX};
}

void fuzz_session_options_clear(struct qs_sessions_options *options)
{
    g_array_free(options->chosen, TRUE);
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* --- Memory, counted by hooks of the sanitizers --- */

__attribute__((weak)) int
__sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                          void (*freed)(const volatile void *));
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void *block);

static int64_t allocated, peak;

static void on_allocated(const volatile void *block, size_t size)
{
    (void)block;
    allocated += size < BLOCK_MAX ? (int64_t)size : 0;
    peak = MAX(peak, allocated);
}

static void on_freed(const volatile void *block)
{
    const size_t size = block ? __sanitizer_get_allocated_size(block) : 0;

    allocated -= size < BLOCK_MAX ? (int64_t)size : 0;
}

/* --- Costs --- */

struct fuzz_cost fuzz_begin(void)
{
    static bool hooked;

    if (!hooked && __sanitizer_install_malloc_and_free_hooks)
        __sanitizer_install_malloc_and_free_hooks(on_allocated, on_freed);
    hooked = true;
    peak = allocated;
    return (struct fuzz_cost){cpu_seconds(), allocated};
}

void fuzz_check_cost(struct fuzz_cost start, size_t size)
{
    const double seconds = cpu_seconds() - start.seconds;
    const int64_t memory = peak - start.memory;

    if (seconds <= time_base + time_per_byte * (double)size &&
        memory <= MEMORY_BASE + MEMORY_PER_BYTE * (int64_t)size)
        return;
    fprintf(stderr, "%.1f s of CPU time and %" PRId64 " bytes of memory for %zu bytes\n", seconds,
            memory, size);
    abort();
}
