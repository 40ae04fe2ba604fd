/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/capture/live.h"

#include <errno.h>
#include <glib.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SHORT_WAIT_MS = 20 };

/* Nanoseconds that a frame waits for earlier ones of other interfaces. */
#define PATIENCE (INT64_C(1000000) * LIVE_HANDED_OUT_MS)

struct source {
    const char *name;
    unsigned index;      /* interface index; another interface may get the name */
    struct input *input; /* NULL: the interface is gone */
    struct input *next;  /* replaces `input` when that is drained; or NULL */
    gint64 next_since;   /* monotonic, microseconds */
    link_reader *link;
    bool waits; /* a frame was read, and not yet returned */
    struct input_frame frame;
    bool down;
    bool hopeless; /* no permission to open it again */
    bool reported; /* that it cannot be opened, since it was lost */
    struct input_drops seen;
    struct live_drops drops;
};

struct live {
    struct live_setup setup;
    struct source *sources;
    unsigned count;
    bool at_once; /* frames do not wait for other interfaces */
    uint64_t frames;
    int socket; /* to query the state of interfaces; or -1 */
};

/* --- One interface --------------------------------------------------------------------------- */

/* NULL on failure; then `*error` is a new string. */
static struct input *open_input(const struct live *live, const char *name, char **error)
{
    struct input *input = input_open_live(name, live->setup.filter, live->setup.buffer, error);

    if (!input || link_find(input_link_type(input)))
        return input;
    *error = g_strdup_printf("captures of link type \"%s\" cannot be read",
                             pcap_datalink_val_to_description_or_dlt(input_link_type(input)));
    input_close(input);
    return NULL;
}

static void use_input(struct source *source, struct input *input)
{
    source->index = if_nametoindex(source->name);
    source->input = input;
    source->link = link_find(input_link_type(input));
    source->seen = (struct input_drops){0};
}

static bool open_source(const struct live *live, struct source *source, char **error)
{
    struct input *input = open_input(live, source->name, error);

    if (input)
        use_input(source, input);
    return input != NULL;
}

static void count_drops(struct source *source)
{
    struct input_drops drops;

    if (!source->input)
        return;
    drops = input_drops(source->input);
    source->drops.kernel += drops.kernel - source->seen.kernel;
    source->drops.interface += drops.interface - source->seen.interface;
    source->seen = drops;
}

static void close_source(struct source *source)
{
    count_drops(source);
    source->waits = false;
    g_clear_pointer(&source->input, input_close);
}

static void tell(const struct live *live, const struct source *source, bool good,
                 const char *format, ...) G_GNUC_PRINTF(4, 5);

static void tell(const struct live *live, const struct source *source, bool good,
                 const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    live->setup.tell(live->setup.user, source->name, text, good);
    g_free(text);
}

static void lose(const struct live *live, struct source *source)
{
    tell(live, source, false, "%s; waiting for it", source->input->error);
    source->reported = false;
    close_source(source);
}

/* --- Opening --------------------------------------------------------------------------------- */

struct live *live_open(const struct live_setup *setup, const char **name, char **error)
{
    struct live *live = g_new0(struct live, 1);

    live->setup = *setup;
    live->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    live->count = g_strv_length((char **)setup->names);
    live->sources = g_new0(struct source, live->count);
    for (unsigned i = 0; i < live->count; i++) {
        live->sources[i].name = *name = setup->names[i];
        if (!open_source(live, &live->sources[i], error)) {
            live_close(live);
            return NULL;
        }
    }
    return live;
}

void live_close(struct live *live)
{
    for (unsigned i = 0; i < live->count; i++) {
        g_clear_pointer(&live->sources[i].next, input_close);
        close_source(&live->sources[i]);
    }
    if (live->socket >= 0)
        close(live->socket);
    g_free(live->sources);
    g_free(live);
}

const char *live_link_name(const struct live *live, unsigned interface)
{
    const struct input *input = live->sources[interface].input;

    return input ? pcap_datalink_val_to_description_or_dlt(input_link_type(input)) : "gone";
}

/* --- Frames ---------------------------------------------------------------------------------- */

/* An idle input may still deliver frames that are on their way. */
static bool is_drained(const struct live *live, const struct source *source,
                       enum input_status status)
{
    const gint64 age = g_get_monotonic_time() - source->next_since;

    return status == INPUT_BROKEN ||
           (status == INPUT_IDLE && (live->at_once || age > LIVE_HANDED_OUT_MS * 1000));
}

/* Reads the interface's next frame. It stays valid, since no other one is read. */
static void fetch(const struct live *live, struct source *source)
{
    enum input_status status;

    if (!source->input || source->waits)
        return;
    status = input_next(source->input, &source->frame);
    source->waits = status == INPUT_FRAME;
    if (source->next && is_drained(live, source, status)) {
        close_source(source);
        use_input(source, g_steal_pointer(&source->next));
    } else if (status == INPUT_BROKEN) {
        lose(live, source);
    }
}

/* The source of the earliest frame that waits; NULL: none. */
static struct source *earliest(const struct live *live)
{
    struct source *first = NULL;

