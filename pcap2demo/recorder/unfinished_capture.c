/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/unfinished_capture.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "pcap2demo/capture/pcapng.h"
#include "pcap2demo/packets.h"

/* --- Its end --------------------------------------------------------------------------------- */

static uint64_t count_packets(struct pcapng *file)
{
    uint64_t packets = 0;

    while (pcapng_next(file) == READ_GOOD)
        packets += file->type == PCAPNG_PACKET;
    return packets;
}

bool unfinished_capture_cut(const char *path, uint64_t *size, uint64_t *packets, char **error)
{
    FILE *stream = fopen(path, "rb");
    struct pcapng file;

    *error = NULL;
    if (!stream) {
        *error = g_strdup(g_strerror(errno));
        return false;
    }
    pcapng_init(&file, stream);
    *packets = count_packets(&file);
    *size = file.in.position;
    pcapng_clear(&file);
    fclose(stream);
    if (!*packets) {
        *error = g_strdup("there is nothing in it");
        unlink(path);
    } else if (truncate(path, (off_t)*size) != 0) {
        *error = g_strdup(g_strerror(errno));
    }
    return !*error;
}

/* --- What is in it --------------------------------------------------------------------------- */

static void read_sessions(struct input *input, const char *stem,
                          const struct qs_sessions_options *options,
                          struct qs_sessions_handler *handler)
{
    struct qs_sessions *sessions = qs_sessions_new(options, handler);
    struct packets packets;

    packets_init(&packets);
    qs_sessions_set_source(sessions, input_name(input), stem);
    packets_read(&packets, input, sessions, false, 0);
    qs_sessions_end_source(sessions);
    packets_end(&packets, sessions);
    qs_sessions_free(sessions, true);
    packets_clear(&packets);
}

char *unfinished_capture_read(const char *path, const char *stem,
                              const struct qs_sessions_options *options,
                              struct qs_sessions_handler *handler)
{
    char *error = NULL;
    struct input *input = input_open_file(path, NULL, &error);

    if (!input)
        return error;
    read_sessions(input, stem, options, handler);
    input_close(input);
    return NULL;
}
