/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes every block of DEM demos (plain or gzipped): none may leave a byte undecoded.
 *
 *     nq_demos FILE...
 */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "common/dump/dump.h"
#include "common/demo/dem/dem.h"
#include "common/quake/session.h"
#include "tests/support/count_sink.h"

struct tally {
    unsigned blocks, problems;
    uint64_t fields;
};

static GByteArray *read_file(const char *path)
{
    gzFile file = gzopen(path, "rb");
    GByteArray *bytes = g_byte_array_new();
    uint8_t buffer[65536];
    int got;

    while (file && (got = gzread(file, buffer, sizeof buffer)) > 0)
        g_byte_array_append(bytes, buffer, (guint)got);
    if (file)
        gzclose(file);
    return bytes;
}

static enum qs_demo_status decode_blocks(struct tally *tally, struct qs_reader *in)
{
    struct nq_session session;
    struct qs_decoder decoder;
    struct count_sink counts;
    struct dem_block block;
    enum qs_demo_status status;

    nq_protocol.session_init(&session.base);
    qs_decoder_init(&decoder, &nq_protocol);
    count_sink_init(&counts);
    while ((status = dem_read_block(in, &block)) == QS_DEMO_BLOCK) {
        const struct qs_packet packet = {.data = block.messages.data,
                                         .size = block.messages.size,
                                         .wire_size = block.messages.size,
                                         .number = ++tally->blocks};

        qs_decode_server_messages(&decoder, &session.base, &counts.base, &packet);
        tally->problems += qs_decoder_problems(&decoder);
    }
    tally->fields = counts.fields;
    qs_decoder_clear(&decoder);
    nq_protocol.session_clear(&session.base);
    return status;
}

static bool decode_demo(const char *path)
{
    GByteArray *bytes = read_file(path);
    struct qs_reader in = qs_reader_over(bytes->data, bytes->len);
    struct tally tally = {0};
    int32_t track;
    const bool whole =
        dem_read_header(&in, &track) == QS_DEMO_LINE && decode_blocks(&tally, &in) == QS_DEMO_END;
    const bool good = whole && tally.blocks && !tally.problems;

    printf("%s %s: %u blocks, %" G_GUINT64_FORMAT " fields, %u problems%s\n",
           good ? "ok  " : "FAIL", path, tally.blocks, tally.fields, tally.problems,
           whole ? "" : ", broken off");
    g_byte_array_free(bytes, TRUE);
    return good;
}

int main(int argc, char **argv)
{
    int passed = 0;

    for (int i = 1; i < argc; i++)
        passed += decode_demo(argv[i]);
    printf("%d passed, %d failed\n", passed, argc - 1 - passed);
    return argc > 1 && passed == argc - 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
