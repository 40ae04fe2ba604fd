/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --check: is there anything that cannot be decoded or rebuilt? */
#include <inttypes.h>
#include <stdio.h>

#include "common/core/sink.h"
#include "pcap2demo/action.h"
#include "pcap2demo/report.h"

/* Offenders beyond this number, for each file, are only counted. */
enum { OFFENDERS_MAX = 10 };

struct offender {
    uint64_t packet;
    uint32_t offset;
    const struct qs_protocol *protocol;
    char *text;
};

/* What was found in one file. */
struct findings {
    const char *file;
    bool demo;        /* its packets are blocks */
    uint64_t frames;  /* all packets of the file */
    uint64_t packets; /* those that a protocol claimed */
    uint64_t notes[QS_NOTE_KINDS];
    uint64_t undecoded; /* bytes */
    uint64_t offences;
    GPtrArray *offenders; /* struct offender */
};

struct check {
    struct action action;
    struct qs_sink ears;
    const struct settings *settings;
    GPtrArray *files;         /* struct findings, as they were read */
    struct findings *current; /* the file being read */
    GPtrArray *packet;        /* struct offender of the packet being decoded */
    json_t *sessions;
};

/* --- Listening ------------------------------------------------------------------------------- */

static void offender_free(gpointer data)
{
    struct offender *offender = data;

    g_free(offender->text);
    g_free(offender);
}

static void findings_free(gpointer data)
{
    struct findings *findings = data;

    g_ptr_array_free(findings->offenders, TRUE);
    g_free(findings);
}

static struct check *check_of(struct qs_sink *ears)
{
    return (struct check *)((char *)ears - G_STRUCT_OFFSET(struct check, ears));
}

static void add_offender(struct check *check, uint32_t offset, char *text)
{
    struct offender *offender = g_new0(struct offender, 1);

    offender->offset = offset;
    offender->protocol = check->ears.protocol;
    offender->text = text;
    g_ptr_array_add(check->packet, offender);
}

static void hear_note(struct qs_sink *ears, enum qs_note kind, uint32_t offset, uint32_t length,
                      const char *text)
{
    (void)length;
    if (qs_note_kinds[kind].problem)
        add_offender(check_of(ears), offset, printable(text));
}

static void hear_field(struct qs_sink *ears, const struct qs_field *field,
                       const struct qs_value *value)
{
    if (field == &ears->protocol->fields[ears->protocol->undecoded])
        add_offender(check_of(ears), value->offset,
                     g_strdup_printf("%" PRIu32 " %s undecoded", value->length,
                                     value->length == 1 ? "byte" : "bytes"));
}

/* --- Counting -------------------------------------------------------------------------------- */

static struct findings *findings_for(struct check *check, const char *file)
{
    if (check->current)
        return check->current;
    check->current = g_new0(struct findings, 1);
    check->current->file = g_intern_string(file);
    check->current->offenders = g_ptr_array_new_with_free_func(offender_free);
    g_ptr_array_add(check->files, check->current);
    return check->current;
}

/* Moves the packet's offenders to the file's, as far as there is room. */
static void keep_offenders(struct check *check, struct findings *findings, uint64_t packet)
{
    findings->offences += check->packet->len;
    while (check->packet->len) {
        struct offender *offender = g_ptr_array_steal_index(check->packet, 0);

        offender->packet = packet;
        if (findings->offenders->len < OFFENDERS_MAX)
            g_ptr_array_add(findings->offenders, offender);
        else
            offender_free(offender);
    }
}

static void check_packet(struct action *action, const struct seen *seen)
{
    struct check *check = (struct check *)action;
    struct findings *findings = findings_for(check, seen->place.file);

    findings->demo = seen->place.block;
    if (!session_is_wanted(seen->session, check->settings)) {
        g_ptr_array_set_size(check->packet, 0);
        return;
    }
    findings->packets++;
    findings->undecoded += seen->decoder->undecoded;
    for (int i = 0; i < QS_NOTE_KINDS; i++)
        findings->notes[i] += seen->decoder->notes[i];
    keep_offenders(check, findings, seen->place.packet);
}

static void check_input_over(struct action *action, const char *file, uint64_t frames)
{
    struct check *check = (struct check *)action;

    findings_for(check, file)->frames = frames;
    check->current = NULL;
}

/* Sessions end in any order, and are reported by number. */
static size_t place_of(const struct check *check, unsigned number)
{
    size_t place = json_array_size(check->sessions);

    while (place) {
        const json_t *before = json_array_get(check->sessions, place - 1);

        if (json_integer_value(json_object_get(before, "number")) < (json_int_t)number)
            break;
        place--;
    }
    return place;
}