    for (unsigned i = 0; i < live->count; i++) {
        struct source *source = &live->sources[i];

        if (source->waits && (!first || source->frame.packet.time < first->frame.packet.time))
            first = source;
    }
    return first;
}

/*
 * Whether earlier frames may still come from other interfaces within PATIENCE. If the clock was set
 * back, the wait is short.
 */
static bool is_early(const struct live *live, const struct source *first)
{
    bool all = true;
    int64_t age;

    for (unsigned i = 0; i < live->count; i++)
        all = all && (live->sources[i].waits || !live->sources[i].input);
    if (all)
        return false;
    age = g_get_real_time() * 1000 - first->frame.packet.time;
    return age < PATIENCE && age > -PATIENCE;
}

bool live_next(struct live *live, struct live_frame *frame)
{
    struct source *first;

    for (unsigned i = 0; i < live->count; i++)
        fetch(live, &live->sources[i]);
    first = earliest(live);
    if (!first || (!live->at_once && is_early(live, first)))
        return false;
    first->waits = false;
    frame->frame = first->frame;
    frame->frame.packet.number = ++live->frames;
    frame->link = first->link;
    frame->interface = (unsigned)(first - live->sources);
    frame->link_type = input_link_type(first->input);
    return true;
}

void live_take_at_once(struct live *live)
{
    live->at_once = true;
}

/* An interface whose frame waits is always readable: it is not polled. */
void live_wait(const struct live *live, int milliseconds)
{
    struct pollfd *ready = g_new0(struct pollfd, live->count);

    for (unsigned i = 0; i < live->count; i++) {
        const struct source *source = &live->sources[i];
        const bool asks = source->input && !source->down && !source->waits;

        /* An interface that is down is always "readable". */
        ready[i].fd = asks ? input_descriptor(source->input) : -1;
        ready[i].events = POLLIN;
        if (source->waits)
            milliseconds = MIN(milliseconds, SHORT_WAIT_MS);
    }
    poll(ready, live->count, milliseconds);
    g_free(ready);
}

/* --- Interfaces that come and go ------------------------------------------------------------- */

/* The pseudo-device "any" is never down. */
static bool is_down(const struct live *live, const struct source *source)
{
    struct ifreq request = {0};

    if (live->socket < 0 || strcmp(source->name, "any") == 0 ||
        strlen(source->name) >= sizeof request.ifr_name)
        return false;
    memcpy(request.ifr_name, source->name, strlen(source->name));
    return ioctl(live->socket, SIOCGIFFLAGS, &request) == 0 && !(request.ifr_flags & IFF_UP);
}

static void follow_state(const struct live *live, struct source *source)
{
    const bool down = is_down(live, source);

    if (down != source->down)
        tell(live, source, !down, down ? "is down; waiting for it" : "is up again");
    source->down = down;
}

static bool is_there(const struct source *source)
{
    return strcmp(source->name, "any") == 0 || if_nametoindex(source->name) != 0;
}

/* Whatever else is wrong may pass: an interface that is not up yet, or of another kind. */
static bool is_refused(const char *error)
{
    return strstr(error, "ermission") || strstr(error, "not permitted");
}

static void try_again(const struct live *live, struct source *source)
{
    char *error = NULL;

    if (source->hopeless || !is_there(source))
        return;
    if (open_source(live, source, &error)) {
        tell(live, source, true, "is back");
    } else {
        source->hopeless = is_refused(error);
        if (!source->reported && !is_down(live, source))
            tell(live, source, false, "is back, but cannot be opened: %s", error);
        source->reported = true;
    }
    g_free(error);
}

void live_tend(struct live *live)
{
    for (unsigned i = 0; i < live->count; i++) {
        struct source *source = &live->sources[i];

        if (source->input)
            follow_state(live, source);
        else
            try_again(live, source);
    }
}

/*
 * Leaves a good input open, since the kernel holds packets for it. If another interface has its
 * name now, reads these packets first; if that one cannot be opened, keeps the old one.
 */
static void reopen(const struct live *live, struct source *source)
{
    char *error = NULL;
    struct input *input;

    if (source->next || (source->input && if_nametoindex(source->name) == source->index))
        return;
    input = open_input(live, source->name, &error);
    if (input)
        source->hopeless = false;
    if (input && source->input) {
        source->next = input;
        source->next_since = g_get_monotonic_time();
    } else if (input) {
        use_input(source, input);
    }
    g_free(error);
}

void live_reopen(struct live *live)
{
    for (unsigned i = 0; i < live->count; i++)
        reopen(live, &live->sources[i]);
}

bool live_is_over(const struct live *live)
{
    for (unsigned i = 0; i < live->count; i++)
        if (live->sources[i].input || !live->sources[i].hopeless)
            return false;
    return true;
}

bool live_lacks_right(const struct live *live)
{
    for (unsigned i = 0; i < live->count; i++)
        if (live->sources[i].hopeless)
            return true;
    return false;
}

struct live_drops live_drops(struct live *live, unsigned interface)
{
    count_drops(&live->sources[interface]);
    return live->sources[interface].drops;
}
