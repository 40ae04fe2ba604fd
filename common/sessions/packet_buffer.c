/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/late_join.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "common/core/containers.h"

enum { MEMORY_MAX = 256 * 1024 };

/* Maximum size of a file (bytes): days of one player's game. */
static const uint64_t file_max = UINT64_C(4) << 30;

struct qs_packet_buffer {
    GByteArray *memory; /* packets that are not in the file */
    FILE *file;         /* NULL if all packets are in memory */
    uint64_t size;      /* size of the file (bytes) */
    guint read;         /* read position in `memory` */
    GByteArray *packet; /* bytes of the packet that was read last */
    char *error;
};

/* Header before a packet's bytes. Only this program reads it. */
struct buffered_header {
    struct qs_packet packet; /* `data` is invalid */
    GQuark file;
};

struct qs_packet_buffer *qs_packet_buffer_new(void)
{
    struct qs_packet_buffer *buffer = g_new0(struct qs_packet_buffer, 1);

    buffer->memory = g_byte_array_new();
    buffer->packet = g_byte_array_new();
    return buffer;
}

void qs_packet_buffer_free(struct qs_packet_buffer *buffer)
{
    if (buffer->file)
        fclose(buffer->file);
    g_byte_array_free(buffer->memory, TRUE);
    g_byte_array_free(buffer->packet, TRUE);
    g_free(buffer->error);
    g_free(buffer);
}

const char *qs_packet_buffer_error(const struct qs_packet_buffer *buffer)
{
    return buffer->error;
}

/* --- Writing --------------------------------------------------------------------------------- */

static void fail(struct qs_packet_buffer *buffer, const char *why)
{
    buffer->error =
        g_strdup_printf("packets cannot be kept in a temporary file any longer: %s", why);
}

static void flush(struct qs_packet_buffer *buffer)
{
    if (!buffer->file)
        buffer->file = tmpfile();
    if (!buffer->file) {
        fail(buffer, g_strerror(errno));
        return;
    }
    if (fwrite(buffer->memory->data, 1, buffer->memory->len, buffer->file) != buffer->memory->len ||
        fflush(buffer->file) != 0)
        fail(buffer, g_strerror(errno));
    else if (buffer->size > file_max)
        fail(buffer, "they are too many");
    buffer->size += buffer->memory->len;
    qs_bytes_empty(buffer->memory);
}

void qs_packet_buffer_add(struct qs_packet_buffer *buffer, const char *file,
                          const struct qs_packet *packet)
{
    const struct buffered_header header = {*packet, g_quark_from_static_string(file)};

    if (buffer->error)
        return;
    g_byte_array_append(buffer->memory, (const guint8 *)&header, sizeof header);
    g_byte_array_append(buffer->memory, packet->data, packet->size);
    if (buffer->memory->len > MEMORY_MAX)
        flush(buffer);
}

/* --- Reading --------------------------------------------------------------------------------- */

void qs_packet_buffer_rewind(struct qs_packet_buffer *buffer)
{
    if (buffer->file && buffer->memory->len && !buffer->error)
        flush(buffer);
    if (buffer->file)
        rewind(buffer->file);
    buffer->read = 0;
}

static bool read_bytes(struct qs_packet_buffer *buffer, void *to, size_t size)
{
    if (buffer->file)
        return fread(to, 1, size, buffer->file) == size;
    if (size > buffer->memory->len - buffer->read)
        return false;
    if (size)
        memcpy(to, buffer->memory->data + buffer->read, size);
    buffer->read += (guint)size;
    return true;
}

bool qs_packet_buffer_next(struct qs_packet_buffer *buffer, const char **file,
                           struct qs_packet *packet)
{
    struct buffered_header header;

    if (!read_bytes(buffer, &header, sizeof header))
        return false;
    g_byte_array_set_size(buffer->packet, header.packet.size + 1);
    if (!read_bytes(buffer, buffer->packet->data, header.packet.size))
        return false;
    *packet = header.packet;
    packet->data = buffer->packet->data;
    *file = g_quark_to_string(header.file);
    return true;
}
