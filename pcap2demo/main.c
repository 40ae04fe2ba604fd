/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcap2demo: from captures to demos, lists, dumps and checks.
 *
 * A packet's way: input (file, live) -> link -> ip -> (tcp ->) session (flow, claim, decode) ->
 * rebuilder, and the action that was asked for. No stage calls back up.
 */
#include <errno.h>
#include <locale.h>
#include <pcap/pcap.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "pcap2demo/actions/action.h"
#include "common/core/writer.h"
#include "pcap2demo/capture/comments.h"
#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/ip.h"
#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/load.h"
#include "pcap2demo/capture/recording.h"
#include "pcap2demo/output/message.h"
#include "pcap2demo/output/progress.h"
#include "pcap2demo/sessions/sessions.h"
#include "pcap2demo/options.h"
#include "pcap2demo/capture/tcp.h"

/* The progress bar and the state of standard output are looked at after so many frames. */
enum { LOOK_UP_EVERY = 1024 };

static volatile sig_atomic_t interrupted;
static struct input *volatile waiting; /* the input being read, or NULL */

struct run {
    const struct options *options;
    struct action *action;
    struct ip *ip;
    struct tcp *tcp;
    struct sessions *sessions;
    uint64_t bytes_before; /* of the files read before this one */
    unsigned inputs;       /* that could be read */
    uint64_t frames, datagrams;
    uint64_t number; /* of the last frame */
    uint64_t blocks; /* of demos */
};

/* --- Signals and output ---------------------------------------------------------------------- */

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
    if (waiting)
        input_break(waiting);
}

/* Reads are not restarted, so that waiting for standard input ends at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    /* So that demos at work are tidied up; finish_output() dies of it in the end. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* then writing fails, which is said */
}

/* Standard output, when nobody reads it any more, ends the program as it would have. */
static void finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    if (errno == EPIPE) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    failure(EXIT_UNUSABLE, (struct location){0}, "standard output: %s", g_strerror(errno));
}

/* --- One input ------------------------------------------------------------------------------- */

static void take_pieces(struct run *run)
{
    struct tcp_piece piece;

    while (tcp_next(run->tcp, &piece))
        sessions_piece(run->sessions, &piece);
}

static void take_frame(struct run *run, link_reader *link, struct input_frame *frame)
{
    struct qs_packet packet = {.number = frame->number, .time = frame->time};

    run->frames++;
    run->number = frame->number;
    if (!link(&frame->bytes))
        return;
    switch (ip_read(run->ip, frame->bytes, frame->time, &packet)) {
    case IP_UDP:
        run->datagrams++;
        sessions_datagram(run->sessions, &packet);
        break;
    case IP_TCP:
        tcp_take(run->tcp, &packet);
        take_pieces(run);
        break;
    case IP_NOTHING:
        break;
    }
}

/* Nothing follows: what waits for more is looked at as it is. */
static void end_packets(struct run *run)
{
    ip_end(run->ip);
    tcp_end(run->tcp, run->number);
    take_pieces(run);
}

/* Every now and then. False when reading on is of no use. */
static bool look_up(struct run *run, const struct input *input)
{
    progress_update(run->bytes_before + input_position(input));
    return !ferror(stdout);
}

static void read_frames(struct run *run, struct input *input, link_reader *link)
{
    struct input_frame frame;
    enum input_status status = INPUT_FRAME;

    while (!interrupted) {
        status = input_next(input, &frame);
        if (status == INPUT_FRAME)
            take_frame(run, link, &frame);
        else if (status != INPUT_IDLE)
            break;
        if (run->frames % LOOK_UP_EVERY == 0 && !look_up(run, input))
            break;
    }
    if (status == INPUT_BROKEN && !interrupted)
        failure(EXIT_PROBLEMS,
                (struct location){.file = input_name(input), .packet = input_frames(input) + 1},
                "%s", input_error(input));
}

static void report_dropped(const struct input *input)
{
    const uint64_t dropped = input_dropped(input);

    if (dropped)
        failure(EXIT_PROBLEMS, (struct location){.file = input_name(input)},
                "%" G_GUINT64_FORMAT " packets came too fast and are lost", dropped);
}

static void start_input(struct run *run, const char *name, const char *stem)
{
    run->inputs++;
    sessions_set_source(run->sessions, name, stem);
    if (run->action->input_start)
        run->action->input_start(run->action, name);
}

