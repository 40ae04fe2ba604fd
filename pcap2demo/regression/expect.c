/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/hash.h"
#include "pcap2demo/regression/expect_rules.h"

#include <string.h>

#include "pcap2demo/output/writer.h"

struct expect {
    char *path;
    bool update;
    struct expect_file *file;
    struct qs_message_counter counter;
    struct qs_sink *next;

    /* Of the current input. */
    GPtrArray *findings;
    unsigned sessions;
    GHashTable *running; /* struct expect_counts by the session's number */
    GHashTable *words;   /* see expect_count_word() */
};

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
    g_hash_table_remove_all(expect->words);
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
    expect->running = g_hash_table_new_full(NULL, NULL, NULL, expect_counts_free);
    expect->words = g_hash_table_new_full(qs_str_hash, g_str_equal, g_free, g_free);
    begin_input(expect);
    return expect;
}

void expect_free(struct expect *expect)
{
    g_hash_table_destroy(expect->running);
    g_hash_table_destroy(expect->words);
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

    if (decoded->decoder->connectionless && *expect->counter.word)
        expect_count_word(expect->words, expect->counter.word, decoded);
    if (session && session->chosen) {
        const gpointer key = GUINT_TO_POINTER(session->number);
        struct expect_counts *counts = g_hash_table_lookup(expect->running, key);

        if (!counts)
            g_hash_table_insert(expect->running, key, counts = expect_counts_new());
        expect_counts_add(counts, &expect->counter, decoded);
    }
    qs_message_counter_begin(&expect->counter, expect->next);
}

void expect_left_out(struct expect *expect, const struct qs_client_session *session)
{
    g_hash_table_remove(expect->running, GUINT_TO_POINTER(session->number));
}

/* What comes later than the first session of a group may come or not. */
static void widen(void *user, struct expect_rule *rule, const struct expect_fact *fact)
{
    struct expect_rule by = fact->rule;

    if (!rule && (fact->optional || (!fact->fresh && !fact->type)))
        return;
    if (!rule) {
        rule = expect_add(user, by.protocol, by.group, by.key);
        by.phase = fact->fresh ? by.phase : EXPECT_PLAY;
    }
    expect_widen(rule, &by);
}

void expect_session(struct expect *expect, const struct qs_client_session *session)
{
    const struct expect_counts *counts =
        g_hash_table_lookup(expect->running, GUINT_TO_POINTER(session->number));

    /* What a client sends to a server that does not answer is no session. */
    if (counts && (session->recorded || session->heard_server)) {
        if (expect->update)
            expect_each_fact(expect->file, counts, session, expect->words, widen, expect->file);
        else
            expect_compare(expect->file, counts, session, expect->words, expect->findings);
        expect->sessions++;
    }
    expect_left_out(expect, session);
}

/* By session, direction, name. */
static gint compare_findings(gconstpointer a, gconstpointer b)
{
    const struct expect_finding *x = *(const struct expect_finding *const *)a,
                                *y = *(const struct expect_finding *const *)b;

    if (x->session != y->session)
        return x->session > y->session ? 1 : -1;
    return x->direction != y->direction ? (int)x->direction - (int)y->direction
                                        : strcmp(x->name, y->name);
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
    g_ptr_array_sort(findings, compare_findings);
    begin_input(expect);
    return findings;
}

GPtrArray *expect_write(struct expect *expect, char **problem)
{
    GPtrArray *changes = g_ptr_array_new_with_free_func(g_free);
    char *before = NULL, *text = expect_file_text(expect->file, changes);

    *problem = NULL;
    g_file_get_contents(expect->path, &before, NULL, NULL);
    if (expect->update && g_strcmp0(before ? before : "", text) != 0) {
        if (!changes->len)
            g_ptr_array_add(changes, g_strdup("written"));
        *problem = writer_replace(expect->path, text);
    }
    g_free(before);
    g_free(text);
    return changes;
}
