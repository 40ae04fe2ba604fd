/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes the packets of QWD demos as server messages: none may leave a byte undecoded.
 *
 *     qw_demos FOLDER...     demos below these; absent folders are skipped (status 77 if all are)
 */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "common/dump/dump.h"
#include "common/demo/qwd/qwd.h"
#include "tests/support/count_sink.h"

enum { DEMO_MAX = 1 << 28 }; /* bytes; no demo is larger */

struct tally {
    unsigned demos, bad_demos, packets, problems;
};

static uint32_t decode_packet(struct qs_decoder *decoder, struct qs_session *session,
                              struct qs_sink *sink, struct qs_view packet)
{
    const struct qs_packet block = {
        .data = packet.data, .size = packet.size, .wire_size = packet.size, .from = QS_END_B};

    qs_decode_server_messages(decoder, session, sink, &block);
    return qs_decoder_problems(decoder);
}

static void decode_demo(struct tally *tally, const char *path, const uint8_t *data, uint32_t size)
{
    struct qs_reader in = qs_reader_over(data, size);
    unsigned packets = 0, problems = 0;
    enum qs_demo_status status;
    struct qwd_block block;
    struct qs_decoder decoder;
    struct count_sink counts;
    struct qs_session *session = g_malloc(qw_protocol.session_size);

    qs_decoder_init(&decoder, &qw_protocol);
    count_sink_init(&counts);
    qw_protocol.session_init(session);
    while ((status = qwd_read_block(&in, &block, QWD_CMD_CLASSIC)) == QS_DEMO_BLOCK)
        if (block.type == QWD_READ) {
            packets++;
            problems += decode_packet(&decoder, session, &counts.base, block.packet);
        }
    printf("%s %s: %u packets, %" G_GUINT64_FORMAT " fields, %u problems%s\n",
           status == QS_DEMO_END && !problems && packets ? "ok  " : "FAIL", path, packets,
           counts.fields, problems, status == QS_DEMO_END ? "" : ", broken off");
    tally->demos++;
    tally->bad_demos += status != QS_DEMO_END || problems || !packets;
    tally->packets += packets;
    tally->problems += problems;
    qw_protocol.session_clear(session);
    g_free(session);
    qs_decoder_clear(&decoder);
}

/* All of a file; gzip's are inflated, others read as they are. NULL: it cannot be read. */
static GByteArray *read_file(const char *path)
{
    gzFile file = gzopen(path, "rb");
    GByteArray *data = g_byte_array_new();
    uint8_t part[65536];
    int size = -1;

    while (file && (size = gzread(file, part, sizeof part)) > 0 && data->len < DEMO_MAX)
        g_byte_array_append(data, part, (guint)size);
    if (file && gzclose(file) != Z_OK)
        size = -1;
    if (size == 0)
        return data;
    g_byte_array_free(data, TRUE);
    return NULL;
}

static void decode_file(struct tally *tally, const char *path)
{
    GByteArray *data = read_file(path);

    if (!data) {
        printf("FAIL %s: cannot be read\n", path);
        tally->bad_demos++;
        return;
    }
    decode_demo(tally, path, data->data, data->len);
    g_byte_array_free(data, TRUE);
}

static bool is_demo(const char *name)
{
    return g_str_has_suffix(name, ".qwd") || g_str_has_suffix(name, ".qwd.gz");
}

static void decode_folder(struct tally *tally, const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        char *path = g_build_filename(folder, name, NULL);

        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            decode_folder(tally, path);
        else if (is_demo(name))
            decode_file(tally, path);
        g_free(path);
    }
    if (dir)
        g_dir_close(dir);
}

int main(int argc, char **argv)
{
    struct tally tally = {0};

    for (int i = 1; i < argc; i++)
        decode_folder(&tally, argv[i]);
    if (!tally.demos && !tally.bad_demos) {
        printf("skipped: no demos there\n");
        return 77;
    }
    printf("%u demos, %u packets; %u passed, %u failed\n", tally.demos, tally.packets,
           tally.demos - tally.bad_demos, tally.bad_demos);
    return tally.bad_demos ? EXIT_FAILURE : EXIT_SUCCESS;
}
