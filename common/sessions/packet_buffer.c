/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/packet_buffer.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "common/core/lists.h"

enum { MEMORY_MAX = 256 * 1024 };

/* Days of one player's game. */
static const uint64_t file_max = UINT64_C(4) << 30;

struct qs_packet_buffer {
    GByteArray *memory; /* what is not in the file */
    FILE *file;         /* NULL: all is in memory */
    uint64_t size;      /* in the file */
    guint read;         /* of the memory */
    GByteArray *packet; /* that was read last: its bytes */
    char *error;
};

/* What stands before a packet's bytes. Only this program reads it. */
struct header {
    struct qs_packet packet; /* `data` means nothing */
    GQuark file;
};

struct qs_packet_buffer *qs_packet_buffer_new(void)
{
    struct qs_packet_buffer *spool = g_new0(struct qs_packet_buffer, 1);

    spool->memory = g_byte_array_new();
    spool->packet = g_byte_array_new();
    return spool;
}

void qs_packet_buffer_free(struct qs_packet_buffer *spool)
{
    if (spool->file)
        fclose(spool->file);
    g_byte_array_free(spool->memory, TRUE);
    g_byte_array_free(spool->packet, TRUE);
    g_free(spool->error);
    g_free(spool);
}

const char *qs_packet_buffer_error(const struct qs_packet_buffer *spool)
{
    return spool->error;
}

/* --- Writing --- */

static void fail(struct qs_packet_buffer *spool, const char *why)
{
    spool->error =
        g_strdup_printf("packets cannot be kept in a temporary file any longer: %s", why);
}

/* What is in memory goes to the file. */
static void flush(struct qs_packet_buffer *spool)
{
    if (!spool->file)
        spool->file = tmpfile();
    if (!spool->file ||
        fwrite(spool->memory->data, 1, spool->memory->len, spool->file) != spool->memory->len ||
        fflush(spool->file) != 0)
        fail(spool, g_strerror(errno));
    else if (spool->size > file_max)
        fail(spool, "they are too many");
    spool->size += spool->memory->len;
    qs_bytes_empty(spool->memory);
}

bool qs_packet_buffer_add(struct qs_packet_buffer *spool, const char *file,
                          const struct qs_packet *packet)
{
    const struct header header = {*packet, g_quark_from_static_string(file)};

    if (spool->error)
        return false;
    g_byte_array_append(spool->memory, (const guint8 *)&header, sizeof header);
    g_byte_array_append(spool->memory, packet->data, packet->size);
    if (spool->memory->len > MEMORY_MAX)
        flush(spool);
    return !spool->error;
}

/* --- Reading --- */

void qs_packet_buffer_rewind(struct qs_packet_buffer *spool)
{
    if (spool->file && spool->memory->len && !spool->error)
        flush(spool);
    if (spool->file)
        rewind(spool->file);
    spool->read = 0;
}

static bool take(struct qs_packet_buffer *spool, void *to, size_t size)
{
    if (spool->file)
        return fread(to, 1, size, spool->file) == size;
    if (size > spool->memory->len - spool->read)
        return false;
    if (size)
        memcpy(to, spool->memory->data + spool->read, size);
    spool->read += (guint)size;
    return true;
}

bool qs_packet_buffer_next(struct qs_packet_buffer *spool, const char **file,
                           struct qs_packet *packet)
{
    struct header header;

    if (!take(spool, &header, sizeof header))
        return false;
    g_byte_array_set_size(spool->packet, header.packet.size + 1);
    if (!take(spool, spool->packet->data, header.packet.size))
        return false;
    *packet = header.packet;
    packet->data = spool->packet->data;
    *file = g_quark_to_string(header.file);
    return true;
}
