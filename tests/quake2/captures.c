/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes Quake II captures whole: but for what is named here no packet may hold malformed, unknown
 * or undecoded bytes, and every move's checksum must be right.
 *
 *     q2_captures FOLDER
 *
 * Exit status 77 where there is no such folder.
 */
#include <stdio.h>

#include "common/quake2/quake2.h"
#include "tests/support/conversations.h"
#include "tests/support/invariants.h"
#include "common/protocols.h"

/* A capture, and what it must hold. */
struct expectation {
    const char *file;
    uint64_t packets; /* of Quake II */
    uint64_t moves;
    uint64_t unreadable; /* temporary entities that no client can read, on purpose */
    uint64_t undecoded;  /* bytes behind those */
    uint64_t cut;        /* packets that the capture cut */
};

/* The numbers of packets are the captures' own, of moves those of clc_move in all its forms. */
static const struct expectation expectations[] = {
    {"a-v34-q2pro-client/a-q2procl.pcap", 5675, 4871, 0, 0, 0},
    {"a-v34-yquake2/a.pcap", 3934, 3022, 0, 0, 0},
    {"b35-r1q2/b35-r1q2.pcap", 4126, 3256, 0, 0, 0},
    {"b36-q2pro/b36-q2pro.pcap", 3276, 2443, 0, 0, 0},
    {"b36-q2pro-norec/b36-q2pro-norec.pcap", 2463, 1660, 0, 0, 0},
    {"c-q2pro36-zdownload/c-q2pro36z.pcap", 1144, 481, 0, 0, 0},
    {"c-v34-download/c-v34.pcap", 3984, 2533, 0, 0, 0},
    {"d-v34-lossy/d-v34.pcap", 5324, 4140, 0, 0, 0},
    {"d-v34-lossy/d-v34-serverside.pcap", 5270, 3626, 0, 0, 0},
    {"e-two-clients/e.pcap", 7841, 5651, 0, 0, 0},
    {"f-oob/f.pcap", 482, 269, 0, 0, 0},
    {"g-midsession/g-mid-nolevel.pcap", 1698, 1319, 0, 0, 0},
    {"g-midsession/g-mid-then-levelchange.pcap", 2435, 1875, 0, 0, 0},
    {"g-midsession/g-no-connect.pcap", 3929, 3022, 0, 0, 0},
    {"g-midsession/g-no-connect.pcapng", 3929, 3022, 0, 0, 0},
    {"g-midsession/g-snap96.pcap", 3934, 3020, 0, 0, 886},
    {"gs-q36m1021/gs-q36m1021.pcap", 2227, 1649, 0, 0, 0},
    {"m-rogue-q34/m-rogue-q34.pcap", 3996, 3423, 0, 0, 0},
    {"p-r35pu/p-r35pu.pcap", 1431, 1043, 0, 0, 0},
    {"s-y34/s-y34.pcap", 4229, 3323, 0, 0, 0},
    {"w-q36/w-q36.pcap", 1937, 1335, 1, 22, 0},
    {"w-r35/w-r35.pcap", 4027, 3368, 1, 22, 0},
    {"w-y34/w-y34.pcap", 2502, 1885, 1, 6, 0},
    {"x-q36e2/x-q36e2.pcap", 1908, 1314, 2, 74, 0},
};

struct totals {
    struct invariants invariants;
    struct expectation found;
    uint64_t problems;
};

static void count(struct totals *totals, const struct qs_decoder *decoder)
{
    totals->found.packets++;
    totals->found.moves += q2_session_of(decoder->session)->moved;
    totals->found.unreadable += decoder->notes[QS_NOTE_UNKNOWN_MESSAGE];
    totals->found.cut += decoder->notes[QS_NOTE_CUT];
    if (!decoder->notes[QS_NOTE_CUT])
        totals->found.undecoded += decoder->undecoded;
    totals->problems += decoder->notes[QS_NOTE_MALFORMED] +
                        decoder->notes[QS_NOTE_PROTOCOL_UNDECODED] +
                        decoder->notes[QS_NOTE_CHECKSUM_BAD];
}

/* The visit's session is as it was before the packet, and must stay so. */
static void visit(const struct visit *visit, void *user)
{
    struct totals *totals = user;
    struct q2_session session;
    struct qs_decoder decoder;

    if (qs_protocols[visit->protocol] != &q2_protocol)
        return;
    q2_protocol.session_copy(&session.base, visit->session);
    qs_decoder_init(&decoder, &q2_protocol);
    session.moved = false;
    invariants_decode(&totals->invariants, &decoder, &session.base, visit->packet);
    count(totals, &decoder);
    qs_decoder_clear(&decoder);
    q2_protocol.session_clear(&session.base);
}

static bool is_as_expected(const struct totals *totals, const struct expectation *expected)
{
    const struct expectation *found = &totals->found;

    return found->packets == expected->packets && found->moves == expected->moves &&
           found->unreadable == expected->unreadable && found->undecoded == expected->undecoded &&
           found->cut == expected->cut && totals->problems == 0;
}

static bool check(const char *folder, const struct expectation *expected)
{
    struct totals totals = {0};
    char *path = g_build_filename(folder, expected->file, NULL);
    bool good;

    invariants_init(&totals.invariants);
    good = conversations_visit(path, visit, &totals) && is_as_expected(&totals, expected);
    printf("%s %s: %" G_GUINT64_FORMAT " packets, %" G_GUINT64_FORMAT " moves, %" G_GUINT64_FORMAT
           " unreadable messages, %" G_GUINT64_FORMAT " undecoded bytes, %" G_GUINT64_FORMAT
           " cut packets, %" G_GUINT64_FORMAT " problems\n",
           good ? "ok  " : "FAIL", expected->file, totals.found.packets, totals.found.moves,
           totals.found.unreadable, totals.found.undecoded, totals.found.cut, totals.problems);
    invariants_clear(&totals.invariants);
    g_free(path);
    return good;
}

int main(int argc, char **argv)
{
    unsigned failed = 0;

    if (argc != 2)
        return 2;
    if (!g_file_test(argv[1], G_FILE_TEST_IS_DIR)) {
        printf("skipped: there is no folder %s\n", argv[1]);
        return 77;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(expectations); i++)
        failed += !check(argv[1], &expectations[i]);
    printf("%zu captures, %u failed\n", G_N_ELEMENTS(expectations), failed);
    return failed ? 1 : 0;
}
