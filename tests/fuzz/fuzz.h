/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats of the fuzzers' inputs, which the corpora and made_seeds.c contain.
 *
 * fuzz_decode: a byte that selects the protocol (an index into qs_protocols[], modulo their
 * number), a byte whose bit n is the value of option n, and packets: FUZZ_PACKET_* bits, the size
 * (16 bits, little-endian), the bytes.
 *
 * fuzz_rebuild: the same; a bit of the second byte stands for --sanitize.
 *
 * fuzz_late_join: the same; the second byte is the number of packets that the late client lacks,
 * with bits for --sanitize and for a demo as donor.
 *
 * fuzz_tool: a byte that selects the action, and a file: a capture or a demo.
 *
 * fuzz_recording: a byte that selects the file's name (x.qwd, x.dm2, x.dem, x, x.mvd, x.mvd2), and
 * the file.
 *
 * fuzz_golden: a golden, or two of them in a row, which are compared.
 *
 * fuzz_expect: a file of expectations.
 *
 * fuzz_archive: a compressed file or an archive.
 *
 * fuzz_stream: a byte that selects the protocol among those with streams (its upper bit stands for
 * --sanitize), and segments: FUZZ_STREAM_* bits, the size (16 bits, little-endian), the bytes.
 *
 * fuzz_capture: a byte that selects the link layer (modulo FUZZ_LINKS), and frames: FUZZ_FRAME_*
 * bits, the size (16 bits, little-endian), the bytes. Or a pcapng file.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "common/protocols.h"
#include "common/sessions/sessions.h"

enum {
    FUZZ_PACKET_FROM_SERVER = 1,
    FUZZ_PACKET_PORTS_KNOWN = 2, /* otherwise the decoder finds the direction */
    FUZZ_PACKET_CUT = 4,         /* the capture lacks its last bytes */
    FUZZ_PACKET_BARE = 8,        /* a server's messages without a header, as in demos */
    FUZZ_PACKET_PRINTED = 16,    /* the dumps are compared, which is slow */
    FUZZ_PACKET_TWICE = 32,      /* is also decoded in a copy of the session */

    FUZZ_REBUILD_WAIT = 32, /* a pause follows, as in a recording */

    FUZZ_LATE_JOIN_DONOR_ONLY = 8,
    FUZZ_LATE_JOIN_LATE_ONLY = 16,

    FUZZ_STREAM_FROM_SERVER = 1,
    FUZZ_STREAM_LOST = 2,  /* the segment before it was not captured */
    FUZZ_STREAM_AGAIN = 4, /* begins with bytes that were sent before */
    FUZZ_STREAM_LATE = 8,  /* its first half arrives behind its second one */
    FUZZ_STREAM_END = 16,  /* FIN */
    FUZZ_STREAM_RESET = 32,
    FUZZ_STREAM_ACKNOWLEDGED = 64, /* acknowledges all bytes of the other end */

    FUZZ_FRAME_CUT = 1,
    FUZZ_FRAME_LATE = 2 /* comes after the time limit of fragments */
};

/* DLT_ values; inputs begin with an index into this. */
extern const int fuzz_links[];
enum { FUZZ_LINKS = 9 };

/* Returns the protocol that the first byte of an input selects. */
const struct qs_protocol *fuzz_protocol(uint8_t byte);

/* Returns the first byte of an input of fuzz_stream for the protocol with this number. */
uint8_t fuzz_stream_number(unsigned protocol);

/* Reports a defect: prints both texts, and aborts. */
G_GNUC_NORETURN void fuzz_broken(const char *what, const char *text);

/* Aborts if the text has control characters other than newlines, or is not UTF-8. */
void fuzz_check_printed(const char *text, size_t size);

/* Returns a file in memory, which the caller closes, and sets its name. */
enum { FUZZ_NAME_MAX = 64 };
int fuzz_file(const void *data, size_t size, char name[FUZZ_NAME_MAX]);

/* Runs a target on an input. libFuzzer calls it. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A packet, segment or frame of an input. */
struct fuzz_piece {
    uint8_t bits;
    uint8_t *bytes; /* a copy of exactly this size, which the caller frees */
    uint32_t size;
};

/* Reads the next piece at `*at`, and moves `*at` behind it. A size beyond the end means up to the
 * end. Returns false at the end. */
bool fuzz_next(const uint8_t *data, size_t size, size_t *at, struct fuzz_piece *piece);

/*
 * Returns the piece as a datagram between a client and a server, by FUZZ_PACKET_FROM_SERVER and
 * FUZZ_PACKET_CUT. Its bytes belong to the piece. Its time follows from its number.
 */
struct qs_packet fuzz_packet(const struct fuzz_piece *piece, uint16_t server_port,
                             uint16_t client_port, uint64_t number);

/* Returns the default options of the tool. */
struct qs_sessions_options fuzz_session_options(void);
void fuzz_session_options_clear(struct qs_sessions_options *options);

/*
 * Cost of an input, which is limited in proportion to its size. Each target calls fuzz_begin()
 * first, and fuzz_check_cost() last, which aborts if CPU time or memory are beyond the limit. Only
 * builds with sanitizers count memory.
 */
struct fuzz_cost {
    double seconds; /* CPU time before the input */
    int64_t memory; /* bytes allocated before the input */
};

struct fuzz_cost fuzz_begin(void);
void fuzz_check_cost(struct fuzz_cost start, size_t size);

/*
 * dump_check.c: prints a packet as text and as JSON. Aborts unless both are printable and have as
 * many groups, fields and notes as a sink receives. Decodes in copies of the session.
 */
void dump_check(struct qs_decoder *decoder, const struct qs_session *session,
                const struct qs_packet *packet);

/*
 * outside.c replaces output/writer.c, capture/signals.c and recorder_run() in programs that call
 * this: files stay in memory, and libFuzzer handles signals. Passes each further file that is
 * committed to `check`; NULL: to none.
 */
typedef void fuzz_file_checker(void *user, const char *name, struct qs_view file);
void fuzz_check_files(fuzz_file_checker *check, void *user);

#endif