/* Sessions may go on in the next input, unless each stands by itself. */
static void end_input(struct run *run, const char *name, uint64_t packets)
{
    run->action->interrupted = interrupted;
    if (run->options->apart) {
        end_packets(run);
        sessions_free(run->sessions, !interrupted);
        run->sessions = sessions_new(&run->options->sessions, &run->action->handler);
    }
    if (run->action->input_over)
        run->action->input_over(run->action, name, packets);
}

static void read_input(struct run *run, struct input *input)
{
    link_reader *link = link_find(input_link_type(input));
    const char *link_name = pcap_datalink_val_to_description_or_dlt(input_link_type(input));

    if (!link) {
        failure(EXIT_UNUSABLE, (struct location){.file = input_name(input)},
                "captures of link type \"%s\" cannot be read", link_name);
        return;
    }
    start_input(run, input_name(input), input_stem(input));
    waiting = input;
    read_frames(run, input, link);
    waiting = NULL;
    report_dropped(input);
    end_input(run, input_name(input), input_frames(input));
}

/* --- One demo -------------------------------------------------------------------------------- */

static void read_blocks(struct run *run, struct recording *recording)
{
    struct qs_demo_block block;

    while (!interrupted && !ferror(stdout) && recording_next(recording, &block)) {
        sessions_block(run->sessions, &block);
        run->blocks++;
    }
    if (recording_error(recording))
        failure(EXIT_PROBLEMS,
                (struct location){recording_name(recording), recording_number(recording) + 1, true},
                "%s", recording_error(recording));
}

static void read_demo(struct run *run, struct recording *recording)
{
    const char *name = recording_name(recording);

    start_input(run, name, "");
    sessions_begin_demo(run->sessions, recording);
    read_blocks(run, recording);
    sessions_end_demo(run->sessions);
    end_input(run, name, recording_number(recording));
}

/* --- All inputs ------------------------------------------------------------------------------ */

