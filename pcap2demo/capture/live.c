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

#include "pcap2demo/capture/input.h"
#include "pcap2demo/capture/link.h"

enum { SNAPLEN = 262144, TIMEOUT_MS = 100, MIB = 1024 * 1024, SHORT_WAIT_MS = 20 };

/* Nanoseconds that a frame waits for earlier ones of other interfaces. */
#define PATIENCE (INT64_C(1000000) * LIVE_HANDED_OUT_MS)

struct source {
    const char *name;
    unsigned index; /* interface index; another interface may get the name */
    pcap_t *pcap;   /* NULL: the interface is gone */
    bool waits;     /* a frame was read, and not yet returned */
    struct input_frame frame;
    bool down;
    bool hopeless;         /* no permission to open it again */
    bool reported;         /* that it cannot be opened, since it was lost */
    struct pcap_stat seen; /* its counters wrap after 2^32 - 1 */
};

struct live {
    struct live_setup setup;
    struct source *sources;
    unsigned count;
    bool at_once; /* frames do not wait for other interfaces */
    uint64_t frames;
    struct live_drops drops;
    int socket; /* to query the state of interfaces; or -1 */
};

/* --- One interface --------------------------------------------------------------------------- */

/* libpcap's reason why the capture could not start. */
static char *error_text(pcap_t *pcap, int status)
{
    const char *detail = pcap_geterr(pcap);

    if (detail && *detail && strcmp(detail, pcap_statustostr(status)) != 0)
        return g_strdup_printf("%s (%s)", pcap_statustostr(status), detail);
    return g_strdup(pcap_statustostr(status));
}

/* Returns libpcap's first error or warning, or 0. */
static int configure(pcap_t *pcap, unsigned buffer)
{
    int status = pcap_set_snaplen(pcap, SNAPLEN);

    if (!status)
        status = pcap_set_timeout(pcap, TIMEOUT_MS);
    if (!status)
        status = pcap_set_buffer_size(pcap, (int)(buffer * MIB));
    /* Not every system has nanoseconds; microseconds will do. */
    if (!status && pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO) != 0)
        status = pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_MICRO);
    return status;
}

/* The kernel drops frames that do not match, and does not count them. */
static char *set_filter(pcap_t *pcap, const char *expression)
{
    struct link_filter filter = {0};
    char *error = NULL;

    if (expression && link_filter_compile(&filter, pcap_datalink(pcap), expression, &error) &&
        pcap_setfilter(pcap, &filter.program) != 0)
        error = g_strdup(pcap_geterr(pcap));
    link_filter_clear(&filter);
    return error;
}

/* NULL, or why frames cannot be read. */
static char *activate(pcap_t *pcap, const struct live_setup *setup)
{
    char text[PCAP_ERRBUF_SIZE] = "";
    int status = configure(pcap, setup->buffer);

    if (!status)
        status = pcap_activate(pcap);
    if (status < 0)
        return error_text(pcap, status);
    if (pcap_setnonblock(pcap, 1, text) != 0)
        return g_strdup(text);
    if (!link_find(pcap_datalink(pcap)))
        return g_strdup_printf("captures of link type \"%s\" cannot be read",
                               pcap_datalink_val_to_description_or_dlt(pcap_datalink(pcap)));
    return set_filter(pcap, setup->filter);
}

