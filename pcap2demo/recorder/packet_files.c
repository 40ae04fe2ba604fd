/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/packet_files.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <pcap/pcap.h>
#include <string.h>
#include <unistd.h>

#include "common/core/writer.h"
#include "pcap2demo/capture/pcapng.h"
#include "pcap2demo/output/safe_path.h"
#include "pcap2demo/recorder/log.h"

enum {
    BUFFER = 256 * 1024,
    NAME_TRIES = 1000,
    LINKTYPE_RAW = 101, /* what files have for DLT_RAW */
    NOT_DESCRIBED = -1,
    OPTION_NAME = 2 /* of an interface */
};

struct packet_files {
    const struct recorder_options *options;
    char *const *interfaces;
    int *described;    /* number of each interface's block in the file, or NOT_DESCRIBED */
    int *link_types;   /* of each, as described */
    int next_number;   /* of such a block */
    char *base;        /* path, without the start and the extension */
    int file;          /* or -1 */
    uint64_t size;     /* of what is in the file */
    GByteArray *block; /* scratch: the body of a block */
    GByteArray *waiting;
    uint64_t waiting_packets, lost_packets;
    int64_t begun; /* the first packet's time */
    GQueue paths;  /* char *, of the files that are kept, oldest first */
    bool full;     /* which was told */
};

/* --- Blocks ---------------------------------------------------------------------------------- */

static void pad(GByteArray *bytes)
{
    while (bytes->len % 4)
        qs_write_u8(bytes, 0);
}

static void add_option(GByteArray *block, uint16_t code, const void *value, uint16_t size)
{
    qs_write_u16(block, code);
    qs_write_u16(block, size);
    qs_write_view(block, (struct qs_view){value, size});
    pad(block);
}

static void finish_block(struct packet_files *files, uint32_t type)
{
    const uint32_t length = files->block->len + PCAPNG_FRAMING;

    qs_write_u32(files->waiting, type);
    qs_write_u32(files->waiting, length);
    qs_write_view(files->waiting, qs_view_of_bytes(files->block));
    qs_write_u32(files->waiting, length);
    g_byte_array_set_size(files->block, 0);
}

static void add_section(struct packet_files *files)
{
    qs_write_u32(files->block, PCAPNG_BYTE_ORDER);
    qs_write_u16(files->block, 1); /* version 1.0 */
    qs_write_u16(files->block, 0);
    qs_write_u32(files->block, UINT32_MAX); /* the section's length is not said */
    qs_write_u32(files->block, UINT32_MAX);
    finish_block(files, PCAPNG_SECTION);
}

static void describe(struct packet_files *files, const struct live_frame *frame)
{
    static const uint8_t nanoseconds = 9;
    const char *name = files->interfaces[frame->interface];
    const int type = frame->link_type == DLT_RAW ? LINKTYPE_RAW : frame->link_type;

    qs_write_u16(files->block, (uint16_t)type);
    qs_write_u16(files->block, 0);
    qs_write_u32(files->block, 0); /* packets are not cut */
    add_option(files->block, OPTION_NAME, name, (uint16_t)MIN(strlen(name), UINT16_MAX));
    add_option(files->block, PCAPNG_OPTION_TIME_RESOLUTION, &nanoseconds, 1);
    add_option(files->block, PCAPNG_OPTION_END, NULL, 0);
    finish_block(files, PCAPNG_INTERFACE);
    files->described[frame->interface] = files->next_number++;
    files->link_types[frame->interface] = frame->link_type;
}

static void add_packet(struct packet_files *files, const struct live_frame *frame)
{
    const struct input_frame *packet = &frame->frame;

    qs_write_u32(files->block, (uint32_t)files->described[frame->interface]);
    qs_write_u32(files->block, (uint32_t)((uint64_t)packet->time >> 32));
    qs_write_u32(files->block, (uint32_t)packet->time);
    qs_write_u32(files->block, packet->bytes.size);
    qs_write_u32(files->block, packet->bytes.wire_size);
    qs_write_view(files->block, (struct qs_view){packet->bytes.data, packet->bytes.size});
    pad(files->block);
    finish_block(files, PCAPNG_PACKET);
    files->waiting_packets++;
}

/* --- Files ----------------------------------------------------------------------------------- */

static void remove_oldest(struct packet_files *files)
{
    while (files->options->packets_files &&
           g_queue_get_length(&files->paths) > files->options->packets_files) {
        char *path = g_queue_pop_head(&files->paths);

        unlink(path);
        g_free(path);
    }
}

static char *start_text(int64_t time)
{
    GDateTime *date = g_date_time_new_from_unix_utc(time / 1000000000);
    char *text = date ? g_date_time_format(date, "%Y%m%d-%H%M%S") : g_strdup("");

    if (date)
        g_date_time_unref(date);
    return text;
}

