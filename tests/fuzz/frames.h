/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of an input for the plugin's fuzzer: each piece becomes an IPv4 packet between a server
 * and one of its clients, as a datagram, a segment of a stream, or quoted by an error message.
 */
#ifndef TESTS_FUZZ_FRAMES_H
#define TESTS_FUZZ_FRAMES_H

#include <glib.h>

#include "tests/fuzz/fuzz.h"

struct fuzz_frame {
    GByteArray *bytes; /* from the IPv4 header on */
    uint32_t wire_size;
    char *comment; /* that the capture file has for it; or NULL */
    bool again;    /* FUZZ_PLUGIN_AGAIN */
};

/* Of the whole input behind its first two bytes; free with g_ptr_array_free(). */
GPtrArray *fuzz_frames_new(const struct qs_protocol *protocol, const uint8_t *data, size_t size);

#endif
