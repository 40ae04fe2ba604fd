/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/demo_check.h"

#include "common/sessions/demo_input.h"
#include "common/sessions/late_join.h"
#include "tests/fuzz/fuzz.h"
#include "tests/sanitized/check.h"

void demo_check_sanitized(const char *name, struct qs_view file)
{
    struct sanitized_report report = sanitized_check(name, file);

    if (report.found || report.unread)
        fuzz_broken(name, report.found ? report.findings->str : "it cannot be decoded");
    g_string_free(report.findings, TRUE);
}

static struct qs_demo_input *open_demo(const char *name, struct qs_view file)
{
    GByteArray *bytes = g_byte_array_append(g_byte_array_new(), file.data, file.size);
    char *error = NULL;
    struct qs_demo_input *demo = qs_demo_input_open(bytes, NULL, name, &error);

    if (!demo)
        fuzz_broken(name, error);
    return demo;
}

static void check_demo(const char *name, struct qs_view file)
{
    struct qs_demo_input *demo = open_demo(name, file);
    struct qs_demo_block block;

    while (qs_demo_input_next(demo, &block))
        ;
    /* Random bytes may also be of another format. */
    if (demo->error && g_str_has_suffix(name, demo->reader.format->extension))
        fuzz_broken(name, demo->error);
    qs_demo_input_close(demo);
}

static void check_file(void *user, const char *name, struct qs_view file)
{
    const struct demo_rebuild_setup *setup = user;

    (setup->sanitize ? demo_check_sanitized : check_demo)(name, file);
    if (setup->donors) {
        struct qs_demo_input *demo = open_demo(name, file);

        qs_donor_demos_add(setup->donors, demo);
        qs_demo_input_close(demo);
    }
}

void demo_rebuild_start(struct demo_rebuild *rebuild, const struct demo_rebuild_setup *setup)
{
    *rebuild = (struct demo_rebuild){.setup = *setup,
                                     .options = fuzz_session_options(),
                                     .handler = {.want_rebuild = true, .write_demos = true},
                                     .files = demo_files_new(NULL, false)};
    rebuild->options.sign_ons = setup->donated_by;
    rebuild->options.demo.sanitize = setup->sanitize;
    rebuild->options.store = demo_files_store(rebuild->files);
    fuzz_check_files(check_file, &rebuild->setup);
    rebuild->sessions = qs_sessions_new(&rebuild->options, &rebuild->handler);
    qs_sessions_set_source(rebuild->sessions, "input", "input");
}

void demo_rebuild_end(struct demo_rebuild *rebuild)
{
    qs_sessions_end_source(rebuild->sessions);
    qs_sessions_free(rebuild->sessions, true);
    fuzz_check_files(NULL, NULL);
    demo_files_free(rebuild->files);
    fuzz_session_options_clear(&rebuild->options);
}
