/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --pcap: makes a capture of demos. */
#include <stdio.h>
#include <string.h>

#include "pcap2demo/actions/action.h"
#include "pcap2demo/capture/pcap_out.h"
#include "pcap2demo/actions/report.h"
#include "pcap2demo/output/writer.h"

struct sender {
    struct qs_demo_sender base;
    struct pcap_out *pcap;
    struct qs_address client, server;
    struct qs_location location; /* of the block at hand */
    int64_t time;
};

struct pcap {
    struct action action;
    const struct options *options;
    struct sender sender;
    const struct qs_client_session *session; /* the demo at hand, or NULL */
    const struct qs_demo_packet_maker *maker;
    void *state;
    bool refused; /* an input is a capture, which was reported */
};

/* --- Sending --- */

static const struct qs_address *source_of(const struct sender *sender, enum qs_direction direction)
{
    return direction == QS_C2S ? &sender->client : &sender->server;
}

static const struct qs_address *destination_of(const struct sender *sender,
                                               enum qs_direction direction)
{
    return direction == QS_C2S ? &sender->server : &sender->client;
}

static void send_datagram(struct qs_demo_sender *base, enum qs_direction direction,
                          struct qs_view datagram, const char *comment)
{
    struct sender *sender = (struct sender *)base;

    if (datagram.size > PCAP_OUT_PAYLOAD_MAX)
        failure(EXIT_PROBLEMS, sender->location,
                "%u bytes are more than a datagram holds; left out", datagram.size);
    else
        pcap_out_datagram(sender->pcap, sender->time, source_of(sender, direction),
                          destination_of(sender, direction), datagram, comment);
}

static void send_segment(struct qs_demo_sender *base, enum qs_direction direction,
                         const struct qs_demo_segment *segment, const char *comment)
{
    struct sender *sender = (struct sender *)base;

    pcap_out_segment(sender->pcap, sender->time, source_of(sender, direction),
                     destination_of(sender, direction),
                     &(struct pcap_out_segment){.sequence = segment->sequence,
                                                .acknowledged = segment->acknowledged,
                                                .flags = segment->flags,
                                                .payload = segment->payload},
                     comment);
}

/* --- Demos --- */

/* Addresses of the network that is kept for documentation (RFC 5737); each demo has a client. */
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

static void begin_demo(struct pcap *pcap, const struct qs_client_session *session)
{
    end_demo(pcap);
    pcap->session = session;
    pcap->maker = session->recorded->packets;
    if (!session->chosen)
        return;
    set_addresses(&pcap->sender, session->number, pcap->maker->port);
    pcap->sender.base.offset = 0;
    pcap->state = g_malloc0(pcap->maker->state_size);
    *(struct qs_demo_sender **)pcap->state = &pcap->sender.base;
}

static void refuse_capture(struct pcap *pcap, const char *file)
{
    if (!pcap->refused)
        failure(EXIT_UNUSABLE, (struct qs_location){.file = file},
                "is a capture already; --pcap takes demos");
    pcap->refused = true;
}

static void pcap_packet(struct qs_sessions_handler *handler,
                        const struct qs_decoded_packet *decoded)
{
    struct pcap *pcap = (struct pcap *)handler;

    if (!decoded->location.block) {
        refuse_capture(pcap, decoded->location.file);
        return;
    }
    pcap->sender.time = decoded->packet->time;
    pcap->sender.location = decoded->location;
    if (decoded->session != pcap->session)
        begin_demo(pcap, decoded->session);
    if (pcap->state)
        pcap->maker->block(pcap->state, decoded->decoder, decoded->packet);
}

static void pcap_session(struct qs_sessions_handler *handler,
                         const struct qs_client_session *session)
{
    struct pcap *pcap = (struct pcap *)handler;

    if (session == pcap->session)
        end_demo(pcap);
}

/* --- The end --- */

static void pcap_end(struct action *action, bool any_input)
{
    struct pcap *pcap = (struct pcap *)action;
    char *name = g_path_get_basename(pcap->options->argument);
    char *error = any_input && !pcap->refused
                      ? pcap_out_commit(pcap->sender.pcap, name, pcap->options->force)
                      : NULL;

    if (error)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = pcap->options->argument}, "%s", error);
    end_demo(pcap);
    pcap_out_free(pcap->sender.pcap);
    g_byte_array_free(pcap->sender.base.packet, TRUE);
    g_free(error);
    g_free(name);
    g_free(pcap);
}

/* Without their folders, which others need not know. */
static char *names_of(char *const *files)
{
    GString *names = g_string_new(NULL);

    for (; *files; files++) {
        char *name = g_path_get_basename(*files);

        g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
        g_free(name);
    }
    return g_string_free(names, FALSE);
}

/* The section's comment. */
static char *comment_of(const struct options *options)
{
    char *names = names_of(options->files);
    char *clean = qs_text_printable(names);
    char *comment = g_strdup_printf(
        "Made by pcap2demo from: %s. The server's messages are the demo's. The handshake, the "
        "headers of Quake II and Quake, acknowledgements and the client's packets are made up; "
        "the packets' comments tell what of the demo each carries.",
        clean);

    g_free(clean);
    g_free(names);
    return comment;
}

static char *name_problem(const char *file)
{
    return writer_name_problem("--pcap", file);
}

static struct action *create(const struct options *options)
{
    struct pcap *pcap = g_new0(struct pcap, 1);
    char *folder = g_path_get_dirname(options->argument);
    char *comment = comment_of(options);

    pcap->action = (struct action){
        .handler.packet = pcap_packet, .handler.session_end = pcap_session, .end = pcap_end};
    pcap->options = options;
    pcap->sender.pcap = pcap_out_new(folder, comment);
    pcap->sender.base = (struct qs_demo_sender){
        .datagram = send_datagram, .segment = send_segment, .packet = g_byte_array_new()};
    g_free(comment);
    g_free(folder);
    return &pcap->action;
}

const struct action_kind pcap_action = {
    .name = "pcap",
    .letter = 'w',
    .help = "Make a capture of demos, for Wireshark",
    .argument = "FILE",
    .problem = name_problem,
    .create = create,
};
