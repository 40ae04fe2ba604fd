/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/packet_files.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "pcap2demo/capture/link.h"
#include "pcap2demo/capture/pcap_out.h"
#include "pcap2demo/output/safe_path.h"
#include "pcap2demo/recorder/log.h"

enum { BUFFER_MAX = 256 * 1024, NAME_TRIES = 1000 };

struct packet_files {
    const struct recorder_options *options;
    char *const *interfaces;
    char *base;           /* path, without the start and the extension */
    int file;             /* or -1 */
    struct pcap_out *out; /* of the file; NULL: none is begun */
    uint64_t size;        /* of what is in the file */
    unsigned described;   /* interfaces, by what is in the file */
    GByteArray *buffer;   /* not yet in the file */
    uint64_t buffered_packets, lost_packets;
    const char *problem; /* why there is no file */
    int64_t begun;       /* the first packet's time */
    GQueue paths;        /* char *, of the files that are kept, oldest first */
    bool full;           /* the disk; it was logged */
};

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

static void open_file(struct packet_files *files, int64_t time)
{
    char *path = create_file(files, time);

    files->begun = time;
    if (!path) {
        files->problem = g_strerror(errno);
        return;
    }
    log_event("capture", json_pack("{s:s}", "file", path), "packets go to %s", path);
    g_queue_push_tail(&files->paths, path);
    remove_oldest(files);
}

static void close_file(struct packet_files *files)
{
    if (files->file >= 0)
        close(files->file);
    files->file = -1;
    files->size = 0;
}

/* --- What is in them ------------------------------------------------------------------------- */

static void append_to_buffer(void *buffer, const void *data, size_t size)
{
    g_byte_array_append(buffer, data, (guint)size);
}

static void begin_section(struct packet_files *files)
{
    files->out = pcap_out_new_to(append_to_buffer, files->buffer);
    pcap_out_begin(files->out, NULL, false);
}

static void end_section(struct packet_files *files)
{
    g_clear_pointer(&files->out, pcap_out_free);
    files->described = 0;
}

static bool write_buffer(const struct packet_files *files)
{
    const GByteArray *buffer = files->buffer;
    size_t done = 0;

    while (done < buffer->len) {
        const ssize_t written = write(files->file, buffer->data + done, buffer->len - done);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

static void clear_buffer(struct packet_files *files)
{
    g_byte_array_set_size(files->buffer, 0);
    files->buffered_packets = 0;
}

static void confirm_written(struct packet_files *files)
{
    if (files->full)
        log_warning("packets_kept", NULL,
                    "%s: packets are kept again; %" G_GUINT64_FORMAT " were not", files->base,
                    files->lost_packets);
    files->full = false;
    files->size += files->buffer->len;
    files->described = pcap_out_interfaces(files->out);
    clear_buffer(files);
}

/* Truncates the file after its last complete block. */
static bool truncate_to_size(const struct packet_files *files)
{
    return files->file >= 0 && ftruncate(files->file, (off_t)files->size) == 0 &&
           lseek(files->file, (off_t)files->size, SEEK_SET) >= 0;
}

/* The buffer may hold the section header and descriptions of interfaces: they are written again. */
static void drop_buffer(struct packet_files *files, const char *why)
{
    if (!files->full)
        log_warning("packets_lost", NULL, "%s: packets are not kept: %s", files->base, why);
    files->full = true;
    files->lost_packets += files->buffered_packets;
    clear_buffer(files);
    if (!truncate_to_size(files))
        close_file(files);
    if (files->size)
        pcap_out_forget_interfaces(files->out, files->described);
    else
        end_section(files);
}

static void flush(struct packet_files *files)
{
    if (!files->buffer->len)
        return;
    if (files->file < 0)
        drop_buffer(files, files->problem);
    else if (write_buffer(files))
        confirm_written(files);
    else
        drop_buffer(files, g_strerror(errno));
}

/* --- Interface -------------------------------------------------------------------------- */

struct packet_files *packet_files_new(const struct recorder_options *options,
                                      char *const *interfaces, char **error)
{
    struct packet_files *files = g_new0(struct packet_files, 1);
    char *folder = g_path_get_dirname(options->packets);

    files->options = options;
    files->interfaces = interfaces;
    files->base = g_strdup(options->packets);
    if (g_str_has_suffix(files->base, ".pcapng"))
        files->base[strlen(files->base) - strlen(".pcapng")] = '\0';
    files->file = -1;
    files->buffer = g_byte_array_new();
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
    g_byte_array_free(files->buffer, TRUE);
    g_free(files->base);
    g_free(files);
}

static bool is_over(const struct packet_files *files, int64_t now)
{
    const struct recorder_options *options = files->options;

    return (options->packets_size && files->size + files->buffer->len >= options->packets_size) ||
           (options->packets_time && now - files->begun >= options->packets_time);
}

void packet_files_add(struct packet_files *files, const struct live_frame *frame)
{
    const struct input_frame *packet = &frame->frame;

    if (files->file >= 0 && is_over(files, packet->time))
        packet_files_next(files);
    if (files->file < 0 && !files->buffer->len)
        open_file(files, packet->time);
    if (!files->out)
        begin_section(files);
    pcap_out_frame(files->out,
                   &(struct pcap_out_frame){.link_type = link_type_to_file(frame->link_type),
                                            .time = packet->time,
                                            .bytes = {packet->bytes.data, packet->bytes.size},
                                            .wire_size = packet->bytes.wire_size,
                                            .interface = files->interfaces[frame->interface]});
    files->buffered_packets++;
    if (files->buffer->len >= BUFFER_MAX)
        flush(files);
}

void packet_files_tick(struct packet_files *files)
{
    flush(files);
}

void packet_files_next(struct packet_files *files)
{
    flush(files);
    close_file(files);
    end_section(files);
}
