/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Byte strings for tests. */
#ifndef QS_TESTS_UNIT_H
#define QS_TESTS_UNIT_H

#include "common/core/protocol.h"
#include "common/core/reader.h"
#include "tests/support/test.h"

/* The bytes of a string literal, which may contain NULs, without its own NUL. */
#define VIEW(literal) ((struct qs_view){(const uint8_t *)("" literal), sizeof(literal) - 1})

static inline void assert_view_is(struct qs_view actual, struct qs_view expected)
{
    assert_int_equal(actual.size, expected.size);
    if (expected.size)
        assert_memory_equal(actual.data, expected.data, expected.size);
}

static inline struct qs_reader reader_over(struct qs_view bytes)
{
    return qs_reader_over(bytes.data, bytes.size);
}

/* Checks how the protocol describes the session. A text is NULL if it is not known. */
static inline void assert_describes(const struct qs_protocol *protocol,
                                    const struct qs_session *session, const char *version,
                                    const char *map, const char *player)
{
    struct qs_description found;

    protocol->describe(session, &found);
    if (g_strcmp0(found.version, version) || g_strcmp0(found.map, map) ||
        g_strcmp0(found.player, player))
        fail_msg("version %s, map %s, player %s", found.version, found.map, found.player);
    g_free(found.version);
    g_free(found.map);
    g_free(found.player);
}

#endif
