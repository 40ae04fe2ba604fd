/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A toy protocol, which each test gives a function of its own to decode packets, and a sink that
 * writes a line for each call:
 *
 *     open toy.group @3            a group opens at offset 3
 *     toy.u8 3+1 = 5               a field at offset 3, one byte long
 *     toy.u8 3+1 := 5              a derived value
 *     label "text"
 *     note malformed 3+1 "text"
 *     source "title" 20            the following offsets are in 20 other bytes
 *     source end
 *     close @4                     the innermost group ends before offset 4
 */
#ifndef QS_TESTS_TOY_H
#define QS_TESTS_TOY_H

#include "common/core/decode.h"
#include "tests/unit/unit.h"

enum toy_field {
#define QS_ROWS_ENUM
#include "common/core/field_rows.h"
#include "tests/unit/toy_fields.def"
#include "common/core/field_rows.h"
    TOY_FIELD_COUNT
};

enum { TOY_OPTION_SPEED, TOY_OPTION_COUNT };

struct toy_session {
    struct qs_session base;
    unsigned secret; /* state that a trial run must not change */
};

typedef void toy_script(struct qs_decoder *d);

extern const struct qs_protocol toy_protocol;

/* Decodes the packets. Set by the functions below, or by a test that calls qs_decode(). */
extern toy_script *toy_decode;

struct log_sink {
    struct qs_sink base;
    GString *log;
};
void log_sink_init(struct log_sink *sink);
void log_sink_clear(struct log_sink *sink);

/*
 * Decodes `data` by `script`: the log must be `expected`. Decodes it again without a sink, which
 * must read the same bytes, and count the same notes and undecoded bytes.
 */
void expect_log(toy_script *script, struct qs_view data, const char *expected);

/* A test that calls expect_log(). The body of the script follows. */
#define DECODES(function, data, expected)                                                          \
    static toy_script decode_##function;                                                           \
    TEST(function)                                                                                 \
    {                                                                                              \
        expect_log(decode_##function, data, expected);                                             \
    }                                                                                              \
    static void decode_##function(struct qs_decoder *d)

/* Returns a packet of `data` from the end that sent the conversation's first packet. */
struct qs_packet toy_packet(struct qs_view data);

#endif