static void check_session(struct action *action, const struct session *session)
{
    struct check *check = (struct check *)action;

    json_array_insert_new(check->sessions, place_of(check, session->number),
                          report_session_json(session));
    report_demo_problems(session);
}

/* --- The report ------------------------------------------------------------------------------ */

static void print_offenders(const struct findings *findings)
{
    for (guint i = 0; i < findings->offenders->len; i++) {
        const struct offender *offender = g_ptr_array_index(findings->offenders, i);

        failure(EXIT_PROBLEMS, (struct place){findings->file, offender->packet, findings->demo},
                "offset %" PRIu32 ": %s: %s", offender->offset, offender->protocol->short_name,
                offender->text);
    }
    if (findings->offences > findings->offenders->len)
        failure(EXIT_PROBLEMS, (struct place){.file = findings->file}, "and %" PRIu64 " more",
                findings->offences - findings->offenders->len);
}

static void print_findings(const struct findings *findings)
{
    if (findings->demo)
        printf("%s: %" PRIu64 " blocks, %" PRIu64 " bytes undecoded\n", findings->file,
               findings->frames, findings->undecoded);
    else
        printf("%s: %" PRIu64 " packets, %" PRIu64 " of a known game, %" PRIu64
               " bytes undecoded\n",
               findings->file, findings->frames, findings->packets, findings->undecoded);
    for (int i = 0; i < QS_NOTE_KINDS; i++)
        if (findings->notes[i])
            printf("  %s%s: %" PRIu64 "\n", qs_note_kinds[i].suffix,
                   qs_note_kinds[i].problem ? "" : " (no problem)", findings->notes[i]);
}

static json_t *offenders_json(const struct findings *findings)
{
    json_t *offenders = json_array();

    for (guint i = 0; i < findings->offenders->len; i++) {
        const struct offender *offender = g_ptr_array_index(findings->offenders, i);
        json_t *json = json_object();

        json_object_set_new(json, "packet", json_integer((json_int_t)offender->packet));
        json_object_set_new(json, "offset", json_integer(offender->offset));
        json_object_set_new(json, "protocol", json_string(offender->protocol->name));
        json_object_set_new(json, "text", json_string(offender->text));
        json_array_append_new(offenders, json);
    }
    return offenders;
}

static json_t *findings_json(const struct findings *findings)
{
    json_t *json = json_object();
    json_t *notes = json_object();

    for (int i = 0; i < QS_NOTE_KINDS; i++)
        if (findings->notes[i])
            json_object_set_new(notes, qs_note_kinds[i].suffix,
                                json_integer((json_int_t)findings->notes[i]));
    json_object_set_new(json, "file", report_file_json(findings->file));
    json_object_set_new(json, "frames", json_integer((json_int_t)findings->frames));
    json_object_set_new(json, "packets", json_integer((json_int_t)findings->packets));
    json_object_set_new(json, "undecoded_bytes", json_integer((json_int_t)findings->undecoded));
    json_object_set_new(json, "notes", notes);
    json_object_set_new(json, "problem_count", json_integer((json_int_t)findings->offences));
    json_object_set_new(json, "problems", offenders_json(findings));
    return json;
}

static void print_json(const struct check *check)
{
    json_t *report = report_json("check");
    json_t *files = json_array();

    for (guint i = 0; i < check->files->len; i++)
        json_array_append_new(files, findings_json(g_ptr_array_index(check->files, i)));
    json_object_set_new(report, "files", files);
    json_object_set(report, "sessions", check->sessions);
    json_object_set_new(report, "status", json_integer(status_so_far()));
    report_print_json(report);
}

/* The offenders go to standard error, also beside JSON. */
static void print_text(const struct check *check)
{
    for (guint i = 0; i < check->files->len; i++) {
        const struct findings *findings = g_ptr_array_index(check->files, i);

        print_offenders(findings);
        if (!check->settings->json && !check->settings->quiet)
            print_findings(findings);
    }
}

static void check_end(struct action *action, bool report)
{
    struct check *check = (struct check *)action;

    print_text(check);
    if (report && check->settings->json)
        print_json(check);
    json_decref(check->sessions);
    g_ptr_array_free(check->files, TRUE);
    g_ptr_array_free(check->packet, TRUE);
    g_free(check);
}

struct action *check_new(const struct settings *settings)
{
    struct check *check = g_new0(struct check, 1);

    check->ears = (struct qs_sink){.field = hear_field, .note = hear_note};
    check->action = (struct action){.sink = &check->ears,
                                    .wants_rebuild = true,
                                    .packet = check_packet,
                                    .session_over = check_session,
                                    .input_over = check_input_over,
                                    .end = check_end};
    check->settings = settings;
    check->files = g_ptr_array_new_with_free_func(findings_free);
    check->packet = g_ptr_array_new_with_free_func(offender_free);
    check->sessions = json_array();
    return &check->action;
}
