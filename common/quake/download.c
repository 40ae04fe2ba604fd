/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Downloads as DarkPlaces, QuakeSpasm-Spiked and FTE do them over this netchan: console commands of
 * the server announce what comes and when it is over, svc_downloaddata brings it, unreliably, and
 * the client acknowledges each piece. Source: DarkPlaces sv_main.c, SV_Download_f, and cl_parse.c,
 * CL_DownloadBegin_f; fteqw sv_user.c, SV_BeginDownload_f.
 */
#include "common/core/text.h"
#include "common/quake/messages.h"

/* cl_downloadbegin SIZE NAME [deflate]: the file as it will be sent has that size. */
static void add_begin(struct qs_decoder *d, struct qs_view command, uint32_t pos)
{
    struct qs_transfer begin = {.event = QS_TRANSFER_BEGIN};
    struct qs_token size, name, packing;

    if (!qs_token_next(command, &pos, &size) || !qs_token_next(command, &pos, &name))
        return;
    begin.total = qs_view_unsigned(size.text);
    begin.name = name.text;
    if (qs_token_next(command, &pos, &packing) && qs_view_equal(packing.text, "deflate"))
        begin.packing = QS_TRANSFER_STREAM;
    qs_add_transfer(d, &begin);
}

static void add_command(struct qs_decoder *d, struct qs_view command)
{
    struct qs_token word;
    uint32_t pos = 0;

    if (!qs_token_next(command, &pos, &word))
        return;
    if (qs_view_equal(word.text, "cl_downloadbegin"))
        add_begin(d, command, pos);
    else if (qs_view_equal(word.text, "stopdownload"))
        qs_add_transfer(d, &(struct qs_transfer){.event = QS_TRANSFER_REFUSED});
}

void nq_add_transfer_commands(struct qs_decoder *d, struct qs_view commands)
{
    if (!d->want_transfers || d->in.overrun)
        return;
    for (uint32_t at = 0; at < commands.size;) {
        const uint32_t end = qs_command_end(commands, at);

        add_command(d, (struct qs_view){commands.data + at, end - at});
        at = end + 1;
    }
}

void nq_read_downloaddata(struct qs_decoder *d)
{
    struct qs_transfer chunk = {.event = QS_TRANSFER_CHUNK};
    uint16_t size;

    chunk.offset = qs_u32(d, NQ_DOWNLOADDATA_START);
    size = qs_u16(d, NQ_DOWNLOADDATA_SIZE);
    qs_label(d, ": %u bytes at %u", size, (uint32_t)chunk.offset);
    if (!size)
        return;
    chunk.data = qs_bytes(d, NQ_DOWNLOADDATA_DATA, size);
    qs_add_transfer(d, &chunk);
}
