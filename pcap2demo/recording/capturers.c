/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/protocols.h"

/* FILES: number of files in a ring. MEGABYTE: unit of tcpdump's -C. LINE_BYTES: maximum length of a
 * message. BUFFER_KIB: size of the kernel's buffer for each interface. */
enum { FILES = 16, MEGABYTE = 1000000, LINE_BYTES = 4096 };

#define BUFFER_KIB "65536"

struct capturer {
    const char *interface;
    pid_t keeper;
    int control; /* pipe to the keeper: a line requests the counts, its end stops tcpdump */
    int output;  /* tcpdump's messages; -1 after its end */
    GString *line;
    bool listens; /* tcpdump has started; earlier, SIGUSR1 would end it */
    bool reported;
    uint64_t dropped;
};

struct capturers {
    char **interfaces;
    struct capturer *all;
    unsigned count;
};

/* --- Filter ---------------------------------------------------------------------------------- */

/* Appends the TCP ports of a list such as "27500,27900-27910". */
static void append_ports(GString *filter, const char *list)
{
    char **ranges = g_strsplit(list, ",", -1);

    for (char **range = ranges; *range; range++)
        if (**range)
            g_string_append_printf(filter, " or tcp %s %s",
                                   strchr(*range, '-') ? "portrange" : "port", *range);
    g_strfreev(ranges);
}

char *capturers_filter(const GPtrArray *ports, const char *filter)
{
    GString *all = g_string_new("udp or ip[6:2] & 0x1fff != 0 or ip6 proto 44");

    for (int i = 0; qs_protocols[i]; i++)
        if (qs_protocols[i]->stream_ports)
            append_ports(all, qs_protocols[i]->stream_ports);
    for (guint i = 0; i < ports->len; i++) {
        const char *port = g_ptr_array_index(ports, i), *equals = strchr(port, '=');

        append_ports(all, equals ? equals + 1 : port);
    }
    if (filter) {
        g_string_prepend_c(all, '(');
        g_string_append_printf(all, ") and (%s)", filter);
    }
    return g_string_free(all, FALSE);
}

/* --- Processes ------------------------------------------------------------------------------- */

/*
 * Shell script of the keeper between this process and tcpdump. Ctrl-C and systemd's signals reach
 * all processes, but tcpdump ends when this one closes the keeper's input, or has ended. Each line
 * requests the counts. A signal may be lost before the child has become tcpdump: it is sent again.
 */
static const char keeper[] =
    "umask 077; trap : INT TERM HUP; \"$@\" & trap '' INT TERM HUP; exec 2>&-; "
    "while read -r line; do kill -USR1 $!; done; while kill $!; do sleep 0.1; done; wait $!";

static void detach(gpointer data)
{
    (void)data;
    setsid();
}

static void start(struct capturer *capturer, const char *const *arguments, char **error)
{
    GError *problem = NULL;

    capturer->line = g_string_new(NULL);
    if (!g_spawn_async_with_pipes(NULL, (char **)arguments, NULL,
                                  G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, detach,
                                  NULL, &capturer->keeper, &capturer->control, NULL,
                                  &capturer->output, &problem)) {
        *error = g_strdup(problem->message);
        g_error_free(problem);
        return;
    }
    fcntl(capturer->output, F_SETFL, O_NONBLOCK);
}

/* Returns the name of a ring's files. It differs at each start, so that no file is overwritten. */
static char *base_name(const char *ring, const char *interface)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_utc();
    g_autofree char *start = g_date_time_format(now, "%Y%m%d-%H%M%S");
    g_autofree char *name = g_strdup_printf("%s-%s-%d.pcap", interface, start, (int)getpid());

    return g_build_filename(ring, g_strdelimit(name, "/", '_'), NULL);
}

static char *find_tcpdump(char **error)
{
    char *path = g_find_program_in_path("tcpdump");

    if (!path && g_file_test("/usr/sbin/tcpdump", G_FILE_TEST_IS_EXECUTABLE))
        path = g_strdup("/usr/sbin/tcpdump");
    if (!path)
        *error = g_strdup("tcpdump is missing, which captures: install the package tcpdump");
    return path;
}

struct capturers *capturers_start(const char *interfaces, const char *ring, uint64_t size,
                                  const char *filter, const struct passwd *user, char **error)
{
    g_autofree char *program = find_tcpdump(error), *megabytes = NULL, *files = NULL;
    struct capturers *capturers;
    uint64_t share, each;

    if (!program)
        return NULL;
    capturers = g_new0(struct capturers, 1);
    capturers->interfaces = g_strsplit(interfaces, ",", -1);
    capturers->count = g_strv_length(capturers->interfaces);
    capturers->all = g_new0(struct capturer, capturers->count);
    share = size / MEGABYTE / MAX(capturers->count, 1);
    each = MAX(share / FILES, 1);
    megabytes = g_strdup_printf("%" G_GUINT64_FORMAT, each);
    files = g_strdup_printf("%" G_GUINT64_FORMAT, MAX(share / each, 2));
    for (unsigned i = 0; i < capturers->count && !*error; i++) {
        const char *interface = capturers->interfaces[i];
        g_autofree char *base = base_name(ring, interface);
        const char *arguments[] = {
            "/bin/sh", "-c", keeper, "sh", program, "-i", interface, "-n", "-U", "-s", "0", "-B",
            BUFFER_KIB, "--time-stamp-precision=nano", "-C", megabytes, "-W", files, "-w", base,
            /* The filter follows all options. */
            user ? "-Z" : filter, user ? user->pw_name : NULL, user ? filter : NULL, NULL};

        capturers->all[i].interface = interface;
        capturers->all[i].output = capturers->all[i].control = -1;
        start(&capturers->all[i], arguments, error);
    }
    if (!*error)
        return capturers;
    capturers_free(capturers);
    return NULL;
}