static uint64_t file_size(const char *name)
{
    struct stat about;

    return stat(name, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

static uint64_t total_size(char *const *files)
{
    uint64_t total = 0;

    for (; *files; files++)
        total += file_size(*files);
    return total;
}

static void cannot_read(const char *name, char *error)
{
    failure(EXIT_UNUSABLE, (struct location){.file = name}, "%s", error);
    g_free(error);
}

/* Takes over the comments. */
static void read_capture(struct run *run, FILE *stream, const char *name, struct comments *comments)
{
    char *error = NULL;
    struct input *input = input_open_capture(stream, name, run->options->filter, &error);

    if (!input) {
        cannot_read(name, error);
    } else {
        sessions_set_comments(run->sessions, comments);
        read_input(run, input);
        sessions_set_comments(run->sessions, NULL);
        input_close(input);
    }
    comments_free(comments);
}

/* They are only read. */
static FILE *open_bytes(struct qs_view file)
{
    return fmemopen((void *)file.data, file.size, "rb");
}

static struct comments *comments_of_bytes(struct qs_view file)
{
    FILE *stream = open_bytes(file);
    struct comments *comments = stream ? comments_read(stream) : NULL;

    if (stream)
        fclose(stream);
    return comments;
}

/* A capture that was inflated, and what was wrong with that. */
static void read_inflated(struct run *run, struct qs_view file, const char *problem,
                          const char *name)
{
    FILE *stream = open_bytes(file);

    if (stream)
        read_capture(run, stream, name, comments_of_bytes(file));
    else
        cannot_read(name, g_strdup(g_strerror(errno)));
    if (problem)
        failure(EXIT_PROBLEMS, (struct location){.file = name}, "%s", problem);
}

static void read_recording(struct run *run, GByteArray *bytes, char *problem, const char *name)
{
    char *error = NULL;
    struct recording *recording = recording_open(bytes, problem, name, &error);

    if (!recording) {
        cannot_read(name, error);
        return;
    }
    read_demo(run, recording);
    recording_close(recording);
}

/* A file that does not begin as a capture does: a demo, or something that gzip has compressed. */
static void read_loaded(struct run *run, FILE *stream, const char *name)
{
    char *problem = NULL;
    GByteArray *bytes = load_stream(stream, RECORDING_MAX, &problem);

    input_close_stream(stream);
    if (!recording_is_capture(qs_view_of_bytes(bytes))) {
        read_recording(run, bytes, problem, name);
        return;
    }
    read_inflated(run, qs_view_of_bytes(bytes), problem, name);
    g_byte_array_free(bytes, TRUE);
    g_free(problem);
}

static void read_file(struct run *run, const char *name)
{
    char *error = NULL;
    FILE *stream = input_open_stream(name, &error);

    if (!stream)
        cannot_read(name, error);
    else if (recording_is_likely(stream))
        read_loaded(run, stream, name);
    else
        read_capture(run, stream, name, comments_of_file(name));
    run->bytes_before += file_size(name);
}

static void read_live(struct run *run)
{
    char *error = NULL;
    struct input *input = input_open_live(run->options->interface, run->options->filter, &error);

    if (!input) {
        cannot_read(run->options->interface, error);
        return;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* to be read as it comes */
    read_input(run, input);
    input_close(input);
}

static void read_all(struct run *run)
{
    char *const *files = run->options->files;

    if (run->options->interface)
        read_live(run);
    progress_start(total_size(files), !run->options->quiet);
    for (; *files && !interrupted; files++)
        read_file(run, *files);
    progress_erase();
}

/*
 * A recording that is interrupted is a recording that is done. A file that was not read to its end
 * is another matter: demos of half a session are not written.
 */
static bool keep_unfinished(const struct options *options)
{
    if (!interrupted || options->interface)
        return true;
    for (char *const *file = options->files; *file; file++)
        if (strcmp(*file, "-") == 0)
            return true;
    failure(EXIT_PROBLEMS, (struct location){0}, "interrupted; unfinished demos are not kept");
    return false;
}

static void report(const struct run *run)
{
    const struct ip_counts *ip = ip_counts(run->ip);
    const struct tcp_counts *tcp = tcp_counts(run->tcp);

    message((struct location){0},
            "%" G_GUINT64_FORMAT " packets, %" G_GUINT64_FORMAT " of them UDP; "
            "%" G_GUINT64_FORMAT " IP fragments, %" G_GUINT64_FORMAT " datagrams made whole, "
            "%" G_GUINT64_FORMAT " incomplete, %" G_GUINT64_FORMAT " contradictory",
            run->frames, run->datagrams, ip->fragments, ip->reassembled, ip->incomplete,
            ip->contradictory);
    message((struct location){0},
            "%" G_GUINT64_FORMAT " TCP segments, %" G_GUINT64_FORMAT " of them out of order, "
            "%" G_GUINT64_FORMAT " bytes repeated, %" G_GUINT64_FORMAT " missing in "
            "%" G_GUINT64_FORMAT " holes",
            tcp->segments, tcp->reordered, tcp->repeated, tcp->missing, tcp->holes);
}

static struct action *action_for(const struct options *options)
{
    switch (options->purpose) {
    case PURPOSE_LIST:
        return list_new(options);
    case PURPOSE_DUMP:
        return dump_new(options);
    case PURPOSE_CHECK:
        return check_new(options);
    case PURPOSE_PCAP:
        return pcap_new(options);
    case PURPOSE_STATS:
        return stats_new(options);
    case PURPOSE_EXTRACT:
        return extract_new(options);
    case PURPOSE_CONVERT:
        break;
    }
    return convert_new(options);
}

static void do_all(const struct options *options)
{
    struct run run = {
        .options = options, .action = action_for(options), .ip = ip_new(), .tcp = tcp_new()};

    catch_signals();
    run.sessions = sessions_new(&options->sessions, &run.action->handler);
    read_all(&run);
    end_packets(&run);
    sessions_free(run.sessions, keep_unfinished(options));
    if (options->verbose)
        report(&run);
    run.action->end(run.action, run.inputs != 0);
    tcp_free(run.tcp);
    ip_free(run.ip);
}

int main(int argc, char **argv)
{
    struct options options;

    setlocale(LC_CTYPE, "");
    switch (options_parse(&options, &argc, &argv)) {
    case OPTIONS_GOOD:
        do_all(&options);
        break;
    case OPTIONS_WRONG:
        raise_status(EXIT_UNUSABLE);
        break;
    case OPTIONS_DONE:
        break;
    }
    options_clear(&options);
    finish_output();
    return (int)status_so_far();
}