/* NULL on failure; then `*error` is a new string. */
static pcap_t *open_interface(const struct live *live, const char *name, char **error)
{
    char text[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap = pcap_create(name, text);

    *error = pcap ? activate(pcap, &live->setup) : g_strdup(text);
    if (pcap && *error)
        g_clear_pointer(&pcap, pcap_close);
    return pcap;
}

static void use_interface(struct source *source, unsigned index, pcap_t *pcap)
{
    source->index = index;
    source->pcap = pcap;
    source->seen = (struct pcap_stat){0};
}

static bool open_source(const struct live *live, struct source *source, char **error)
{
    const unsigned index = if_nametoindex(source->name); /* before: it may change meanwhile */
    pcap_t *pcap = open_interface(live, source->name, error);

    if (pcap)
        use_interface(source, index, pcap);
    return pcap != NULL;
}

static void count_drops(struct live *live, struct source *source)
{
    struct pcap_stat stat;

    if (!source->pcap || pcap_stats(source->pcap, &stat) != 0)
        return;
    live->drops.kernel += stat.ps_drop - source->seen.ps_drop;
    live->drops.interface += stat.ps_ifdrop - source->seen.ps_ifdrop;
    source->seen = stat;
}

static void close_source(struct live *live, struct source *source)
{
    count_drops(live, source);
    source->waits = false;
    g_clear_pointer(&source->pcap, pcap_close);
}

G_GNUC_PRINTF(4, 5)
static void tell(const struct live *live, const struct source *source, bool good,
                 const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    live->setup.tell(source->name, text, good);
    g_free(text);
}

static void lose(struct live *live, struct source *source)
{
    tell(live, source, false, "cannot be read further: %s; waiting for it",
         pcap_geterr(source->pcap));
    source->reported = false;
    close_source(live, source);
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
    for (unsigned i = 0; i < live->count; i++)
        close_source(live, &live->sources[i]);
    if (live->socket >= 0)
        close(live->socket);
    g_free(live->sources);
    g_free(live);
}

const char *live_link_name(const struct live *live, unsigned interface)
{
    pcap_t *pcap = live->sources[interface].pcap;

    return pcap ? pcap_datalink_val_to_description_or_dlt(pcap_datalink(pcap)) : "gone";
}

/* --- Frames ---------------------------------------------------------------------------------- */

static void set_frame(struct source *source, const struct pcap_pkthdr *header, const uint8_t *data)
{
    const bool nano = pcap_get_tstamp_precision(source->pcap) == PCAP_TSTAMP_PRECISION_NANO;

    source->waits = true;
    source->frame = (struct input_frame){
        .packet = {.data = data,
                   .size = header->caplen,
                   .wire_size = MAX(header->len, header->caplen),
                   .time = header->ts.tv_sec * INT64_C(1000000000) +
                           (int64_t)header->ts.tv_usec * (nano ? 1 : 1000)},
        .link_type = pcap_datalink(source->pcap),
    };
}

/* Reads the interface's next frame. It stays valid, since no other one is read. */
static void fetch(struct live *live, struct source *source)
{
    struct pcap_pkthdr *header;
    const uint8_t *data;
    int status;

    if (!source->pcap || source->waits)
        return;
    status = pcap_next_ex(source->pcap, &header, &data);
    if (status == 1)
        set_frame(source, header, data);
    else if (status < 0)
        lose(live, source);
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
        all = all && (live->sources[i].waits || !live->sources[i].pcap);
    if (all)
        return false;
    age = g_get_real_time() * 1000 - first->frame.packet.time;
    return age < PATIENCE && age > -PATIENCE;
}

struct input_frame *live_next(struct live *live, unsigned *interface)
{
    struct source *first;

    for (unsigned i = 0; i < live->count; i++)
        fetch(live, &live->sources[i]);
    first = earliest(live);
    if (!first || (!live->at_once && is_early(live, first)))
        return NULL;
    first->waits = false;
    first->frame.packet.number = ++live->frames;
    *interface = (unsigned)(first - live->sources);
    return &first->frame;
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
        const bool asks = source->pcap && !source->down && !source->waits;

        /* An interface that is down is always "readable". */
        ready[i].fd = asks ? pcap_get_selectable_fd(source->pcap) : -1;
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

static void try_again(const struct live *live, struct source *source)
{
    char *error = NULL;

    if (source->hopeless || (strcmp(source->name, "any") != 0 && !if_nametoindex(source->name)))
        return;
    if (open_source(live, source, &error)) {
        tell(live, source, true, "is back");
    } else {
        /* Whatever else is wrong may pass: an interface that is not up yet, or of another kind. */
        source->hopeless = strstr(error, "ermission") || strstr(error, "not permitted");
        if (!source->reported && (source->hopeless || !is_down(live, source)))
            tell(live, source, false, "is back, but cannot be opened: %s", error);
        source->reported = true;
    }
    g_free(error);
}

/* Another interface may have the name now. The old one stays until that can be opened, since the
 * kernel holds packets for it. */
static void follow_name(struct live *live, struct source *source)
{
    const unsigned index = if_nametoindex(source->name);
    g_autofree char *error = NULL;
    pcap_t *pcap =
        index && index != source->index ? open_interface(live, source->name, &error) : NULL;

    if (pcap) {
        close_source(live, source);
        use_interface(source, index, pcap);
    }
}

void live_tend(struct live *live)
{
    for (unsigned i = 0; i < live->count; i++) {
        struct source *source = &live->sources[i];

        if (source->pcap) {
            follow_name(live, source);
            follow_state(live, source);
        } else {
            try_again(live, source);
        }
    }
}

bool live_is_over(const struct live *live)
{
    for (unsigned i = 0; i < live->count; i++)
        if (live->sources[i].pcap || !live->sources[i].hopeless)
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

struct live_drops live_drops(struct live *live)
{
    for (unsigned i = 0; i < live->count; i++)
        count_drops(live, &live->sources[i]);
    return live->drops;
}