/* --- Messages of tcpdump --------------------------------------------------------------------- */

static void read_line(struct capturer *capturer, const char *line)
{
    const char *number = strstr(line, " dropped by kernel"); /* "0 packets dropped by kernel" */
    uint64_t dropped;

    capturer->listens |= strstr(line, "listening on ") != NULL;
    if (!number) {
        if (!strstr(line, " packets captured") && !strstr(line, " packet captured") &&
            !strstr(line, " received by filter"))
            log_event(LOG_WARNING, "capturer", json_pack("{s:s}", "interface", capturer->interface),
                      "%s: %s", capturer->interface, line);
        return;
    }
    while (number > line && !g_ascii_isdigit(number[-1]))
        number--;
    while (number > line && g_ascii_isdigit(number[-1]))
        number--;
    dropped = g_ascii_strtoull(number, NULL, 10);
    if (dropped > capturer->dropped)
        log_event(LOG_WARNING, "drops",
                  json_pack("{s:s, s:I}", "interface", capturer->interface, "dropped",
                            (json_int_t)(dropped - capturer->dropped)),
                  "%s: packets came too fast, and %" G_GUINT64_FORMAT " were dropped",
                  capturer->interface, dropped - capturer->dropped);
    capturer->dropped = dropped;
    capturer->reported = true;
}

static void read_lines(struct capturer *capturer)
{
    GString *line = capturer->line;
    char *end;

    while ((end = memchr(line->str, '\n', line->len)) || line->len > LINE_BYTES) {
        const gssize size = end ? end - line->str : (gssize)line->len;
        g_autofree char *text = g_strndup(line->str, (gsize)size);

        g_string_erase(line, 0, size + (end != NULL));
        read_line(capturer, text);
    }
}

static void reap(struct capturer *capturer)
{
    int status = 0;

    if (capturer->control >= 0)
        close(capturer->control);
    close(capturer->output);
    capturer->control = capturer->output = -1;
    while (waitpid(capturer->keeper, &status, 0) < 0 && errno == EINTR)
        ;
    log_event(LOG_WARNING, "capturer", json_pack("{s:s}", "interface", capturer->interface),
              "%s: tcpdump has ended with status %d", capturer->interface, WEXITSTATUS(status));
}

static void check(struct capturer *capturer)
{
    char bytes[LINE_BYTES];
    ssize_t size;

    while (capturer->output >= 0 && (size = read(capturer->output, bytes, sizeof bytes)) != 0) {
        if (size < 0)
            return;
        g_string_append_len(capturer->line, bytes, size);
        read_lines(capturer);
    }
    if (capturer->output >= 0)
        reap(capturer);
}

unsigned capturers_check(struct capturers *capturers)
{
    unsigned running = 0;

    for (unsigned i = 0; i < capturers->count; i++) {
        check(&capturers->all[i]);
        running += capturers->all[i].output >= 0;
    }
    return running;
}

void capturers_ask(struct capturers *capturers)
{
    for (unsigned i = 0; i < capturers->count; i++)
        if (capturers->all[i].output >= 0 && capturers->all[i].listens)
            (void)!write(capturers->all[i].control, "\n", 1);
}

bool capturers_dropped(const struct capturers *capturers, uint64_t *dropped)
{
    bool reported = false;

    *dropped = 0;
    for (unsigned i = 0; i < capturers->count; i++) {
        *dropped += capturers->all[i].dropped;
        reported |= capturers->all[i].reported;
    }
    return reported;
}

void capturers_stop(struct capturers *capturers)
{
    for (unsigned i = 0; i < capturers->count; i++)
        if (capturers->all[i].output >= 0) {
            close(capturers->all[i].control);
            capturers->all[i].control = -1;
            fcntl(capturers->all[i].output, F_SETFL, 0);
        }
    capturers_check(capturers);
}

void capturers_free(struct capturers *capturers)
{
    capturers_stop(capturers);
    for (unsigned i = 0; i < capturers->count; i++)
        if (capturers->all[i].line)
            g_string_free(capturers->all[i].line, TRUE);
    g_strfreev(capturers->interfaces);
    g_free(capturers->all);
    g_free(capturers);
}
