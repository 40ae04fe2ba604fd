/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/expect.h"

#include <string.h>

#include "pcap2demo/output/files.h"

enum {
    MOVES_MAX = 100000,
    PAUSE = 500000 /* minimum time (microseconds) without movement that is not counted */
};

struct expect {
    char *path;
    bool update;
    struct expect_file *file;
    struct qs_message_counter counter;
    struct qs_sink *next;

    /* State of the current input. */
    GPtrArray *findings;
    unsigned sessions;   /* of the input */
    bool any;            /* an input had a session */
    GHashTable *running; /* session number -> struct expect_counts */
};

/* --- Counts ----------------------------------------------------------------------------------- */

static struct expect_counts *counts_new(void)
{
    struct expect_counts *counts = g_new0(struct expect_counts, 1);

    qs_tally_init(&counts->sign_on);
    qs_tally_init(&counts->play);
    counts->moves = g_array_new(FALSE, FALSE, sizeof(guint));
    return counts;
}

static void counts_free(gpointer data)
{
    struct expect_counts *counts = data;

    qs_tally_clear(&counts->sign_on);
    qs_tally_clear(&counts->play);
    g_array_free(counts->moves, TRUE);
    g_free(counts);
}

/* True if the receiver drops the packet, or already has it: such packets depend on the network. */
static bool is_repeated(const struct qs_decoder *decoder)
{
    return decoder->found.notes[QS_NOTE_SEQUENCE_STALE] ||
           decoder->found.notes[QS_NOTE_SEQUENCE_DUPLICATE] ||
           decoder->found.notes[QS_NOTE_RETRANSMISSION];
}

/* Measures the time between movements. A list of entities is shortest if nothing moves. */
static void count_moves(struct expect_counts *counts, const struct qs_tally_packet *packet)
{
    const int64_t step = (packet->packet->time - counts->moved) / 1000;
    const guint between = (guint)CLAMP(step, 0, PAUSE);

    if (!qs_tally_moves(&counts->play, packet))
        return;
    if (counts->moved && between < PAUSE && counts->moves->len < MOVES_MAX)
        g_array_append_val(counts->moves, between);
    counts->moved = packet->packet->time;
}

/* Counts a packet. In each level, the first one with a player's origin ends the sign-on. */
static void add_packet(struct expect_counts *counts, const struct qs_message_counter *counter,
                       const struct qs_decoded_packet *decoded)
{
    const struct qs_decoder *decoder = decoded->decoder;
    const struct qs_tally_packet packet = {.counted = counter->counted,
                                           .fields = counter->fields,
                                           .packet = decoded->packet,
                                           .direction = decoder->found.direction,
                                           .ack_rtt = -1};

    for (int i = 0; i < QS_NOTE_KINDS; i++)
        qs_share_add(&counts->problems[i], decoder->found.notes[i], packet.packet->number);
    qs_share_add(&counts->problems[EXPECT_UNDECODED], decoder->found.undecoded,
                 packet.packet->number);
    if (is_repeated(decoder) || decoder->found.connectionless)
        return;
    if (counts->level != decoded->session->state.level)
        counts->playing = false;
    counts->level = decoded->session->state.level;
    qs_tally_add(counts->playing ? &counts->play : &counts->sign_on, &packet);
    if (decoder->found.direction != QS_S2C)
        return;
    if (counts->playing)
        count_moves(counts, &packet);
    if (!counts->playing && counter->has_position)
        counts->update = packet.packet->number;
    counts->playing |= counter->has_position;
}

/* --- Check ----------------------------------------------------------------------------------- */

static void finding_free(gpointer data)
{
    struct expect_finding *finding = data;

    g_free(finding->name);
    g_free(finding->text);
    g_free(finding);
}

static void begin_input(struct expect *expect)
{
    expect->findings = g_ptr_array_new_with_free_func(finding_free);
    expect->sessions = 0;
    g_hash_table_remove_all(expect->running);
}

struct expect *expect_new(const char *path, bool update, char **problem)
{
    struct expect_file *file = expect_file_read(path, update, problem);
    struct expect *expect;

    if (!file)
        return NULL;
    expect = g_new0(struct expect, 1);
    expect->path = g_strdup(path);
    expect->update = update;
    expect->file = file;
    qs_message_counter_init(&expect->counter, true);
    expect->running = g_hash_table_new_full(NULL, NULL, NULL, counts_free);
    begin_input(expect);
    return expect;
}

void expect_free(struct expect *expect)
{
    g_hash_table_destroy(expect->running);
    g_ptr_array_free(expect->findings, TRUE);
    qs_message_counter_clear(&expect->counter);
    expect_file_free(expect->file);
    g_free(expect->path);
    g_free(expect);
}

struct qs_sink *expect_sink(struct expect *expect, struct qs_sink *next)
{
    expect->next = next;
    qs_message_counter_begin(&expect->counter, next);
    return &expect->counter.base;
}

void expect_packet(struct expect *expect, const struct qs_decoded_packet *decoded)
{
    const struct qs_client_session *session = decoded->session;

    if (session && session->chosen) {
        const gpointer key = GUINT_TO_POINTER(session->number);
        struct expect_counts *counts = g_hash_table_lookup(expect->running, key);

        if (!counts)
            g_hash_table_insert(expect->running, key, counts = counts_new());
        add_packet(counts, &expect->counter, decoded);
    }
    qs_message_counter_begin(&expect->counter, expect->next);
}

void expect_left_out(struct expect *expect, const struct qs_client_session *session)
{
    g_hash_table_remove(expect->running, GUINT_TO_POINTER(session->number));
}

void expect_session(struct expect *expect, const struct qs_client_session *session)
{
    const struct expect_counts *counts =
        g_hash_table_lookup(expect->running, GUINT_TO_POINTER(session->number));

    /* Packets to a server that never answers are no session. */
    if (counts && (session->recorded || session->received_from_server)) {
        expect_visit(expect->file, counts, session, expect->update ? NULL : expect->findings);
        expect->sessions++;
        expect->any = true;
    }
    expect_left_out(expect, session);
}

GPtrArray *expect_end_input(struct expect *expect)
{
    GPtrArray *findings = expect->findings;

    if (!expect->sessions) {
        struct expect_finding *finding = g_new0(struct expect_finding, 1);

        *finding = (struct expect_finding){
            .name = g_strdup("session"), .text = g_strdup("no session"), .failed = true};
        g_ptr_array_add(findings, finding);
    }
    begin_input(expect);
    return findings;
}

GPtrArray *expect_write(struct expect *expect, char **problem)
{
    GPtrArray *changes = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *before = NULL, *text = NULL;

    *problem = NULL;
    if (!expect->update || !expect->any)
        return changes;
    text = expect_file_text(expect->file, changes);
    g_file_get_contents(expect->path, &before, NULL, NULL);
    if (!before) {
        g_ptr_array_set_size(changes, 0);
        g_ptr_array_add(changes, g_strdup("written"));
    }
    if (g_strcmp0(before, text) != 0)
        *problem = writer_replace(expect->path, text);
    return changes;
}
