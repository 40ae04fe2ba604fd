/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --pcap: converts demos to a capture, or cuts captures. */
#include <stdio.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "common/demo_formats.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/actions/cut.h"
#include "pcap2demo/capture/pcapng_writer.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/output/files.h"

struct sender {
    struct qs_demo_sender base;
    struct pcapng_writer *pcap;
    struct qs_address client, server;
    struct qs_location location; /* location of the current block */
    int64_t time;
    uint16_t id; /* ID of the last IP packet */
};

struct pcap {
    struct action action;
    struct sender sender;
    const struct qs_client_session *session; /* session of the current demo, or NULL */
    const struct qs_demo_packet_maker *maker;
    void *state;
    struct cut *cut;
    unsigned demo_inputs;
    unsigned demos; /* number of demos to convert */
    char *summary;  /* message for after the file is written, or NULL */
};

/* --- Sending --- */

static void send_packet(struct sender *sender, enum qs_direction direction, struct qs_view payload,
                        const struct frame_tcp *tcp)
{
    const bool to_server = direction == QS_C2S;
    const struct frame_content content = {
        .source = to_server ? &sender->client : &sender->server,
        .destination = to_server ? &sender->server : &sender->client,
        .id = ++sender->id,
        .tcp = tcp,
        .no_udp_checksum = !tcp,
        .payload = payload,
        .wire_size = payload.size,
    };

    pcapng_writer_packet(sender->pcap, sender->time, &content);
}

static void send_datagram(struct qs_demo_sender *base, enum qs_direction direction,
                          struct qs_view datagram)
{
    struct sender *sender = (struct sender *)base;

    if (datagram.size > DATAGRAM_PAYLOAD_MAX)
        failure(EXIT_PROBLEMS, sender->location,
                "%u bytes are more than a datagram holds; left out", datagram.size);
    else
        send_packet(sender, direction, datagram, NULL);
}

static void send_segment(struct qs_demo_sender *base, enum qs_direction direction,
                         const struct qs_demo_segment *segment)
{
    send_packet((struct sender *)base, direction, segment->payload,
                &(struct frame_tcp){segment->sequence, segment->acknowledged, segment->flags});
}

/* --- Demos --- */

/* Sets addresses of a documentation network (RFC 5737). Each demo has its own client. */
static void set_addresses(struct sender *out, unsigned session, uint16_t server_port)
{
    const uint8_t client = (uint8_t)(2 + (session - 1) % 253);

    out->server = (struct qs_address){.family = 4, .bytes = {192, 0, 2, 1}, .port = server_port};
    out->client = (struct qs_address){
        .family = 4, .bytes = {192, 0, 2, client}, .port = (uint16_t)(50000 + session % 10000)};
}

static void end_demo(struct pcap *pcap)
{
    if (pcap->state && pcap->maker->finish)
        pcap->maker->finish(pcap->state);
    g_clear_pointer(&pcap->state, g_free);
    pcap->session = NULL;
}

/* Returns the files' names without folders, for privacy. The caller frees the text. */
static char *names_of(char *const *files)
{
    GString *names = g_string_new(NULL);
    char *clean;

    for (; *files; files++) {
        char *name = g_path_get_basename(*files);

        g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
        g_free(name);
    }
    clean = qs_text_printable(names->str);
    g_string_free(names, TRUE);
    return clean;
}

static void begin_file(struct pcap *pcap)
{
    g_autofree char *names = names_of(pcap->action.options->files);
    char *comment = g_strdup_printf(
        "Made by pcap2demo from: %s. The server's messages are the demo's. The handshake, the "
        "headers of Quake II and Quake, acknowledgements and the client's packets are made up.",
        names);

    pcapng_writer_begin(pcap->sender.pcap, comment);
    g_free(comment);
}

static void begin_demo(struct pcap *pcap, const struct qs_client_session *session)
{
    end_demo(pcap);
    if (!pcap->demo_inputs++)
        begin_file(pcap);
    pcap->session = session;
    pcap->maker = session->recorded->packets;
    if (!session->chosen)
        return;
    if (!pcap->maker) {
        failure(EXIT_PROBLEMS, pcap->sender.location, "--pcap does not support .%s demos; left out",
                session->recorded->extension);
        return;
    }
    pcap->demos++;
    set_addresses(&pcap->sender, session->number, pcap->maker->port);
    pcap->state = g_malloc0(pcap->maker->state_size);
    *(struct qs_demo_sender **)pcap->state = &pcap->sender.base;
}

static void send_block(struct pcap *pcap, const struct qs_decoded_packet *decoded)
{
    pcap->sender.time = decoded->packet->time;
    pcap->sender.location = decoded->location;
    if (decoded->session != pcap->session)
        begin_demo(pcap, decoded->session);
    if (pcap->state)
        pcap->maker->block(pcap->state, decoded->decoder, decoded->packet);
}

static void pcap_packet(struct qs_sessions_handler *handler,
                        const struct qs_decoded_packet *decoded)
{
    struct pcap *pcap = (struct pcap *)handler;

    if (decoded->location.block)
        send_block(pcap, decoded);
    else
        cut_packet(pcap->cut, decoded);
}

