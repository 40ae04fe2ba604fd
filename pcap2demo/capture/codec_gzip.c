/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <zlib.h>

#include "pcap2demo/capture/codec.h"

enum { GZIP_ONLY = 16 + MAX_WBITS }; /* zlib.h, inflateInit2 */

static void *gzip_open(void)
{
    z_stream *zlib = g_new0(z_stream, 1);

    if (inflateInit2(zlib, GZIP_ONLY) == Z_OK)
        return zlib;
    g_free(zlib);
    return NULL;
}

static enum codec_status gzip_step(void *state, struct codec_buffers *buffers)
{
    z_stream *zlib = state;
    const uInt in_size = (uInt)MIN(buffers->in_size, G_MAXUINT);
    const uInt out_size = (uInt)MIN(buffers->out_size, G_MAXUINT);
    int status;

    zlib->next_in = (Bytef *)buffers->in;
    zlib->avail_in = in_size;
    zlib->next_out = buffers->out;
    zlib->avail_out = out_size;
    status = inflate(zlib, Z_NO_FLUSH);
    buffers->in += in_size - zlib->avail_in;
    buffers->in_size -= in_size - zlib->avail_in;
    buffers->out += out_size - zlib->avail_out;
    buffers->out_size -= out_size - zlib->avail_out;
    if (status == Z_STREAM_END) {
        inflateReset(zlib);
        return CODEC_BETWEEN;
    }
    return status == Z_OK || status == Z_BUF_ERROR ? CODEC_WITHIN : CODEC_DAMAGED;
}

static void gzip_close(void *state)
{
    inflateEnd(state);
    g_free(state);
}

const struct codec_decoder codec_gzip = {gzip_open, gzip_step, gzip_close};
