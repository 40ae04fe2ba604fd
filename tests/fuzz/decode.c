/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes packets of one session. Some are decoded in a copy of the session first, and both results
 * must be the same, because Wireshark dissects packets again in any order. Of some, the dumps are
 * compared.
 */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/invariants.h"

/*
 * AddressSanitizer holds 256 MB of freed memory back, so that no block is in the processor's cache;
 * an input frees about 1 MB. It also fills the first 4 KiB of each block, and stores the call stack
 * of each allocation (use ASAN_OPTIONS=malloc_context_size=30 in a replay). Turning that off makes
 * this target faster; other targets run the same decoders with it.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "malloc_context_size=1:max_malloc_fill_size=0:quarantine_size_mb=1:"
           "thread_local_quarantine_size_kb=16";
}

enum { OPTIONS_MAX = 8, CLIENT_PORT = 30000, SERVER_PORT = 27500 };

struct stream {
    const struct qs_protocol *protocol;
    struct qs_session *session;
    uint32_t options[OPTIONS_MAX];
    struct qs_decoder decoder;
    struct invariants invariants;
    uint64_t packets;
};

/* With FUZZ_PACKET_PORTS_KNOWN, the ports show which end is the server. */
static struct qs_packet packet_of(const struct stream *stream, const struct fuzz_piece *piece)
{
    struct qs_packet packet = fuzz_packet(piece, SERVER_PORT, CLIENT_PORT, stream->packets);
    const bool from_server = piece->bits & FUZZ_PACKET_FROM_SERVER;
    const bool ports_known = piece->bits & FUZZ_PACKET_PORTS_KNOWN;

    packet.from = from_server ? QS_END_B : QS_END_A;
    packet.source_is_server_port = ports_known && from_server;
    packet.destination_is_server_port = ports_known && !from_server;
    return packet;
}

static void add_packet(struct stream *stream, const struct fuzz_piece *piece)
{
    const struct qs_packet packet = packet_of(stream, piece);
    struct qs_description description = {0};

    stream->packets++;
    if (piece->bits & FUZZ_PACKET_BARE && stream->protocol->decode_server_messages) {
        qs_decode_server_messages(&stream->decoder, stream->session, NULL, &packet);
        return;
    }
    if (piece->bits & FUZZ_PACKET_PRINTED)
        dump_check(&stream->decoder, stream->session, &packet);
    if (piece->bits & FUZZ_PACKET_TWICE)
        invariants_decode_twice(&stream->invariants, &stream->decoder, stream->session, &packet);
    else
        invariants_decode(&stream->invariants, &stream->decoder, stream->session, &packet);
    stream->protocol->recognize(stream->protocol, &packet);
    stream->protocol->describe(stream->session, &description);
    g_free(description.version);
    g_free(description.map);
    g_free(description.player);
}

static void start(struct stream *stream, const struct qs_protocol *protocol, uint8_t options)
{
    *stream = (struct stream){.protocol = protocol};
    if (protocol->option_count > OPTIONS_MAX)
        abort();
    for (unsigned i = 0; i < protocol->option_count; i++)
        stream->options[i] = options >> i & 1;
    stream->session = g_malloc(protocol->session_size);
    protocol->session_init(stream->session);
    qs_decoder_init(&stream->decoder, protocol);
    stream->decoder.options = stream->options;
    stream->decoder.want_summary = true;
    invariants_init(&stream->invariants);
    stream->invariants.compare_silent = true;
}

static void end(struct stream *stream)
{
    invariants_clear(&stream->invariants);
    qs_decoder_clear(&stream->decoder);
    stream->protocol->session_clear(stream->session);
    g_free(stream->session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct fuzz_cost started = fuzz_begin();
    struct stream stream;
    struct fuzz_piece piece;
    size_t at = 2;

    if (size < at)
        return 0;
    start(&stream, fuzz_protocol(data[0]), data[1]);
    while (fuzz_next(data, size, &at, &piece)) {
        add_packet(&stream, &piece);
        g_free(piece.bytes);
    }
    end(&stream);
    fuzz_check_cost(started, size);
    return 0;
}
