/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --pcap: makes a capture of demos. */
#include <stdio.h>
#include <string.h>

#include "pcap2demo/actions/action.h"
#include "pcap2demo/export.h"
#include "pcap2demo/capture/pcap_out.h"
#include "pcap2demo/actions/report.h"

static const struct exporter *const exporters[] = {&export_qwd, &export_mvd, &export_dm2,
                                                   &export_dem};

struct export
{
    struct pcap_out *pcap;
    struct qs_address client, server;
    struct location location; /* of the block at hand */
    int64_t time;
    GByteArray *text; /* scratch */
};

struct pcap {
    struct action action;
    const struct options *options;
    struct export export;
    const struct session *session; /* the demo at hand, or NULL */
    const struct exporter *exporter;
    void *state;
    bool refused; /* an input is a capture: that was said */
};

/* --- Sending --------------------------------------------------------------------------------- */

static void send_datagram(struct export *out, const struct qs_address *source,
                          const struct qs_address *destination, struct qs_view datagram)
{
    if (datagram.size > PCAP_OUT_PAYLOAD_MAX)
        failure(EXIT_PROBLEMS, out->location, "%u bytes are more than a datagram holds; left out",
                datagram.size);
    else
        pcap_out_datagram(out->pcap, out->time, source, destination, datagram);
}

void export_to_server(struct export *out, struct qs_view datagram)
{
    send_datagram(out, &out->client, &out->server, datagram);
}

void export_to_client(struct export *out, struct qs_view datagram)
{
    send_datagram(out, &out->server, &out->client, datagram);
}

void export_segment_to_server(struct export *out, const struct pcap_out_segment *segment)
{
    pcap_out_segment(out->pcap, out->time, &out->client, &out->server, segment);
}

void export_segment_to_client(struct export *out, const struct pcap_out_segment *segment)
{
    pcap_out_segment(out->pcap, out->time, &out->server, &out->client, segment);
}

static struct qs_view connectionless(struct export *out, const char *text)
{
    g_byte_array_set_size(out->text, 0);
    qs_write_u32(out->text, UINT32_MAX);
    qs_write_view(out->text, (struct qs_view){(const uint8_t *)text, (uint32_t)strlen(text)});
    return qs_view_of_bytes(out->text);
}

void export_text_to_server(struct export *out, const char *text)
{
    export_to_server(out, connectionless(out, text));
}

void export_text_to_client(struct export *out, const char *text)
{
    export_to_client(out, connectionless(out, text));
}

/* --- Demos ----------------------------------------------------------------------------------- */

static const struct exporter *find_exporter(const struct qs_demo_format *format)
{
    for (size_t i = 0; i < G_N_ELEMENTS(exporters); i++)
        if (exporters[i]->format == format)
            return exporters[i];
    return NULL;
}

/* Addresses of the network that is kept for documentation (RFC 5737); each demo has a client. */
static void set_addresses(struct export *out, unsigned session, uint16_t server_port)
{
    const uint8_t client = (uint8_t)(2 + (session - 1) % 253);

    out->server = (struct qs_address){.family = 4, .bytes = {192, 0, 2, 1}, .port = server_port};
    out->client = (struct qs_address){
        .family = 4, .bytes = {192, 0, 2, client}, .port = (uint16_t)(50000 + session % 10000)};
}

static void end_demo(struct pcap *pcap)
{
    if (pcap->state && pcap->exporter->finish)
        pcap->exporter->finish(pcap->state);
    if (pcap->state)
        pcap->exporter->free(pcap->state);
    pcap->state = NULL;
    pcap->session = NULL;
}

static void begin_demo(struct pcap *pcap, const struct session *session)
{
    end_demo(pcap);
    pcap->session = session;
    pcap->exporter = find_exporter(session->recorded);
    if (!pcap->exporter || !session->chosen)
        return;
    set_addresses(&pcap->export, session->number, pcap->exporter->port);
    pcap->state = pcap->exporter->create(&pcap->export);
}

static void refuse_capture(struct pcap *pcap, const char *file)
{
    if (!pcap->refused)
        failure(EXIT_UNUSABLE, (struct location){.file = file},
                "is a capture already; --pcap takes demos");
    pcap->refused = true;
}

static void pcap_packet(struct session_handler *handler, const struct decoded_packet *decoded)
{
    struct pcap *pcap = (struct pcap *)handler;

    if (!decoded->location.block) {
        refuse_capture(pcap, decoded->location.file);
        return;
    }
    pcap->export.time = decoded->packet->time;
    pcap->export.location = decoded->location;
    if (decoded->session != pcap->session)
        begin_demo(pcap, decoded->session);
    if (pcap->state)
        pcap->exporter->block(pcap->state, decoded->decoder, decoded->packet);
}

static void pcap_session(struct session_handler *handler, const struct session *session)
{
    struct pcap *pcap = (struct pcap *)handler;

    if (session == pcap->session)
        end_demo(pcap);
}

/* --- The end --------------------------------------------------------------------------------- */

static void pcap_end(struct action *action, bool any_input)
{
    struct pcap *pcap = (struct pcap *)action;
    char *name = g_path_get_basename(pcap->options->pcap);
    char *error = any_input && !pcap->refused
                      ? pcap_out_commit(pcap->export.pcap, name, pcap->options->sessions.demo.force)
                      : NULL;

    if (error)
        failure(EXIT_PROBLEMS, (struct location){.file = pcap->options->pcap}, "%s", error);
    end_demo(pcap);
    pcap_out_free(pcap->export.pcap);
    g_byte_array_free(pcap->export.text, TRUE);
    g_free(error);
    g_free(name);
    g_free(pcap);
}

/* Without their folders, which are nobody's business. */
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

/* What the capture says of itself. */
static char *comment_of(const struct options *options)
{
    char *names = names_of(options->files);
    char *clean = printable(names);
    char *comment = g_strdup_printf(
        "Made by pcap2demo from: %s. The server's messages are the demo's. The handshake, the "
        "headers of Quake II and Quake, acknowledgements and the client's packets are made up; "
        "the client's commands \"demo ...\" say what else the demo holds.",
        clean);

    g_free(clean);
    g_free(names);
    return comment;
}

struct action *pcap_new(const struct options *options)
{
    struct pcap *pcap = g_new0(struct pcap, 1);
    char *folder = g_path_get_dirname(options->pcap);
    char *comment = comment_of(options);

    pcap->action = (struct action){
        .handler.packet = pcap_packet, .handler.session_end = pcap_session, .end = pcap_end};
    pcap->options = options;
    pcap->export.pcap = pcap_out_new(folder, comment);
    pcap->export.text = g_byte_array_new();
    g_free(comment);
    g_free(folder);
    return &pcap->action;
}
