/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/demo_check.h"

#include <string.h>

#include "common/core/text.h"
#include "common/sessions/late_join.h"
#include "common/sessions/demo_input.h"
#include "common/sessions/sessions.h"
#include "tests/sanitized/check.h"
#include "tests/fuzz/fuzz.h"

/* --- Under --sanitize --- */

static void check_lists(const char *name, struct qs_view file)
{
    struct sanitized_report report;

    sanitized_report_init(&report);
    sanitized_check(strrchr(name, '.') + 1, file.data, file.size, &report);
    if (report.found || report.unread)
        fuzz_broken(name, report.found ? report.findings->str : "it cannot be decoded");
    sanitized_report_clear(&report);
}

/* --- What is printed --- */

static void hear(struct qs_sink *sink, const struct qs_field *field, const struct qs_value *value)
{
    struct demo_check *check = (struct demo_check *)sink;
    char *text;

    /* What was sent there is not known; of a demo's messages more may be. */
    if (!check->demo && g_str_has_suffix(field->name, ".undecoded"))
        check->unread = true;
    if (field->type != QS_TEXT || !g_str_has_suffix(field->name, ".print.text"))
        return;
    text = g_strndup((const char *)value->bytes.data, value->bytes.size);
    if (!check->demo)
        g_hash_table_add(check->sent, text);
    else if (!check->unread && !g_hash_table_contains(check->sent, text))
        fuzz_broken(text, "is printed in a demo, but was never sent");
    else
        g_free(text);
}

static void read_blocks(struct qs_sessions *sessions, struct qs_demo_input *recording)
{
    struct qs_demo_block block;

    qs_sessions_begin_demo(sessions, recording);
    while (qs_demo_input_next(recording, &block))
        qs_sessions_block(sessions, &block);
    qs_sessions_end_demo(sessions);
}

static void read_demo(struct demo_check *check, struct qs_demo_input *recording)
{
    struct qs_sessions_options options = fuzz_session_options();
    struct qs_sessions_handler handler = {.sink = &check->sink};
    struct qs_sessions *sessions = qs_sessions_new(&options, &handler);

    qs_sessions_set_source(sessions, "demo", "demo");
    read_blocks(sessions, recording);
    qs_sessions_free(sessions, true);
    fuzz_session_options_clear(&options);
}

static struct qs_demo_input *open_demo(const char *name, struct qs_view file)
{
    GByteArray *bytes = g_byte_array_new();
    char *error = NULL;
    struct qs_demo_input *recording;

    g_byte_array_append(bytes, file.data, file.size);
    recording = qs_demo_input_open(bytes, NULL, name, &error);
    if (!recording)
        fuzz_broken(name, error);
    return recording;
}

static void check_demo(struct demo_check *check, const char *name, struct qs_view file)
{
    struct qs_demo_input *recording = open_demo(name, file);

    check->demo = true;
    read_demo(check, recording);
    check->demo = false;
    /* Blocks of made-up bytes may be another format's as well. */
    if (recording->error && g_str_has_suffix(name, recording->reader.format->extension))
        fuzz_broken(name, recording->error);
    qs_demo_input_close(recording);
}

static void add_donor(const struct demo_check *check, const char *name, struct qs_view file)
{
    struct qs_demo_input *recording = open_demo(name, file);

    qs_donor_demos_add(check->donors, recording);
    qs_demo_input_close(recording);
}

static void check_file(void *user, const char *name, struct qs_view file)
{
    struct demo_check *check = user;

    g_checksum_update(check->sum, (const guchar *)name, (gssize)strlen(name));
    g_checksum_update(check->sum, file.data, file.size);
    if (check->silent)
        return;
    if (check->sanitize)
        check_lists(name, file);
    else
        check_demo(check, name, file);
    if (check->donors)
        add_donor(check, name, file);
}

GHashTable *demo_check_sent_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

/* From now on it gets each file that is written. */
static void start_check(struct demo_check *check, const struct demo_rebuild_setup *setup)
{
    *check = (struct demo_check){.sink = {.field = hear},
                                 .sent = setup->sent ? g_hash_table_ref(setup->sent)
                                                     : demo_check_sent_new(),
                                 .sanitize = setup->sanitize,
                                 .silent = setup->silent,
                                 .sum = g_checksum_new(G_CHECKSUM_MD5),
                                 .donors = setup->donors};
    fuzz_check_files(check_file, check);
}

static void end_check(struct demo_check *check)
{
    fuzz_check_files(NULL, NULL);
    g_checksum_free(check->sum);
    g_hash_table_unref(check->sent);
}

void demo_rebuild_start(struct demo_rebuild *rebuild, const struct demo_rebuild_setup *setup)
{
    rebuild->files = demo_files_new(NULL, false);
    rebuild->options = fuzz_session_options();
    rebuild->options.sign_ons = setup->donated_by;
    rebuild->options.demo.sanitize = setup->sanitize;
    rebuild->options.store = demo_files_store(rebuild->files);
    rebuild->handler =
        (struct qs_sessions_handler){.sink = setup->silent ? NULL : &rebuild->check.sink,
                                     .want_rebuild = true,
                                     .write_demos = true};
    start_check(&rebuild->check, setup);
    rebuild->sessions = qs_sessions_new(&rebuild->options, &rebuild->handler);
    qs_sessions_set_source(rebuild->sessions, "input", "input");
}

void demo_rebuild_end(struct demo_rebuild *rebuild)
{
    qs_sessions_end_source(rebuild->sessions);
    qs_sessions_free(rebuild->sessions, true);
    g_strlcpy(rebuild->sum, g_checksum_get_string(rebuild->check.sum), sizeof rebuild->sum);
    end_check(&rebuild->check);
    demo_files_free(rebuild->files);
    fuzz_session_options_clear(&rebuild->options);
}