static void pcap_session(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session)
{
    struct pcap *pcap = (struct pcap *)handler;

    if (session == pcap->session)
        end_demo(pcap);
    cut_session_over(pcap->cut, session->number);
}

/* --- Captures --- */

static bool cut_captures(struct pcap *pcap)
{
    char *const *files = pcap->action.options->files;
    char *names = names_of(files);
    char *comment = g_strdup_printf("Cut by pcap2demo from: %s", names);
    struct cut_counts counts;
    bool good =
        cut_copy(pcap->cut, pcap->action.read.identity, pcap->sender.pcap, comment, &counts);

    g_free(comment);
    g_free(names);
    if (good && !counts.kept) {
        failure(EXIT_PROBLEMS, (struct qs_location){.file = pcap->action.options->argument},
                "not written: no packet of %" G_GUINT64_FORMAT " is selected", counts.frames);
        good = false;
    }
    if (good) {
        action_warn_of_clocks(&pcap->action);
        pcap->summary = g_strdup_printf(
            "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " packet%s, %u session%s", counts.kept,
            counts.frames, qs_plural(counts.frames), counts.sessions, qs_plural(counts.sessions));
    }
    return good;
}

/* --- End ------------------------------------------------------------------------------------- */

static const char one_capture[] = "--packets goes with one capture: each counts its own packets";

static bool finish_demos(struct pcap *pcap)
{
    if (pcap->action.options->packets->len) {
        failure(EXIT_UNUSABLE, (struct qs_location){0},
                "--packets goes with captures, not with demos");
        return false;
    }
    if (!pcap->demos)
        return false;
    pcap->summary = g_strdup_printf(
        "%" G_GUINT64_FORMAT " packet%s of %u demo%s", pcapng_writer_packets(pcap->sender.pcap),
        qs_plural(pcapng_writer_packets(pcap->sender.pcap)), pcap->demos, qs_plural(pcap->demos));
    return true;
}

/* Finishes the file after all inputs. False if nothing is to be written. */
static bool finish(struct pcap *pcap)
{
    if (pcap->demo_inputs && pcap->action.read.packets) {
        failure(EXIT_UNUSABLE, (struct qs_location){0},
                "--pcap takes demos, or captures, but not both at once");
        return false;
    }
    if (pcap->action.options->packets->len && pcap->action.read.files > 1) {
        failure(EXIT_UNUSABLE, (struct qs_location){0}, "%s", one_capture);
        return false;
    }
    return pcap->demo_inputs ? finish_demos(pcap) : cut_captures(pcap);
}

static void pcap_end(struct action *action, bool any_input)
{
    struct pcap *pcap = (struct pcap *)action;
    g_autofree char *name = g_path_get_basename(pcap->action.options->argument);
    g_autofree char *error = NULL;

    end_demo(pcap);
    if (any_input && !action->interrupted && finish(pcap))
        error = pcapng_writer_commit(pcap->sender.pcap, name, pcap->action.options->force);
    if (error)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = pcap->action.options->argument}, "%s",
                error);
    else if (pcap->summary && !pcap->action.options->quiet)
        print_line("%s: %s", pcap->action.options->argument, pcap->summary);
    pcapng_writer_free(pcap->sender.pcap);
    cut_free(pcap->cut);
    g_byte_array_free(pcap->sender.base.packet, TRUE);
    g_free(pcap->summary);
}

static char *name_problem(const char *file)
{
    if (qs_demo_format_of_name(file))
        return g_strdup_printf("--pcap %s: writes a capture; for a demo use --output %s", file,
                               file);
    return writer_name_problem("--pcap", file);
}

static void begin(struct action *action)
{
    struct pcap *pcap = (struct pcap *)action;
    g_autofree char *folder = g_path_get_dirname(action->options->argument);

    pcap->cut = cut_new(action->options);
    pcap->sender.pcap = pcapng_writer_new(folder);
    pcap->sender.base = (struct qs_demo_sender){
        .datagram = send_datagram, .segment = send_segment, .packet = g_byte_array_new()};
}

static bool parse(struct options *options)
{
    return !options->packets->len || !options->files[0] || !options->files[1] ||
           usage_error("%s", one_capture);
}

static const struct option_row rows[] = {{"packets", 0, OPTION(RANGES, packets),
                                          "Only these packets: 100-200,300 (may be repeated)",
                                          "RANGES"},
                                         OPTIONS_END};

const struct action_kind pcap_action = {
    .option = {"pcap", 'w', .type = OPTION_ACTION,
               .help = "Make a capture of demos, or of part of captures", .value = "FILE"},
    .task = TASK_CAPTURE,
    .problem = name_problem,
    .rows = rows,
    .parse = parse,
    .size = sizeof(struct pcap),
    .running = {.handler.packet = pcap_packet,
                .handler.session_end = pcap_session,
                .handler.session_left_out = pcap_session,
                .reads_again = true,
                .end = pcap_end},
    .begin = begin,
};