/* The next free name. New, with the file open; NULL: see errno. */
static char *create_file(struct packet_files *files, int64_t time)
{
    char *start = start_text(time), *path = NULL;

    for (int i = 1; i < NAME_TRIES && files->file < 0; i++) {
        g_free(path);
        path = i == 1 ? g_strdup_printf("%s-%s.pcapng", files->base, start)
                      : g_strdup_printf("%s-%s-%d.pcapng", files->base, start, i);
        files->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (files->file < 0 && errno != EEXIST)
            break;
    }
    g_free(start);
    if (files->file >= 0)
        return path;
    g_free(path);
    return NULL;
}

/* What has no room is lost; then the file begins anew where that is said. */
static void lose(struct packet_files *files, const char *why)
{
    files->lost_packets += files->waiting_packets;
    if (!files->full)
        log_warning("packets_lost", NULL, "%s: packets are not kept: %s", files->base, why);
    files->full = true;
    g_byte_array_set_size(files->waiting, 0);
    files->waiting_packets = 0;
}

static void begin_file(struct packet_files *files, int64_t time)
{
    char *path;

    add_section(files);
    files->next_number = 0;
    for (unsigned i = 0; files->interfaces[i]; i++)
        files->described[i] = NOT_DESCRIBED;
    files->begun = time;
    files->size = 0;
    path = create_file(files, time);
    if (!path)
        return;
    log_event("capture", json_pack("{s:s}", "file", path), "packets go to %s", path);
    g_queue_push_tail(&files->paths, path);
    remove_oldest(files);
}

static bool write_waiting(struct packet_files *files)
{
    const GByteArray *waiting = files->waiting;
    size_t done = 0;

    while (done < waiting->len) {
        const ssize_t written = write(files->file, waiting->data + done, waiting->len - done);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

static void tell_room(struct packet_files *files)
{
    if (files->full)
        log_warning("packets_kept", NULL,
                    "%s: packets are kept again; %" G_GUINT64_FORMAT " were not", files->base,
                    files->lost_packets);
    files->full = false;
}

/* A file ends with a whole block. */
static void flush(struct packet_files *files)
{
    if (!files->waiting->len)
        return;
    if (files->file < 0) {
        lose(files, g_strerror(errno));
        return;
    }
    if (write_waiting(files)) {
        tell_room(files);
        files->size += files->waiting->len;
        g_byte_array_set_size(files->waiting, 0);
        files->waiting_packets = 0;
        return;
    }
    lose(files, g_strerror(errno));
    if (ftruncate(files->file, (off_t)files->size) != 0 ||
        lseek(files->file, (off_t)files->size, SEEK_SET) < 0)
        packet_files_next(files);
}

/* --- What is called -------------------------------------------------------------------------- */

struct packet_files *packet_files_new(const struct recorder_options *options,
                                      char *const *interfaces, char **error)
{
    struct packet_files *files = g_new0(struct packet_files, 1);
    char *folder = g_path_get_dirname(options->packets);
    const unsigned count = g_strv_length((char **)interfaces);

    files->options = options;
    files->interfaces = interfaces;
    files->base = g_strdup(options->packets);
    if (g_str_has_suffix(files->base, ".pcapng"))
        files->base[strlen(files->base) - strlen(".pcapng")] = '\0';
    files->file = -1;
    files->described = g_new(int, count);
    files->link_types = g_new(int, count);
    files->block = g_byte_array_new();
    files->waiting = g_byte_array_new();
    g_queue_init(&files->paths);
    *error = make_folders(folder);
    g_free(folder);
    if (!*error)
        return files;
    packet_files_free(files);
    return NULL;
}

void packet_files_free(struct packet_files *files)
{
    packet_files_next(files);
    g_queue_clear_full(&files->paths, g_free);
    g_byte_array_free(files->block, TRUE);
    g_byte_array_free(files->waiting, TRUE);
    g_free(files->described);
    g_free(files->link_types);
    g_free(files->base);
    g_free(files);
}

static bool is_over(const struct packet_files *files, int64_t now)
{
    const struct recorder_options *options = files->options;

    return (options->packets_size && files->size + files->waiting->len >= options->packets_size) ||
           (options->packets_time && now - files->begun >= options->packets_time);
}

/* An interface that was opened anew may be another kind of link. */
static bool is_described(const struct packet_files *files, const struct live_frame *frame)
{
    return files->described[frame->interface] != NOT_DESCRIBED &&
           files->link_types[frame->interface] == frame->link_type;
}

void packet_files_add(struct packet_files *files, const struct live_frame *frame)
{
    if (files->file >= 0 && is_over(files, frame->frame.time))
        packet_files_next(files);
    if (files->file < 0 && !files->waiting->len)
        begin_file(files, frame->frame.time);
    if (!is_described(files, frame))
        describe(files, frame);
    add_packet(files, frame);
    if (files->waiting->len >= BUFFER)
        flush(files);
}

void packet_files_tend(struct packet_files *files)
{
    flush(files);
}

void packet_files_next(struct packet_files *files)
{
    flush(files);
    if (files->file >= 0)
        close(files->file);
    files->file = -1;
}
