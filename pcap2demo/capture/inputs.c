/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <glib.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/demo_formats.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/capture/inputs.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/source.h"
#include "pcap2demo/output/message.h"

/* --- One input -------------------------------------------------------------------------------- */

/* Returns "duel" for "duel.pcap" and "duel.pcap.gz". */
static char *stem_of(const char *name)
{
    char *stem = g_path_get_basename(name);
    char *dot;

    stem[qs_unpacked_name_length(stem)] = '\0';
    dot = strrchr(stem, '.');
    if (dot && dot != stem)
        *dot = '\0';
    return stem;
}

/* --- Filters -------------------------------------------------------------------------------- */

/* Compiles a tcpdump expression. If it is invalid, returns false and sets `*error`, a new text. */
static bool link_filter_compile(struct link_filter *filter, int link_type, const char *expression,
                                char **error)
{
    pcap_t *frames = pcap_open_dead(link_type, PCAP_FRAME_MAX);

    filter->link_type = link_type;
    filter->usable =
        pcap_compile(frames, &filter->program, expression, 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (!filter->usable)
        *error =
            g_strdup_printf("filter \"%s\": %s (filters are tcpdump's, such as \"udp port 27500\")",
                            expression, pcap_geterr(frames));
    pcap_close(frames);
    return filter->usable;
}

static void link_filter_clear(struct link_filter *filter)
{
    if (filter->usable)
        pcap_freecode(&filter->program);
    filter->usable = false;
}

bool input_filter_is_valid(const char *expression, char **error)
{
    struct link_filter filter;
    g_autofree char *on_any = NULL; /* "inbound", for example, is only valid on the device "any" */
    const bool valid = link_filter_compile(&filter, DLT_LINUX_SLL2, expression, &on_any) ||
                       link_filter_compile(&filter, DLT_EN10MB, expression, error);

    link_filter_clear(&filter);
    return valid;
}

/* Recompiles the filter if the link type changes, which few captures do. */
static G_GNUC_NO_INLINE bool matches(struct input *input, const struct input_frame *frame)
{
    const struct pcap_pkthdr header = {.caplen = frame->packet.size,
                                       .len = frame->packet.wire_size};
    struct link_filter *filter = &input->compiled;
    char *error = NULL;

    if (filter->link_type != frame->link_type) {
        link_filter_clear(filter);
        link_filter_compile(filter, frame->link_type, input->filter, &error);
        g_free(error);
    }
    return filter->usable && pcap_offline_filter(&filter->program, &header, frame->packet.data);
}

/* --- Files ---------------------------------------------------------------------------------- */

/* Returns the link type for which a filter must be valid: that of the first interface, but Ethernet
 * if that one cannot be read and others may follow. */
static int filtered_link_type(const struct input *input)
{
    const int link_type = input_link_type(input);

    return input->mixed && !link_find(link_type) ? DLT_EN10MB : link_type;
}

struct input *input_open_capture(FILE *stream, const char *name, const char *filter, char **error)
{
    struct input *input = g_new0(struct input, 1);

    input->name = g_strdup(name);
    input->stem = strcmp(name, SOURCE_STANDARD_INPUT) == 0 ? g_strdup("stdin") : stem_of(name);
    input->filter = g_strdup(filter);
    input->mixed = source_is_pcapng(stream);
    input->reader = (input->mixed ? pcapng_reader_open : pcap_reader_open)(stream, error);
    if (input->reader && (!filter || link_filter_compile(&input->compiled,
                                                         filtered_link_type(input), filter, error)))
        return input;
    input_close(input);
    return NULL;
}

/* --- Reading -------------------------------------------------------------------------------- */

int input_link_type(const struct input *input)
{
    return input->reader->link_type;
}

bool input_has_known_links(const struct input *input)
{
    return input->mixed || link_find(input_link_type(input));
}

enum input_status input_next(struct input *input, struct input_frame *frame)
{
    enum input_status status;

    do {
        status = input->reader->next(input->reader, frame);
        if (status != INPUT_FRAME)
            break;
        frame->packet.number = ++input->frames;
    } while (input->filter && !matches(input, frame));
    if (status == INPUT_CUT || status == INPUT_BROKEN) {
        g_free(input->error);
        input->error = g_strdup_printf("cannot be read beyond offset %" G_GUINT64_FORMAT ": %s",
                                       input->reader->position, input->reader->problem);
    }
    return status;
}

void input_close(struct input *input)
{
    link_filter_clear(&input->compiled);
    g_free(input->filter);
    if (input->reader)
        frame_reader_close(input->reader);
    if (input->unknown)
        g_array_free(input->unknown, TRUE);
    g_free(input->name);
    g_free(input->stem);
    g_free(input->error);
    g_free(input);
}

const struct option_row input_rows[] = {
    {"read", 'r', OPTION(TEXTS, input.files), "The same as FILE alone (may be repeated)", "FILE"},
    {"recursive", 'R', OPTION(FLAG, input.recursive), "Also read the folders below a folder"},
    {"session", 's', OPTION(RANGES, sessions.chosen),
     "Only these sessions: 2, or 1,3-5 (may be repeated)", "N"},
    {"player", 0, OPTION(TEXT, input.player), "Only sessions of players with NAME in their name",
     "NAME"},
    {"max-sessions", 0, OPTION(COUNT, sessions.sessions_max), "Follow at most N sessions at once",
     "N"},
    {"filter", 0, OPTION(TEXT, input.filter), "Take only packets that match, as tcpdump does",
     "BPF"},
    {"port", 'p', OPTION(TEXTS, input.ports),
     "Decode these UDP ports as this game (may be repeated)", "GAME=RANGES"},
    {"option", 0, OPTION(TEXTS, input.protocol_options),
     "Set an option of a game's protocol (may be repeated)", "GAME.NAME=VALUE"},
    OPTIONS_END};

/* --- Session limits -------------------------------------------------------------------------- */

/* MEMORY_PART: divisor of the system's or the process's memory. SESSION_MEMORY: bytes that a
 * session may need. */
enum { MEMORY_PART = 2, SESSION_MEMORY = 256 * 1024 };

static bool has_memory(guint live)
{
    static uint64_t max;
    struct rlimit limit;

    if (!max) {
        max = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / MEMORY_PART;
        if (getrlimit(RLIMIT_AS, &limit) == 0)
            max = MIN(max, (uint64_t)limit.rlim_cur / MEMORY_PART);
    }
    return (uint64_t)live * SESSION_MEMORY < max;
}

static void report_limits(const struct qs_session_limits *limits)
{
    failure(EXIT_PROBLEMS, (struct qs_location){0},
            "too many sessions at once (--max-sessions %u, or memory): %" G_GUINT64_FORMAT
            " were ended early, %" G_GUINT64_FORMAT " left out",
            limits->max, limits->ended, limits->left_out);
}

/* --- Protocols ------------------------------------------------------------------------------- */

static bool parse_option_value(const struct qs_option *option, const char *text, uint32_t *value)
{
    guint64 number;

    for (const struct qs_name *choice = option->choices; choice && choice->name; choice++) {
        if (strcmp(choice->name, text) == 0) {
            *value = choice->value;
            return true;
        }
    }
    if (!g_ascii_string_to_unsigned(text, 10, 0, option->choices ? G_MAXUINT32 : 1, &number, NULL))
        return false;
    *value = (uint32_t)number;
    return !option->choices || qs_name_of(option->choices, *value);
}

static void set_standard_options(struct qs_sessions_options *sessions)
{
    for (int i = 0; qs_protocols[i]; i++) {
        const struct qs_protocol *protocol = qs_protocols[i];

        sessions->protocol_options[i] = g_new0(uint32_t, protocol->option_count);
        for (unsigned j = 0; j < protocol->option_count; j++)
            sessions->protocol_options[i][j] = protocol->options[j].standard;
    }
}

static bool set_option(struct qs_sessions_options *sessions, int protocol, const char *name,
                       const char *value)
{
    const struct qs_protocol *record = qs_protocols[protocol];

    for (unsigned i = 0; i < record->option_count; i++)
        if (strcmp(record->options[i].name, name) == 0)
            return parse_option_value(&record->options[i], value,
                                      &sessions->protocol_options[protocol][i]);
    return false;
}

/* Appends, for example, "acknex.pos_resolution=packed|fixed". */
static void append_option(GString *text, const char *protocol, const struct qs_option *option)
{
    g_string_append_printf(text, "%s%s.%s=", text->len ? ", " : "", protocol, option->name);
    if (!option->choices)
        g_string_append(text, "0|1");
    for (const struct qs_name *choice = option->choices; choice && choice->name; choice++)
        g_string_append_printf(text, "%s%s", choice == option->choices ? "" : "|", choice->name);
}

static bool wrong_option(const char *text)
{
    GString *options = g_string_new(NULL);

    for (int i = 0; qs_protocols[i]; i++)
        for (unsigned j = 0; j < qs_protocols[i]->option_count; j++)
            append_option(options, qs_protocols[i]->name, &qs_protocols[i]->options[j]);
    usage_error("--option %s: no such option or value; the options are: %s", text,
                options->len ? options->str : "none");
    g_string_free(options, TRUE);
    return false;
}

/* Parses "PROTO.NAME=VALUE". */
static bool parse_protocol_option(struct qs_sessions_options *sessions, const char *text)
{
    const char *dot = strchr(text, '.');
    const char *equals = dot ? strchr(dot, '=') : NULL;
    char *protocol, *name;
    bool good;
    int number;

    if (!equals)
        return wrong_option(text);
    protocol = g_strndup(text, (gsize)(dot - text));
    name = g_strndup(dot + 1, (gsize)(equals - dot - 1));
    number = qs_protocol_number(protocol);
    good = number >= 0 && set_option(sessions, number, name, equals + 1);
    g_free(protocol);
    g_free(name);
    return good || wrong_option(text);
}

/* --- Options of all inputs ------------------------------------------------------------------- */

void inputs_init(struct qs_sessions_options *sessions)
{
    *sessions = (struct qs_sessions_options){
        .selection = qs_protocol_selection_new(),
        .chosen = g_array_new(FALSE, FALSE, sizeof(struct qs_range)),
        .sign_ons = qs_donor_demos_new(),
        .sessions_max = QS_SESSIONS_MAX,
        .has_memory = has_memory,
        .limited = report_limits,
    };
    set_standard_options(sessions);
}

void inputs_clear(struct qs_sessions_options *sessions)
{
    for (int i = 0; qs_protocols[i]; i++)
        g_free(sessions->protocol_options[i]);
    g_array_free(sessions->chosen, TRUE);
    g_ptr_array_free(sessions->sign_ons, TRUE);
    qs_protocol_selection_free(sessions->selection);
}

bool inputs_parse_protocols(struct options *options)
{
    const struct input_options *input = &options->input;
    char *error = NULL;
    bool good = true;

    for (guint i = 0; i < input->protocol_options->len && good; i++)
        good = parse_protocol_option(&options->sessions,
                                     g_ptr_array_index(input->protocol_options, i));
    for (guint i = 0; i < input->ports->len && good; i++)
        good = qs_protocol_selection_add(options->sessions.selection,
                                         g_ptr_array_index(input->ports, i), &error) ||
               usage_problem(error);
    return good;
}
