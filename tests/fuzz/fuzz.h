/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the fuzzers' inputs are laid out; the corpora and made_seeds.c have them, the targets read
 * them.
 *
 * fuzz_decode: a byte that picks the protocol (its number in qs_protocols[], modulo how many there
 * are), a byte of which bit n is the value of option n, then packets: FUZZ_PACKET_* bits, the
 * number of bytes (16 bits, little-endian), the bytes.
 *
 * fuzz_rebuild: the same; a bit of the second byte asks for --sanitize.
 *
 * fuzz_lend: the same; the second byte says how many packets the late client lacks, its upper bits
 * ask for --sanitize and for a demo as donor.
 *
 * fuzz_tool: a byte that picks the action, then a file: a capture or a demo.
 *
 * fuzz_recording: a byte that picks the file's name (x.qwd, x.dm2, x.dem, x, x.mvd, x.mvd2), then
 * the file.
 *
 * fuzz_golden: a golden, or two, one behind the other, which are compared.
 *
 * fuzz_expect: a file of expectations.
 *
 * fuzz_archive: a compressed file or an archive.
 *
 * fuzz_stream: a byte that picks the protocol, of those that have streams (its upper bit asks for
 * --sanitize), then segments:
 * FUZZ_STREAM_* bits, the number of bytes (16 bits, little-endian), the bytes.
 *
 * fuzz_capture: a byte that picks the link layer (modulo FUZZ_LINKS), then frames: FUZZ_FRAME_*
 * bits, the number of bytes (16 bits, little-endian), the bytes. Or a pcapng file, known by its
 * first four bytes.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "common/sessions/sessions.h"

#include "common/protocols.h"

enum {
    FUZZ_PACKET_FROM_SERVER = 1,
    FUZZ_PACKET_PORTS_KNOWN = 2, /* else the direction has to be found out */
    FUZZ_PACKET_CUT = 4,         /* the capture lacks its last bytes */
    FUZZ_PACKET_BARE = 8,        /* server messages without a header, as demos have them */
    FUZZ_PACKET_PRINTED = 16,    /* by the dumps too, which takes long */
    FUZZ_PACKET_TWICE = 32,      /* decoded in a copy of the session, too */

    FUZZ_REBUILD_WAIT = 32, /* behind it nothing comes for a while, as while recording */

    FUZZ_LEND_DONOR_ALONE = 8,
    FUZZ_LEND_LATE_ALONE = 16,

    FUZZ_STREAM_FROM_SERVER = 1,
    FUZZ_STREAM_LOST = 2,  /* a segment before it is not in the capture */
    FUZZ_STREAM_AGAIN = 4, /* begins with bytes that were sent before */
    FUZZ_STREAM_LATE = 8,  /* bytes before it come behind it */
    FUZZ_STREAM_END = 16,  /* FIN */
    FUZZ_STREAM_RESET = 32,
    FUZZ_STREAM_ACKNOWLEDGED = 64, /* all that was sent the other way */

    FUZZ_FRAME_CUT = 1,
    FUZZ_FRAME_LATE = 2 /* so late after the one before that fragments are given up */
};

/* DLT_ values; seeds begin with an index into this. */
extern const int fuzz_links[];
enum { FUZZ_LINKS = 9 };

/* The protocol that the first byte of a stream picks. */
const struct qs_protocol *fuzz_protocol(uint8_t byte);

/* The first byte of fuzz_stream's inputs that picks the protocol of this number. */
uint8_t fuzz_stream_number(unsigned protocol);

/* A promise is broken: prints both texts, and aborts. */
G_GNUC_NORETURN void fuzz_broken(const char *what, const char *text);

/* A file that is only in memory, and its name; close() it. */
enum { FUZZ_NAME_MAX = 64 };
int fuzz_file(const void *data, size_t size, char name[FUZZ_NAME_MAX]);

/* What libFuzzer calls; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next piece of an input: its bits, and its bytes as a copy of exactly their size. */
struct fuzz_piece {
    uint8_t bits;
    uint8_t *bytes; /* g_free() it */
    uint32_t size;
};

/* False at the end. `*at` moves behind the piece; a length beyond the end means up to the end. */
bool fuzz_next(const uint8_t *data, size_t size, size_t *at, struct fuzz_piece *piece);

/*
 * The datagram that the piece is, between a client and a server, by FUZZ_PACKET_FROM_SERVER and
 * FUZZ_PACKET_CUT. Its bytes are the piece's; its time follows from its number.
 */
struct qs_packet fuzz_packet(const struct fuzz_piece *piece, uint16_t server_port,
                             uint16_t client_port, uint64_t number);

/* What the tool does by itself; the ports' tables, of some size, are made once. */
struct qs_sessions_options fuzz_session_options(void);
void fuzz_session_options_clear(struct qs_sessions_options *options);

/*
 * What an input costs, in proportion to its bytes: each target begins with fuzz_begin(), and ends
 * with a check that aborts where it took more seconds of the processor, which other programs do not
 * slow down, or more memory at once. Memory is only counted by builds with sanitizers.
 */
struct fuzz_cost {
    double seconds; /* of the processor, at the beginning */
    int64_t memory; /* bytes that were allocated then */
};

double fuzz_time(void);
struct fuzz_cost fuzz_begin(void);
void fuzz_check_cost(struct fuzz_cost start, size_t size);

/*
 * dump_check.c prints a packet as text and as JSON: both have as many groups, fields and notes as a
 * sink receives, and no control characters. It decodes in copies of the session, which stays as it
 * is.
 */
void dump_check(struct qs_decoder *decoder, const struct qs_session *session,
                const struct qs_packet *packet);

/*
 * outside.c has what the tool has of the world outside: the files that it writes stay in memory,
 * and signals are left to libFuzzer. It takes the place of output/writer.c and signals.c in every
 * program that calls this: from now on `take` gets each file that is given its name; NULL: nobody
 * does.
 */
typedef void fuzz_file_checker(void *user, const char *name, struct qs_view file);
void fuzz_check_files(fuzz_file_checker *take, void *user);

#endif
